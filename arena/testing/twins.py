"""Rules of hidden information over a whole game: two courses of which a seat learns the same.

The courses have other draws and other hidden moves, and the same public moves. What a seat looks at
must be the same in both until a move that it knows shows more, like a doubt that uncovers dice.
"""

import random
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from arena.testing.examination import SEEDS, Examination
from arena.testing.sight import Step, course, difference, is_open, look, seen_part, steps_from
from protocol.vocabulary import Seat
from protocol.wording import shown
from referee.rules import IllegalMoveError


class Pair(NamedTuple):
    """A step in both courses, and the last two moves or draws that differed."""

    step: Step
    twin: Step
    differing: tuple[Any, Any]


def pairs(exam: Examination, seed: int, seat: Seat) -> Iterator[Pair]:
    """Yield the steps of a random game and of a twin of which a seat learns the same."""
    chance = random.Random(seed)  # noqa: S311 - repeatable
    twin, differing = None, (None, None)
    for state, move in exam.playout(seed):
        if move is None:
            return
        mover = None if exam.due_draw(state, seed) is not None else exam.game.turn(state)
        step = Step(mover, state, move, exam.game.apply(state, move))
        found = _twin_of(exam, step, state if twin is None else twin, seat, chance)
        twin = None
        if found is None or (found.before == state and found.move == move):
            continue
        if found.move != move:
            differing = (move, found.move)
        exam.move = move
        yield Pair(step, found, differing)
        if not difference(look(exam, step.after, seat), look(exam, found.after, seat)):
            twin = found.after


def _twin_of(
    exam: Examination, step: Step, state: Any, seat: Seat, chance: random.Random
) -> Step | None:
    """Return a step from the other position of which the seat learns the same, or None."""
    if step.mover == seat:
        found = _same(exam, step, state)
    else:
        found = steps_from(exam, state)
        chance.shuffle(found)
        found = [each for each in found if each.move != step.move] + _same(exam, step, state)
    told, public = seen_part(exam, step, seat), course(exam, step.after)
    for each in found:
        is_told = seat == step.mover or seen_part(exam, each, seat) == told
        if is_told and course(exam, each.after) == public:
            return each
    return None


def _same(exam: Examination, step: Step, state: Any) -> list[Step]:
    try:
        return [Step(step.mover, state, step.move, exam.game.apply(state, step.move))]
    except IllegalMoveError:
        return []


def is_silent(exam: Examination, step: Step, seat: Seat) -> bool:
    """Whether a step shows a seat nothing but `seen`: a draw, or a move it does not learn."""
    if step.mover is None:
        return True
    return step.mover != seat and (is_open(exam, step.after) or seen_part(exam, step, seat) is None)


def courses_told_alike_look_alike(exam: Examination) -> None:
    """Two courses of which a seat learns the same look the same to it, until a move shows more."""
    game = exam.game
    if not game.has_hidden_information or game.is_known_by_view:
        return
    for seed in SEEDS:
        for seat in range(exam.seats):
            for step, twin, (move, other) in pairs(exam, seed, seat):
                if game.outcome(step.after) is not None or not is_silent(exam, step, seat):
                    continue
                one, two = (look(exam, each.after, seat) for each in (step, twin))
                if found := difference(one, two):
                    raise exam.broken(
                        f"seat {seat} learns the same of two courses, one with {shown(move)} and"
                        f" one with {shown(other)}, and sees which it was by its {found}"
                    )


RULES: Final = (courses_told_alike_look_alike,)
