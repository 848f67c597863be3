"""What a person in a seat receives of a running match, without a server."""

from dataclasses import dataclass
from typing import Any

import pytest

from arena.pages.playing.choices import Choices
from arena.pages.playing.scene import MAX_MOVES, legal_page, moves_from, scene_page
from arena.pages.scenes import Palette
from arena.people.person import PersonScene
from referee.games.pente import Pente
from referee.options import make_game
from referee.rules.layout import Piece


@dataclass(frozen=True)
class Hiding(Pente):
    """Pente in which each seat sees its own stones only."""

    def pieces(self, state: Any, seat: int | None) -> dict[int, Piece]:
        return {
            place: piece
            for place, piece in super().pieces(state, seat).items()
            if piece.seat == seat
        }


@dataclass(frozen=True)
class Undrawn(Pente):
    """Pente without a picture."""

    def layout(self, seats: int) -> None:  # type: ignore[override]  # Pente has one
        del seats

    def gesture(self, move: Any) -> tuple[()]:  # type: ignore[override]  # Pente has one
        del move
        return ()


def scene(game: Any, *moves: str, seat: int) -> dict[str, Any]:
    state = game.start(2, 1)
    for move in moves:
        state = game.apply(state, game.parse(move))
    return scene_page(PersonScene(game=game, names=("a", "b"), seat=seat, state=state), Palette())


def test_a_seat_receives_its_own_view_and_its_own_moves_only() -> None:
    first, second = (scene(Hiding(), "0,0", "1,1", seat=seat) for seat in (0, 1))

    assert [[place for place, _ in each["pieces"]] for each in (first, second)] == [[180], [200]]
    assert first["moves"]
    assert second["moves"] == second["first"] == []


def test_moves_that_share_their_places_are_labelled_by_the_piece_they_leave() -> None:
    game = make_game("chess", {"fen": "8/P6k/8/8/8/8/8/K7 w - - 0 1"})

    labels = scene(game, seat=0)["labels"]

    assert [(move, label.partition(" ")[2]) for move, label in labels.items()] == [
        ("a7a8q", "white queen"),
        ("a7a8r", "white rook"),
        ("a7a8b", "white bishop"),
        ("a7a8n", "white knight"),
    ]
    assert scene(Pente(), seat=0)["labels"] == {}


def test_a_game_without_a_picture_is_a_diagram_and_a_list_of_moves() -> None:
    page = scene(Undrawn(), seat=0)

    assert page["pieces"] == []
    assert "+" in page["diagram"] or "." in page["diagram"]
    assert page["moves"] == [("0,0", ())]


def test_of_too_many_moves_the_first_places_are_sent_and_the_rest_on_a_click() -> None:
    game = make_game("matchsticks", {"dimension": 40, "hole_fraction": 0})
    state = game.start(2, 1)

    page = legal_page(game, state)

    assert page["moves"] == []
    assert page["first"] == list(range(1600))
    found = moves_from(game, state, 0)
    assert 0 < len(found) <= MAX_MOVES
    assert {clicks[0] for _, clicks in found} == {0}


def test_a_page_can_name_only_shipped_bots_and_those_of_the_command_line(tmp_path: Any) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bot.yaml").write_text("name: twin\nrun: [./x]\n")
    choices = Choices.of([str(tmp_path / "one"), str(tmp_path / "two"), "greedy"])

    names = [choices.name_of(str(tmp_path / "one")), choices.name_of(str(tmp_path / "two"))]
    assert names[0] == "twin" != names[1]
    assert choices.players([None, "greedy", names[1]])[1:] == ["greedy", str(tmp_path / "two")]
    for name in ("./x", "/bin/sh", "../bots/greedy", "Greedy", "\u202egreedy", ""):
        with pytest.raises(Exception, match="there is no bot"):
            choices.players([None, name])
    with pytest.raises(Exception, match="choose a seat"):
        choices.players(["greedy", "random"])
