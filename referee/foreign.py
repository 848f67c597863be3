"""Matches refereed by another program: a game without rules, and the program's results.

Arena schedules, seeds, stores and rates such matches. The moves, the rules and the time of the bots
are the program's affair.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from protocol.vocabulary import Seat, Wire
from protocol.wording import escaped, quoted, shown
from referee.rules import Game, IllegalMoveError, NotationError, OptionError, Outcome

FOREIGN = "foreign"
"""Name of the game played by the runner of an event."""
NOT_REFEREED = "not refereed by arena"
"""Note in every table and record of such matches."""
ELSEWHERE = (
    f"{FOREIGN} is a game of another program: only `arena tournament` plays it, with a config that"
    " names the runner"
)
"""Reason why other commands refuse such a game."""
HIGHEST = 1_000_000_000
"""Limit of a score, and of its negative."""
MAX_REASON = 200
MAX_REPLAY = 1 << 20
"""Limit of the characters of a replay."""
MAX_TITLE = 60
MOST_SEATS = 6


class ForeignResultError(ValueError):
    """The result of the program is wrong; the text says why."""


class State(NamedTuple):
    """The seats of a match and the ones retired before its start."""

    seats: int
    seed: int
    """Seed of the board for the runner."""
    retired: tuple[Seat, ...] = ()


@dataclass(frozen=True)
class Move:
    """No move: another program referees."""


@dataclass(frozen=True, kw_only=True)
class Foreign(Game[State, Move]):
    """A game played by the `runner` of the event."""

    name: ClassVar[str] = FOREIGN
    summary: ClassVar[str] = "a game of another program, the runner of the event"
    seats: ClassVar[range] = range(2, MOST_SEATS + 1)
    move_type: ClassVar[type] = Move

    title: str
    """Name of the game."""
    program: str = ""
    """Hash of the files and arguments of the runner, filled in by Arena."""

    def __post_init__(self) -> None:
        if not self.title or len(self.title) > MAX_TITLE or not self.title.isprintable():
            raise OptionError("title", f"must be a name of 1 to {MAX_TITLE} printable characters")

    def start(self, seats: int, seed: int) -> State:
        """Return the state before the match."""
        return State(seats, seed)

    def turn(self, state: State) -> Seat:
        """Return seat 0: nobody is to move."""
        return 0

    def legal(self, state: State) -> Iterable[Move]:
        """Return nothing."""
        return ()

    def apply(self, state: State, move: Move) -> State:
        """Refuse every move."""
        raise IllegalMoveError(NOT_REFEREED)

    def outcome(self, state: State) -> Outcome | None:
        """Return the result if a seat has retired: all others win."""
        if not state.retired:
            return None
        rest = tuple(int(seat not in state.retired) for seat in range(state.seats))
        return Outcome.by_points(rest, "not played")

    def retire(self, state: State, seat: Seat) -> State:
        """Take a seat out before the match."""
        return state._replace(retired=(*state.retired, seat))

    def adjudicate(self, state: State, reason: str) -> Outcome:
        """Return a draw without points."""
        return Outcome.by_points((0,) * state.seats, reason)

    def notation(self, move: Move) -> str:
        """Return an empty text."""
        return ""

    def parse(self, text: str) -> Move:
        """Refuse every text."""
        raise NotationError(f"{quoted(text)}: {NOT_REFEREED}")

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        """Return the common fields."""
        return {"turn": 0, "ply": 0}

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        """Return a text in place of a board."""
        return f"{self.title}: {NOT_REFEREED}, so it has no board here"


@dataclass(frozen=True, kw_only=True)
class ForeignResult:
    """The program's text about a match."""

    outcome: Outcome
    replay: str = ""
    """Text of any form, without control characters."""


def read_result(output: str, seats: int) -> ForeignResult:
    """Return the result in the last line of an output; raises ForeignResultError."""
    lines = output.rstrip().split("\n")
    if not lines[-1]:
        raise ForeignResultError("it has printed nothing; its last line must be a result")
    try:
        found = json.loads(lines[-1], parse_constant=_refuse, parse_int=_whole)
    except (ValueError, RecursionError):
        raise ForeignResultError(
            f'its last line must be a result like {{"scores": [1, 0]}}, not {shown(lines[-1], 120)}'
        ) from None
    if not isinstance(found, dict):
        raise ForeignResultError("its result must be an object in braces")
    if unknown := found.keys() - {"scores", "places", "reason", "replay"}:
        raise ForeignResultError(f"its result has the unknown field {quoted(min(unknown)[:40])}")
    scores = _numbers(found, "scores", seats, -HIGHEST, HIGHEST)
    places = _numbers(found, "places", seats, 1, seats)
    if scores is None and places is None:
        raise ForeignResultError("its result has neither scores nor places")
    if scores is None:
        scores = tuple(seats - place for place in places or ())
    ranked = _ranked([-score for score in scores])
    if places is not None and places != _ranked(places):
        raise ForeignResultError(
            f"its places {list(places)} leave one out; two on place 1 are followed by place 3"
        )
    reason = _text(found, "reason", MAX_REASON) or "the result of the runner"
    return ForeignResult(
        outcome=Outcome(scores, places or ranked, " ".join(reason.split())),
        replay=_text(found, "replay", MAX_REPLAY),
    )


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _whole(digits: str) -> int:
    return int(digits) if len(digits) <= len(str(HIGHEST)) + 1 else HIGHEST + 1


def _numbers(
    found: dict[str, Any], key: str, seats: int, least: int, most: int
) -> tuple[int, ...] | None:
    values = found.get(key)
    if values is None:
        return None
    if not isinstance(values, list) or len(values) != seats:
        count = f"{len(values)} values" if isinstance(values, list) else "no list"
        raise ForeignResultError(f"its {key} must be a list of {seats} numbers; it is {count}")
    for value in values:
        if type(value) is not int or not least <= value <= most:
            raise ForeignResultError(
                f"its {key} must be whole numbers from {least} to {most},"
                f" not {shown(json.dumps(value), 40)}"
            )
    return tuple(values)


def _ranked(keys: Sequence[int]) -> tuple[int, ...]:
    return tuple(1 + sum(other < key for other in keys) for key in keys)


def _text(found: dict[str, Any], key: str, most: int) -> str:
    value = found.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ForeignResultError(f"its {key} must be text")
    if len(value) > most:
        raise ForeignResultError(f"its {key} has {len(value)} characters; {most} are allowed")
    return escaped(value, keep="\n")
