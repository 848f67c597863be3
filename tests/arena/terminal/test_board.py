"""Boards in a terminal: the last move marked, large boards scrolled or divided, never wrapped."""

from typing import Any

import pytest

from arena.terminal.board import View, centred, divided, draw, is_cut, limited, view_text, window
from referee.options import make_game
from referee.rules import Game

LARGEST = [
    ("pente", {"half_size": 15}),
    ("matchsticks", {"dimension": 64}),
    ("chinese_checkers", {"game_size": 63}),
    ("down_n_out", {"rows": 100, "cols": 100}),
    ("damspel", {"rows": 26, "cols": 26, "men_rows": 13}),
]


def start(name: str, options: dict[str, Any]) -> tuple[Game[Any, Any], Any]:
    game = make_game(name, options)
    return game, game.start(min(game.seats), 1)


def after(game: Game[Any, Any], state: Any, *moves: str) -> Any:
    for move in moves:
        state = game.apply(state, game.parse(move))
    return state


def test_a_stone_and_the_pair_it_captured_are_marked() -> None:
    game, state = start("pente", {})
    before = after(game, state, "0,0", "1,1", "0,5", "2,2", "6,6", "8,8")

    lines = draw(game, after(game, before, "3,3"), before).lines

    assert "[X]" in lines[13]
    assert "[.]" in lines[11]
    assert "[.]" in lines[12]
    assert sum(line.count("[") for line in lines) == 3
    assert lines[-1] == "captured pairs: X 1, O 0"


@pytest.mark.parametrize(
    ("name", "options", "moves", "marks"),
    [
        ("damspel", {}, ["a3-a4"], ["[.]", "[W]"]),
        ("matchsticks", {"hole_fraction": 0.0}, ["r2:1-3"], ["[.  .  .]"]),
        ("matchsticks", {"hole_fraction": 0.0}, ["c2:1-2"], ["[.]", "[.]"]),
        ("chinese_checkers", {"game_size": 3}, ["2,0>3,0"], ["[.]", "[0]"]),
    ],
)
def test_all_that_a_move_changed_on_the_board_is_marked(
    name: str, options: dict[str, Any], moves: list[str], marks: list[str]
) -> None:
    game, state = start(name, options)

    text = "\n".join(draw(game, after(game, state, *moves), state).lines)

    assert text.count("[") == len(marks)
    for mark in marks:
        assert mark in text


@pytest.mark.parametrize(("name", "options"), LARGEST)
@pytest.mark.parametrize(("height", "width"), [(21, 80), (5, 30), (1, 1), (300, 500)])
def test_the_largest_boards_fit_wherever_they_are_scrolled(
    name: str, options: dict[str, Any], height: int, width: int
) -> None:
    game, state = start(name, options)
    drawing = draw(game, state)

    for view in (View(), View(10, 12), View(1000, 1000), View(-5, -5)):
        lines = window(drawing, limited(drawing, view, height, width), height, width)
        assert len(lines) <= height
        assert all(len(line) <= width for line in lines)


@pytest.mark.parametrize(("name", "options"), LARGEST)
def test_every_place_can_be_scrolled_to_and_keeps_its_coordinates(
    name: str, options: dict[str, Any]
) -> None:
    game, state = start(name, options)
    drawing = draw(game, state)
    left, seen = game.margins.left, set()

    for line in range(0, len(drawing.lines), 10):
        for column in range(0, drawing.width, 36):
            view = limited(drawing, View(line, column), 21, 80)
            shown = window(drawing, view, 21, 80)
            above = game.margins.above
            for number, text in enumerate(shown[above : len(shown) - game.margins.below]):
                whole = drawing.lines[above + view.line + number]
                assert text[:left].rstrip() == whole[:left].rstrip()
                seen |= {
                    (view.line + number, view.column + place)
                    for place, mark in enumerate(text[left:])
                    if mark != " "
                }

    board = drawing.lines[game.margins.above : len(drawing.lines) - game.margins.below]
    places = {
        (number, place)
        for number, line in enumerate(board)
        for place, mark in enumerate(line[left:])
        if mark != " "
    }
    assert seen == places


def test_a_view_moves_to_the_last_move_and_stays_while_it_is_in_sight() -> None:
    game, state = start("damspel", {"rows": 26, "cols": 26, "men_rows": 1})
    drawing = draw(game, after(game, state, "a1-a2"), state)

    moved = centred(drawing, View(), 12, 80)

    assert "[W]" in "\n".join(window(drawing, moved, 12, 80))
    assert centred(drawing, moved, 12, 80) == moved
    assert is_cut(drawing, 12, 80)
    assert view_text(drawing, moved, 12, 80) == "arrows scroll up right"


@pytest.mark.parametrize(("name", "options"), LARGEST)
@pytest.mark.parametrize("width", [40, 80, 1000, None])
def test_a_folded_board_is_whole_and_no_line_is_too_long(
    name: str, options: dict[str, Any], width: int | None
) -> None:
    game, state = start(name, options)
    drawing = draw(game, state)

    text = divided(drawing, width)

    assert all(len(line) <= (width or 10_000) for line in text.splitlines())
    board = drawing.lines[game.margins.above : len(drawing.lines) - game.margins.below]
    for mark in ".X|W1":
        shown = sum(line[game.margins.left :].count(mark) for line in board)
        assert sum(line[game.margins.left :].count(mark) for line in text.splitlines()) >= shown


def test_a_caption_stands_below_the_board_once(small_games: Any) -> None:
    del small_games
    roshambo, pente = (make_game(name, {}) for name in ("roshambo", "pente"))

    for game, caption in ((roshambo, "points: 0 0"), (pente, "captured pairs: X 0, O 0")):
        drawing = draw(game, game.start(2, 1))
        assert drawing.lines[-1] == caption
        assert drawing.lines.count(caption) == 1
        assert drawing.margins.below == 1


def test_a_caption_that_comes_and_goes_leaves_the_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    game, state = start("damspel", {})
    later = game.apply(state, next(iter(game.legal(state))))
    marks = draw(game, later, state).marks

    def caption(self: Any, position: Any, seat: int | None = None) -> str:
        del self, seat
        return "one move" if position == later else ""

    monkeypatch.setattr(type(game), "caption", caption)
    drawing = draw(game, later, state)

    assert marks
    assert drawing.marks == marks
    assert drawing.lines[-1] == "one move"
