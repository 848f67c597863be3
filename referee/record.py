"""What is kept of a match: enough to show, replay and verify it, and to blame the right one.

A record is a JSON map; times are nanoseconds, moves and claims stand as on the wire, and
seeds are texts, since many readers of JSON round what has more than 53 bits. `FORMAT` grows when
its shape changes.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from protocol.vocabulary import Seat, Termination
from referee.job import Job, ScoreRule

FORMAT = 1
NANOSECONDS = Decimal(1_000_000_000)


class Spent(NamedTuple):
    """What one call cost."""

    wall_ns: int = 0
    cpu_ns: int = 0
    charged_ns: int = 0
    grace_ns: int = 0
    """How much of the charge was over the limit and forgiven as host noise."""


@dataclass(frozen=True, kw_only=True)
class NullCost:
    """What a null call costs: medians of some pings. Shown, but no charge depends on it."""

    wall_ns: int
    """Wall time of the round trip."""
    cpu_ns: int
    """CPU time of the bot."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A seat's own fault, and the call it happened in."""

    seat: Seat
    termination: Termination
    detail: str
    call: str
    ply: int


@dataclass(kw_only=True)
class SeatReport:
    """What is known about one seat at the end."""

    name: str
    content: str
    hello: dict[str, Any] = field(default_factory=dict)
    wall_ns: int = 0
    cpu_ns: int = 0
    charged_ns: int = 0
    off_turn_ns: int = 0
    start_cpu_ns: int | None = None
    """CPU time before the first init; None for a process that was there before, or never came."""
    grace_ns: int = 0
    near_limit: int = 0
    """Replies that used more than 90 % of their limit: a slower host may make them late."""
    strays: int = 0
    null: NullCost | None = None
    is_clock_exact: bool = True
    in_force: dict[str, str] = field(default_factory=dict)
    """What holds the bot to each of its limits, and as whom it ran."""
    output_tail: str = ""
    output_bytes: int = 0
    exit: str | None = None
    """How its process ended by itself, if it did."""
    warning: str | None = None
    """What was not right but cost nothing, like a missing bye."""

    def add(self, call: Mapping[str, Any]) -> None:
        """Add what a call of this seat cost."""
        self.wall_ns += call["wall_ns"]
        self.cpu_ns += call["cpu_ns"]
        self.charged_ns += call["charged_ns"]
        self.grace_ns += call["grace_ns"]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How the match ended and what each seat gets."""

    termination: Termination
    reason: str
    points: tuple[int, ...]
    places: tuple[int, ...]
    scores: tuple[str, ...]
    """Points after the time penalty, as text decimals."""
    faults: tuple[Fault, ...] = ()

    @property
    def offenders(self) -> tuple[Seat, ...]:
        """The seats at fault, in the order of their faults."""
        return tuple(fault.seat for fault in self.faults)


@dataclass(kw_only=True)
class Record:
    """One match, as it is kept."""

    job: Job
    calls: list[dict[str, Any]] = field(default_factory=list)
    """Every charged call in order: seat, call, times, and for a move what was played."""
    seats: list[SeatReport] = field(default_factory=list)
    verdict: Verdict | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the record as plain values that JSON can hold."""
        job = asdict(self.job)
        players = [asdict(player) for player in self.job.players]
        for player in players:
            for name in ("folder", "argv", "tier", "scratch", "installations"):
                del player[name]
        return {
            "format": FORMAT,
            "key": self.job.key,
            "game": self.job.game,
            "options": job["options"],
            "players": players,
            "seed": str(self.job.seed),
            "board_seed": str(self.job.board_seed),
            "history": list(self.job.history),
            "claims": self.job.claims,
            "time": job["time"],
            "limits": job["limits"],
            "score": {
                name: None if value is None else str(value) for name, value in job["score"].items()
            },
            "max_plies": self.job.max_plies,
            "calls": self.calls,
            "seats": [asdict(seat) for seat in self.seats],
            "verdict": asdict(self.verdict) if self.verdict else None,
        }


def score(rule: ScoreRule, points: int, charged_ns: int) -> Decimal:
    """Return the score that points are worth after the charged time."""
    value = Decimal(points)
    if rule.percent_per_ms is not None:
        milliseconds = Decimal(charged_ns) / 1_000_000
        value *= max(Decimal(0), 1 - rule.percent_per_ms / 100 * milliseconds)
    if rule.per_second is not None:
        value -= rule.per_second * charged_ns / NANOSECONDS
    if rule.floor is not None:
        value = max(rule.floor, value)
    return value


def to_text(value: Decimal) -> str:
    """Return a score as a text decimal of at most six places."""
    # + 0 makes 0 of -0, which a charge below half a microsecond gives
    return format(value.quantize(Decimal("0.000001")).normalize() + 0, "f")
