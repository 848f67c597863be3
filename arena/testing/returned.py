"""A rule of what methods return, before other rules use it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.testing.examination import Examination
from protocol.wording import shown
from referee.rules.layout import Layout, Piece
from referee.rules.outcomes import outcome_fault
from referee.rules.values import view_fault


def methods_return_what_they_promise(exam: Examination) -> None:
    """Methods return what they promise."""
    board = exam.game.layout(exam.seats)
    if not isinstance(board, Layout | None):
        raise exam.broken(f"`layout` returns {shown(board)}, not a Layout or None")
    for state in exam.some_positions():
        _check_result(exam, state)
        for seat in range(exam.seats):
            if fault := view_fault(exam.game.view(state, seat)):
                raise exam.broken(f"`view` for seat {seat} {fault}")
        for seat in (None, *range(exam.seats)):
            _expect(exam, "diagram", exam.game.diagram(state, seat), str)
            _expect(exam, "caption", exam.game.caption(state, seat), str)
            _check_pieces(exam, exam.game.pieces(state, seat))
        _check_moves(exam, state)


def _check_result(exam: Examination, state: Any) -> None:
    outcome = exam.game.outcome(state)
    if outcome is not None and (fault := outcome_fault(outcome, exam.seats)):
        raise exam.broken(f"`outcome` {fault}")


def _check_moves(exam: Examination, state: Any) -> None:
    for move in exam.legal(state):
        exam.move = move
        _expect(exam, "notation", exam.game.notation(move), str)
        _expect(exam, "gesture_in", exam.game.gesture_in(state, move), Sequence)
        _expect(exam, "meaning", exam.game.meaning(state, move), str)
    exam.move = None


def _check_pieces(exam: Examination, pieces: Any) -> None:
    _expect(exam, "pieces", pieces, Mapping)
    for place, piece in pieces.items():
        if type(place) is not int or not isinstance(piece, Piece):
            raise exam.broken(f"`pieces` has {shown(place)}: {shown(piece)}, not a place: Piece")


def _expect(exam: Examination, method: str, found: object, kind: type[Any]) -> None:
    if not isinstance(found, kind):
        wanted = {"str": "a text", "Mapping": "a map", "Sequence": "a sequence"}[kind.__name__]
        raise exam.broken(f"`{method}` returns {shown(found)}, not {wanted}")


RULES: Final = (methods_return_what_they_promise,)
