"""Rules of what people see: diagrams, displays, boards and clicks."""

import re
from collections.abc import Iterator
from typing import Any, Final

from arena.testing.examination import Examination
from arena.text import plural
from referee.rules.layout import Layout


def diagrams_are_text(exam: Examination) -> None:
    """A diagram is lines for a terminal, its board within the margins, spaces between places."""
    above, left, below = exam.game.margins
    heights = set()
    for state, seat in _seen_positions(exam):
        lines = exam.game.diagram(state, seat).splitlines()
        if not exam.game.caption(state, seat).isprintable():
            raise exam.broken("the caption has invisible characters")
        if not lines or not all(line.isprintable() for line in lines):
            raise exam.broken("the diagram is empty or has invisible characters")
        rows = lines[above : len(lines) - below]
        heights.add(len(rows))
        if left and not all(line[:left].strip() for line in rows):
            raise exam.broken(f"a row of the diagram has nothing in its margin of {left} columns")
        is_spaced = all(re.fullmatch(r"( +\S)*", line[left:].rstrip()) for line in rows)
        if any(exam.game.margins) and not is_spaced:
            raise exam.broken("a row of the diagram has no spaces between its places")
        if len(heights) > 1 and any(exam.game.margins):
            raise exam.broken(f"boards of diagrams have {sorted(heights)} lines")


def _seen_positions(exam: Examination) -> Iterator[tuple[Any, int | None]]:
    """Yield positions, each for a spectator and, if they can differ, for every seat."""
    seats = range(exam.seats) if exam.game.has_hidden_information else ()
    for state in exam.some_positions():
        yield from ((state, seat) for seat in (None, *seats))


def displays_have_one_answer(exam: Examination) -> None:
    """A display has one answer, and after a retirement in a game for one none is due."""
    for state in exam.positions():
        if exam.game.is_display_due(state):
            picture = list(exam.game.picture(state))
            widths = {len(row) for row in picture}
            if picture != list(exam.game.picture(state)) or len(widths) != 1:
                raise exam.broken(
                    f"`picture` must be equally long rows, the same each time: {picture}"
                )
        if exam.seats == 1 and exam.game.is_display_due(exam.game.retire(state, 0)):
            raise exam.broken("a display is due after the only seat has retired")


def boards_name_their_places(exam: Examination) -> None:
    """A board names and labels its places."""
    if (board := exam.game.layout(exam.seats)) is None:
        return
    places = place_count(board)
    if len(set(board.names)) != places or len(board.names) != places:
        raise exam.broken(
            f"{places} places have {len(set(board.names))} different names; give the `Layout` as"
            " `names` one for each place, for screen readers"
        )
    labelled = (
        (board.row_labels, board.rows),
        (board.col_labels, board.cols),
        (board.foot_labels, board.cols),
    )
    for labels, count in labelled:
        if len(labels) not in (0, count):
            raise exam.broken(f"{len(labels)} labels for {count} rows or columns")
    if len(set(board.spots)) != len(board.spots):
        raise exam.broken("two places have the same spot")
    for region in board.regions:
        _check_places(exam, region.places, places, "a region")


def pieces_stand_on_places(exam: Examination) -> None:
    """Pieces stand on places of the board, and belong to seats."""
    if (board := exam.game.layout(exam.seats)) is None:
        return
    for state in exam.some_positions():
        for seat in (None, *range(exam.seats)):
            pieces = exam.game.pieces(state, seat)
            _check_places(exam, pieces, place_count(board), "a piece")
            for piece in pieces.values():
                if piece.seat is not None and piece.seat >= exam.seats:
                    raise exam.broken(
                        f"a piece of seat {piece.seat}, with {plural(exam.seats, 'seat')}"
                    )


def clicks_distinguish_moves(exam: Examination) -> None:
    """Moves differ by their clicks on places of the board, or by their words."""
    if (board := exam.game.layout(exam.seats)) is None:
        return
    for state in exam.some_positions():
        seen: dict[tuple[tuple[int, ...], str], Any] = {}
        for move in exam.game.legal(state):
            exam.move = move
            clicks = tuple(exam.game.gesture_in(state, move))
            _check_places(exam, clicks, place_count(board), "a click")
            key = clicks, exam.game.meaning(state, move) or exam.game.notation(move)
            if seen.setdefault(key, move) != move:
                raise exam.broken(f"{seen[key]!r} has the same clicks {clicks} and words")
        exam.move = None


def decisive_places_are_of_the_board(exam: Examination) -> None:
    """What is marked as decisive after the last move are places of the board."""
    if (board := exam.game.layout(exam.seats)) is None:
        return
    for _, move, after in exam.steps():
        if exam.game.outcome(after) is not None:
            marked = exam.game.decisive(after, move)
            _check_places(exam, marked, place_count(board), "a decisive place")


def place_count(board: Layout) -> int:
    """Return the number of places of a board."""
    if board.kind in ("cells", "points"):
        return board.rows * board.cols
    if board.kind == "edges":
        edges = board.rows * (board.cols - 1) + (board.rows - 1) * board.cols
        return edges + (board.rows - 1) * (board.cols - 1)
    return len(board.spots)


def _check_places(exam: Examination, places: Any, count: int, what: str) -> None:
    if wrong := [place for place in places if not 0 <= place < count]:
        raise exam.broken(f"{what} is at place {wrong[0]}; the places are 0 to {count - 1}")


RULES: Final = (
    diagrams_are_text,
    displays_have_one_answer,
    boards_name_their_places,
    pieces_stand_on_places,
    clicks_distinguish_moves,
    decisive_places_are_of_the_board,
)
