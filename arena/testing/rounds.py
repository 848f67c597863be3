"""Rules of moves made at once: what the next seat may not see, it does not learn either."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final

from arena.testing.examination import SEEDS, Examination
from arena.testing.sight import Step, course, is_open, seen_part, steps_from
from protocol.vocabulary import Seat
from referee.rules import IllegalMoveError, move_fields

_FEWEST: Final = 2
"""Number of positions in which a move must be learned and hidden to be taken for a mistake."""
_FIRST: Final = 20
"""Number of the first plies examined."""


def moves_told_are_shown(exam: Examination) -> None:
    """Moves that the next seat learns at once are not hidden by its view until it has moved."""
    if exam.seats == 1 or exam.game.is_known_by_view:
        return
    hidden: dict[tuple[Seat, Seat], list[bool]] = defaultdict(list)
    used = set()
    for state in _first_positions(exam):
        for pair, steps in _answered(exam, state).items():
            hidden[pair].append(_is_hidden(exam, steps, pair[1]))
            if hidden[pair][-1] and _shows_later(exam, steps, pair[1]):
                used.add(pair)
    for mover, seat in sorted(used):
        if len(hidden[mover, seat]) >= _FEWEST and all(hidden[mover, seat]):
            raise exam.broken(
                f"seat {seat} learns each move of seat {mover} at once, and its view hides it"
                f" until seat {seat} has moved; define `is_round_open` to withhold it, tell less by"
                " `seen`, or show it in `view`"
            )


def _first_positions(exam: Examination) -> Iterator[Any]:
    for seed in SEEDS:
        for ply, (state, move) in enumerate(exam.playout(seed)):
            if ply < _FIRST and move is not None:
                yield state


def _answered(exam: Examination, state: Any) -> dict[tuple[Seat, Seat], list[Step]]:
    """Return some moves in a position, by the mover and the other seat that moves next."""
    steps = steps_from(exam, state)
    if steps[0].mover is None or any(is_open(exam, step.after) for step in steps):
        return {}
    answered = defaultdict(list)
    for step in steps:
        is_draw_due, seat, *_ = (*course(exam, step.after), None)
        if is_draw_due is False and seat != step.mover:
            answered[steps[0].mover, seat].append(step)
    return {pair: moves for pair, moves in answered.items() if len(moves) > 1}


def _is_hidden(exam: Examination, steps: list[Step], seat: Seat) -> bool:
    """Whether a seat learns these moves in full, and its view is the same after each."""
    is_told = all(seen_part(exam, step, seat) == move_fields(step.move) for step in steps)
    return is_told and len({repr(exam.game.view(step.after, seat)) for step in steps}) == 1


def _shows_later(exam: Examination, steps: list[Step], seat: Seat) -> bool:
    """Whether the seat's view differs between these moves once it has answered."""
    for one, other in combinations(steps, 2):
        for move in exam.game.legal(one.after):
            try:
                views = [
                    exam.game.view(exam.game.apply(each.after, move), seat) for each in (one, other)
                ]
            except IllegalMoveError:
                continue
            if views[0] != views[1]:
                return True
    return False


RULES: Final = (moves_told_are_shown,)
