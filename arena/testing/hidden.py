"""Rules of hidden information: no picture, text or list shows a seat more of a move than `seen`.

Moves (or draws) in the same position that a seat cannot tell apart, by what it learns of them and
by its view, must give it the same pictures, texts and legal moves.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from arena.testing.chance import STREAMS
from arena.testing.examination import Examination
from arena.testing.wire import check_clean

COMPARED = 12
"""Limit of moves compared in a position."""


def _turns(exam: Examination) -> Iterator[tuple[Any, int | None, list[Any]]]:
    """Yield positions with the seat to move and some of its moves, or None and some draws."""
    if not exam.game.has_hidden_information:
        return
    for state in exam.some_positions():
        if exam.game.outcome(state) is not None:
            continue
        drawn = [exam.due_draw(state, other) for other in STREAMS]
        if drawn[0] is None:
            yield state, exam.game.turn(state), list(islice(exam.game.legal(state), COMPARED))
        else:
            yield state, None, drawn


def what_is_seen_can_be_sent(exam: Examination) -> None:
    """A seat's knowledge of a move is a map allowed in a message, or None."""
    for state, mover, moves in _turns(exam):
        for move in moves:
            exam.move = move
            after = exam.game.apply(state, move)
            for seat in range(exam.seats):
                if seat != mover and (part := exam.game.seen(state, move, after, seat)) is not None:
                    check_clean(exam, part, f"`seen` by seat {seat}")
        exam.move = None


def hidden_moves_show_nowhere(exam: Examination) -> None:
    """Moves that look alike to a seat give it the same pictures, texts and legal moves."""
    for state, mover, moves in _turns(exam):
        for seat in range(exam.seats):
            if seat == mover:
                continue
            known: dict[str, tuple[Any, dict[str, Any]]] = {}
            for move in moves:
                exam.move = move
                after = exam.game.apply(state, move)
                is_open = exam.game.is_round_open(after)
                part = None if is_open else exam.game.seen(state, move, after, seat)
                is_over = exam.game.outcome(after) is not None
                told = repr((part, is_over, exam.game.view(after, seat)))
                shown = _shown(exam, after, seat)
                other, before = known.setdefault(told, (move, shown))
                if differing := [name for name in shown if shown[name] != before[name]]:
                    raise exam.broken(
                        f"seat {seat} cannot tell this from {other!r} by `seen` and `view`, but"
                        f" by its {differing[0]}"
                    )
        exam.move = None


def _shown(exam: Examination, state: Any, seat: int) -> dict[str, Any]:
    game = exam.game
    is_to_move = game.outcome(state) is None and game.turn(state) == seat
    return {
        "diagram": game.diagram(state, seat),
        "caption": game.caption(state, seat),
        "pieces": dict(game.pieces(state, seat)) if game.layout(exam.seats) else {},
        "legal moves": list(game.legal(state)) if is_to_move else [],
    }


def open_rounds_are_withheld(exam: Examination) -> None:
    """In an open round no other seat's view shows what was moved."""
    for state, mover, moves in _turns(exam):
        for seat in range(exam.seats):
            views = {}
            for move in moves if seat != mover else ():
                after = exam.game.apply(state, move)
                if exam.game.is_round_open(after):
                    views[repr(exam.game.view(after, seat))] = move
            if len(views) > 1:
                one, other, *_ = views.values()
                raise exam.broken(f"the view of seat {seat} differs after {one!r} and {other!r}")


RULES: Final = (what_is_seen_can_be_sent, hidden_moves_show_nowhere, open_rounds_are_withheld)
