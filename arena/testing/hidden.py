"""Rules of hidden information: nothing shows a seat more of a move or draw than `seen` tells it.

Two moves or draws in the same position of which a seat learns the same must look the same to it:
its view, its pictures and texts, and its legal moves. `twins` compares whole courses of a game.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from arena.testing.examination import SEEDS, Examination
from arena.testing.sight import (
    Step,
    course,
    difference,
    is_open,
    look,
    seen_part,
    steps_from,
    what_is_told,
)
from arena.testing.wire import check_clean
from protocol.vocabulary import Seat
from protocol.wording import shown
from referee.rules import move_fields

_FIRST: Final = 12
"""Number of the first plies compared, since dice and cards fall early."""
WIDE: Final = 300
"""Characters of a draw in a message, since two deals often begin alike."""
_EVERY: Final = 9
"""Distance in plies of the other positions compared."""


def _choices(exam: Examination) -> Iterator[list[Step]]:
    """Yield the steps from positions of random games."""
    for seed in SEEDS:
        for ply, (state, move) in enumerate(exam.playout(seed)):
            if move is not None and (ply < _FIRST or ply % _EVERY == 0):
                yield steps_from(exam, state)


def what_is_seen_can_be_sent(exam: Examination) -> None:
    """A seat's knowledge of a move is a map allowed in a message, or None."""
    if not exam.game.has_hidden_information:
        return
    for steps in _choices(exam):
        for step in steps:
            exam.move = step.move
            for seat in range(exam.seats):
                if seat != step.mover and (part := seen_part(exam, step, seat)) is not None:
                    check_clean(exam, part, f"`seen` by seat {seat}")
        exam.move = None


def hidden_moves_show_nowhere(exam: Examination) -> None:
    """Moves and draws of which a seat learns the same look the same to it."""
    if not exam.game.has_hidden_information:
        return
    for steps in _choices(exam):
        for seat in range(exam.seats):
            alike = defaultdict(list)
            for step in steps:
                if seat != step.mover:
                    exam.move = step.move
                    alike[_told(exam, step, seat)].append(step)
            for group in alike.values():
                _compare(exam, group, seat)
        exam.move = None


def _told(exam: Examination, step: Step, seat: Seat) -> str:
    """Return all that a seat learns of a step; after the end its view may tell all."""
    after = step.after
    part = None if is_open(exam, after) else seen_part(exam, step, seat)
    is_view_told = exam.game.is_known_by_view and not is_open(exam, after)
    is_over = exam.game.outcome(after) is not None
    view = exam.game.view(after, seat) if is_view_told or is_over else None
    return repr((part, course(exam, after), view))


def _compare(exam: Examination, group: list[Step], seat: Seat) -> None:
    first, *others = group
    before = look(exam, first.after, seat) if others else {}
    for step in others:
        exam.move = step.move
        if found := difference(before, look(exam, step.after, seat)):
            part, cure = seen_part(exam, step, seat), "let `seen` tell it, or show the same"
            if is_open(exam, step.after):
                part, cure = None, "show the same until the round is closed"
            raise exam.broken(
                f"seat {seat} learns {what_is_told(part)} of {shown(first.move, WIDE)} and of"
                f" {shown(step.move, WIDE)}, and sees which it was by its {found}; {cure}"
            )


def draws_told_are_shown(exam: Examination) -> None:
    """A draw that `seen` tells a seat in full is hidden by its view only if by all views."""
    if not exam.game.has_chance or exam.game.is_known_by_view or exam.seats == 1:
        return
    for steps in _choices(exam):
        if steps[0].mover is None:
            for seat in range(exam.seats):
                _check_shown(exam, steps, seat)
        exam.move = None


def _check_shown(exam: Examination, steps: list[Step], seat: Seat) -> None:
    """Raise BrokenRuleError if `seen` tells a seat draws that only its own view hides."""
    told = [step for step in steps if seen_part(exam, step, seat) == move_fields(step.move)]
    known: dict[str, tuple[Step, list[Any]]] = {}
    for step in told:
        exam.move = step.move
        views = [exam.game.view(step.after, other) for other in range(exam.seats)]
        key = repr((course(exam, step.after), views[seat]))
        first, before = known.setdefault(key, (step, views))
        if differing := [other for other, view in enumerate(views) if view != before[other]]:
            raise exam.broken(
                f"`seen` tells seat {seat} whether {shown(first.move, WIDE)} or"
                f" {shown(step.move, WIDE)} was drawn; its view hides it, and that of"
                f" seat {differing[0]} shows it; tell less by `seen`, or show it in `view`"
            )


RULES: Final = (what_is_seen_can_be_sent, hidden_moves_show_nowhere, draws_told_are_shown)
