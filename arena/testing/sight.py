"""What a seat learns of a move or draw, and what it can look at in a position.

A seat knows its own moves, and learns what `seen` returns for those of others. Everybody knows
whose turn it is, whether a draw is due and whether the game is over. In a game with
`is_known_by_view` a seat also learns what its view shows.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from arena.testing.examination import Examination
from protocol.vocabulary import Seat
from protocol.wording import quoted, shown
from referee.rules import move_fields

STREAMS: Final = range(8)
"""Seeds of different random numbers for the same draw."""
COMPARED: Final = 12
"""Limit of moves compared in a position."""
REDRAWN: Final = 64
"""Limit of draws compared in a position."""


class Step(NamedTuple):
    """A move of a seat, or a draw (None), between two positions."""

    mover: Seat | None
    before: Any
    move: Any
    after: Any


def steps_from(exam: Examination, state: Any) -> list[Step]:
    """Return steps from a position: some of the legal moves, or draws by different numbers."""
    game = exam.game
    if exam.due_draw(state, STREAMS[0]) is None:
        mover, found = game.turn(state), islice(game.legal(state), COMPARED)
    else:
        mover, found = None, islice(dict.fromkeys(_draws(exam, state)), REDRAWN)
    made = []
    for move in found:
        exam.move = move
        made.append(Step(mover, state, move, game.apply(state, move)))
    exam.move = None
    return made


def _draws(exam: Examination, state: Any) -> Iterator[Any]:
    yield from (exam.due_draw(state, seed) for seed in STREAMS)
    yield from exam.other_draws(state, STREAMS[0])


def seen_part(exam: Examination, step: Step, seat: Seat) -> Mapping[str, Any] | None:
    """Return what a seat learns of a step of another: all, some fields, or nothing (None)."""
    if not exam.game.has_hidden_information:
        return move_fields(step.move)
    return exam.game.seen(step.before, step.move, step.after, seat) or None


def course(exam: Examination, state: Any) -> tuple[Any, ...]:
    """Return what everybody knows of a position: the turn, a due draw, an open round, the end."""
    if exam.game.outcome(state) is not None:
        return ("over",)
    is_draw_due = exam.due_draw(state, STREAMS[0]) is not None
    turn = None if is_draw_due else exam.game.turn(state)
    return is_draw_due, turn, is_open(exam, state)


def is_open(exam: Examination, state: Any) -> bool:
    """Whether the moves of the round are withheld."""
    return exam.game.has_hidden_information and exam.game.is_round_open(state)


def look(exam: Examination, state: Any, seat: Seat) -> dict[str, Any]:
    """Return all that a seat can look at: each field of its view, pictures, texts, legal moves."""
    game = exam.game
    is_to_move = game.outcome(state) is None and game.turn(state) == seat
    return {
        **_fields(game.view(state, seat)),
        "diagram": game.diagram(state, seat),
        "caption": game.caption(state, seat),
        "pieces": dict(game.pieces(state, seat)) if game.layout(exam.seats) else {},
        "legal moves": list(game.legal(state)) if is_to_move else [],
    }


def _fields(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return a view by field, without the turn, which everybody knows."""
    return {f"view[{quoted(name)}]": view[name] for name in view if name != "turn"}


def difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """Return the first part that differs, with both of its values, or None."""
    name = next(differing_parts(one, other), None)
    return name and f"{name}: {shown(one.get(name))} and {shown(other.get(name))}"


def differing_parts(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the parts that differ."""
    for name in dict.fromkeys([*one, *other]):
        if name not in one or name not in other or one[name] != other[name]:
            yield name


def what_is_told(part: Mapping[str, Any] | None) -> str:
    """Return what a seat learns of a move or draw, as text."""
    return "nothing" if part is None else shown(dict(part))
