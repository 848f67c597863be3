"""Rules of draws: what the referee draws in a game after its start."""

import json
from collections.abc import Iterator
from typing import Any, Final

from arena.testing.examination import SEEDS, Examination
from arena.testing.sight import STREAMS
from arena.testing.wire import check_clean
from referee.move_codec import MoveCodec
from referee.rules import IllegalMoveError, move_fields


def draws(exam: Examination) -> Iterator[tuple[Any, list[Any]]]:
    """Yield positions of random games in which a draw is due, each with some draws."""
    for seed in SEEDS:
        for state, _ in exam.playout(seed):
            if exam.due_draw(state, seed) is not None:
                yield state, [exam.due_draw(state, other) for other in STREAMS]


def draws_are_due_or_not(exam: Examination) -> None:
    """A draw is due whatever the random numbers are, and depends on nothing else."""
    if not exam.game.has_chance:
        return
    for seed in SEEDS:
        for state, _ in exam.playout(seed):
            found = [exam.due_draw(state, other) for other in STREAMS]
            if found != [exam.due_draw(state, other) for other in STREAMS]:
                raise exam.broken("`draw` returns something else for the same random numbers")
            if len({draw is None for draw in found}) > 1:
                raise exam.broken(f"`draw` returns None for some random numbers: {found}")
            kind = exam.game.chance_type
            if wrong := [draw for draw in found if draw is not None and type(draw) is not kind]:
                raise exam.broken(f"a draw must be of `chance_type`, not {wrong[0]!r}")


def draws_are_applied(exam: Examination) -> None:
    """A due draw can be applied, gives the same state each time, and is refused when not due."""
    for state, found in draws(exam):
        mark = (repr(state), hash(state))
        for draw in found:
            exam.move = draw
            after, again = exam.game.apply(state, draw), exam.game.apply(state, draw)
            if after != again or hash(after) != hash(again):
                raise exam.broken(f"`apply` returns {after!r} first, and then {again!r}")
            if (repr(state), hash(state)) != mark:
                raise exam.broken(f"`apply` has changed its state {mark[0]}")
            _check_refused(exam, after, draw)
        exam.move = None


def _check_refused(exam: Examination, state: Any, draw: Any) -> None:
    """Raise BrokenRuleError if `apply` makes a draw that is not due."""
    is_over = exam.game.outcome(state) is not None
    if exam.due_draw(state, SEEDS[0]) is not None:
        return
    if not is_over and exam.game.chance_type is exam.game.move_type:
        return  # it may be a legal move as well
    try:
        exam.game.apply(state, draw)
    except IllegalMoveError:
        return
    exam.examine(state)
    raise exam.broken("`apply` makes a draw that is not due")


def draws_survive_the_wire(exam: Examination) -> None:
    """A draw is the same after a record, and has a notation."""
    codec = MoveCodec(exam.game)
    for _, found in draws(exam):
        for draw in found:
            exam.move = draw
            wire = move_fields(draw)
            check_clean(exam, wire, "a draw")
            kept = json.loads(json.dumps({"chance": True, "move": wire}))
            if (read := codec.read_played(kept)) != draw:
                raise exam.broken(f"a record with this draw is read as {read!r}")
            if not (text := exam.game.notation(draw)).isprintable() or not text:
                raise exam.broken(f"the notation {text!r} is empty or has invisible characters")
        exam.move = None


RULES: Final = (draws_are_due_or_not, draws_are_applied, draws_survive_the_wire)
