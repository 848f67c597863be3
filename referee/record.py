"""The record of a match: enough to show, replay and verify it, and to name the seat at fault.

As JSON a record is a map: times in nanoseconds, moves and claims as on the wire, seeds as texts,
since many JSON readers round integers above 53 bits. `FORMAT` grows when the shape changes.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Self

from pydantic import TypeAdapter

from protocol.messages import Fields
from protocol.vocabulary import Seat, Termination
from referee.job import Job

FORMAT = 1
_LOCAL = ("folder", "source", "argv", "tier", "scratch", "installations")
"""Fields of a player for this machine only; a record leaves them out."""


class Spent(NamedTuple):
    """Cost of one call."""

    wall_ns: int = 0
    cpu_ns: int = 0
    charged_ns: int = 0
    grace_ns: int = 0
    """Part of the charge above the limit, forgiven as host noise."""


@dataclass(kw_only=True)
class Call:
    """One charged call: its cost, and the content of the reply."""

    seat: Seat
    call: str
    """Type of the call; `start` for a bot without a hello."""
    ply: int
    wall_ns: int = 0
    cpu_ns: int = 0
    charged_ns: int = 0
    grace_ns: int = 0
    move: Fields | None = None
    """The move as on the wire; None unless one was played."""
    notation: str | None = None
    claims: Fields | None = None
    note: str | None = None
    left_ms: int | None = None
    """Bank after the move; None without a bank."""
    resign: bool = False
    done: bool = False
    picture: list[str] | None = None
    """Reply to a display call."""
    fault: Termination | None = None

    def to_json(self) -> dict[str, Any]:
        """Return a map for JSON, without the empty fields."""
        return {
            name: value
            for name, value in vars(self).items()
            if value is not None and value is not False
        }


@dataclass(frozen=True, kw_only=True)
class NullCost:
    """Cost of a null call: medians of some pings. Shown, but no charge depends on it."""

    wall_ns: int
    """Wall-clock time of the round trip."""
    cpu_ns: int
    """CPU time of the bot."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault of a seat, and the call at which it happened."""

    seat: Seat
    termination: Termination
    detail: str
    call: str
    ply: int

    def __str__(self) -> str:
        return f"{self.termination}, call {self.call}: {self.detail}"


@dataclass(kw_only=True)
class SeatReport:
    """Costs, limits and output of one seat over a match."""

    name: str
    content: str
    hello: dict[str, Any] = field(default_factory=dict)
    wall_ns: int = 0
    cpu_ns: int = 0
    charged_ns: int = 0
    off_turn_ns: int = 0
    start_cpu_ns: int | None = None
    """CPU time before the first init; None for a kept process, and without a hello."""
    grace_ns: int = 0
    near_limit: int = 0
    """Replies above 90 % of their limit: on a slower host they may be late."""
    strays: int = 0
    null: NullCost | None = None
    is_clock_exact: bool = True
    in_force: dict[str, str] = field(default_factory=dict)
    """Mechanism behind each limit, and the user of the process."""
    output_tail: str = ""
    output_bytes: int = 0
    exit: str | None = None
    """How the process ended by itself; None if it did not."""
    warning: str | None = None
    """A defect without a penalty, like a missing bye."""

    def add(self, call: Call) -> None:
        """Add the cost of a call of this seat."""
        self.wall_ns += call.wall_ns
        self.cpu_ns += call.cpu_ns
        self.charged_ns += call.charged_ns
        self.grace_ns += call.grace_ns


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The end of a match, and the result of each seat."""

    termination: Termination
    reason: str
    points: tuple[int, ...]
    places: tuple[int, ...]
    scores: tuple[str, ...]
    """Points after the time penalty, as text decimals."""
    faults: tuple[Fault, ...] = ()

    @property
    def offenders(self) -> tuple[Seat, ...]:
        """Seats at fault, in the order of their faults."""
        return tuple(fault.seat for fault in self.faults)


@dataclass(kw_only=True)
class Record:
    """One finished match."""

    job: Job
    """The job of the match; read from JSON, without its `_LOCAL` fields."""
    calls: list[Call]
    """Every charged call, in order."""
    seats: list[SeatReport]
    verdict: Verdict

    @property
    def plies(self) -> int:
        """Number of moves, without those of the history."""
        return sum(call.move is not None for call in self.calls)

    def to_json(self) -> dict[str, Any]:
        """Return the record as a map for JSON."""
        job = asdict(self.job)
        for player in job["players"]:
            for name in _LOCAL:
                del player[name]
        score = {name: None if part is None else str(part) for name, part in job["score"].items()}
        return {
            "format": FORMAT,
            **{name: job[name] for name in ("key", "game", "options", "players")},
            "seed": str(self.job.seed),
            "board_seed": str(self.job.board_seed),
            **{name: job[name] for name in ("history", "claims", "time", "limits")},
            "score": score,
            "max_plies": self.job.max_plies,
            "calls": [call.to_json() for call in self.calls],
            "seats": [asdict(seat) for seat in self.seats],
            "verdict": asdict(self.verdict),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return the record of a map read from JSON; raises ValueError, LookupError, TypeError."""
        players = [{"argv": (), "folder": "", **player} for player in stored["players"]]
        return cls(
            job=_JOBS.validate_python({**stored, "players": players}),
            calls=_CALLS.validate_python(stored["calls"]),
            seats=_SEATS.validate_python(stored["seats"]),
            verdict=_VERDICTS.validate_python(stored["verdict"]),
        )


_JOBS = TypeAdapter(Job)
_CALLS = TypeAdapter(list[Call])
_SEATS = TypeAdapter(list[SeatReport])
_VERDICTS = TypeAdapter(Verdict)
