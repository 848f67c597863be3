"""The record of a match: enough to show, replay and verify it, and to name the seat at fault.

As JSON a record is a map: calls in columns, times in nanoseconds, moves and claims as on the wire,
seeds as texts, since many JSON readers round integers above 53 bits. `FORMAT` grows when the shape
changes. A referee encodes this map once; the director stores these bytes as they are, beside the
few values that tables of results need (`Finished`).
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, TypeAdapter

from protocol.codec import MAX_REPLY_BYTES, read_stored, stored
from protocol.vocabulary import Seat, Termination
from referee.foreign import NOT_REFEREED
from referee.job import Job, essence
from referee.records.calls import Calls, Spent
from referee.records.result import Finished, SeatRow

FORMAT = 2
RECORD_BYTES = 1 << 29
"""Limit of a packed record to read: some 100,000 plies with the longest remarks."""
MAX_REST_BYTES = 1 << 26
"""Limit of all but the calls of a packed record to read: more than a runner's account takes."""
MAX_VALUE_BYTES = 16 * MAX_REPLY_BYTES
"""Limit of one value of a call: a reply, with room for escapes."""
RECORD_DEPTH = 32
"""Limit of the levels of options, moves and hellos in a record, the same as in configs."""
_LOCAL = {
    "folder",
    "source",
    "argv",
    "tier",
    "scratch",
    "installations",
    "processes",
    "guests",
    "door",
    "remote",
}
"""Fields of a player for this machine only; a record leaves them out."""
_TERMS = ("history", "claims", "time", "limits", "score", "max_plies", "adjudicate")
"""Fields copied from a job to its record."""
_DECIMAL = r"^-?[0-9]{1,22}(\.[0-9]{1,6})?$"
"""A score as `scoring.to_text` writes it: an exponent could stand for a billion digits."""
_OMITTED_IF_UNSET = ("increment_ns", "bank_moves")
"""Fields of a time control left out of a record without a value, as in older records."""


@dataclass(frozen=True, kw_only=True)
class NullCost:
    """Cost of a null call: medians of some pings. Shown, but no charge depends on it."""

    wall_ns: int
    """Wall-clock time of the round trip."""
    cpu_ns: int
    """CPU time of the bot."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault of a seat and its call."""

    seat: Seat
    termination: Termination
    detail: str
    call: str
    ply: int

    def __str__(self) -> str:
        return f"{self.termination}, call {self.call}: {self.detail}"


class Printed(NamedTuple):
    """A part of the output of a bot: what it printed from one of its calls to the next."""

    call: Annotated[int, Field(ge=0)]
    """Number of the call among those of its seat, from 1; 0 for all before the first one."""
    text: str
    dropped: Annotated[int, Field(ge=0)] = 0
    """Bytes before it that are not kept."""


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
    """Size of the whole output; `output_tail` is its end."""
    printed: list[Printed] = field(default_factory=list)
    """The output by calls, as far as `limits.output` allows; left out of a record if empty."""
    exit: str | None = None
    """Exit code or signal of the process, in words; None if Arena ended it."""
    warning: str | None = None
    """A defect without a penalty, like a missing bye."""

    def add(self, spent: Spent) -> None:
        """Add the cost of calls of this seat."""
        self.wall_ns += spent.wall_ns
        self.cpu_ns += spent.cpu_ns
        self.charged_ns += spent.charged_ns
        self.grace_ns += spent.grace_ns


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The end of a match, and the result of each seat."""

    termination: Termination
    reason: str
    points: tuple[int, ...]
    places: tuple[int, ...]
    scores: tuple[Annotated[str, Field(pattern=_DECIMAL)], ...]
    """Points after the time penalty, as text decimals."""
    faults: tuple[Fault, ...] = ()

    @property
    def offenders(self) -> tuple[Seat, ...]:
        """Seats at fault, in the order of their faults."""
        return tuple(fault.seat for fault in self.faults)

    @property
    def is_fault_of_all(self) -> bool:
        """Whether every seat was at fault: such a match is no draw, though the places are equal."""
        return len(set(self.offenders)) == len(self.points)


@dataclass(frozen=True, kw_only=True)
class ForeignReport:
    """The record of a match refereed by another program."""

    program: str
    """Hash of the program."""
    wall_ns: int
    """Time of the whole match."""
    replay: str = ""
    """The program's own account of the match."""
    output_tail: str = ""


def stored_fields(body: bytes) -> dict[str, Any]:
    """Return the unchecked fields of a body; raises ValueError, LookupError or TypeError."""
    try:
        data = _decompressed(body)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    fields = read_stored(data)
    if not isinstance(fields, dict):
        raise TypeError("it is no map")
    if fields["format"] != FORMAT:
        raise ValueError(f"its format is {fields['format']}; this version reads {FORMAT}")
    if len(data) > MAX_REST_BYTES:
        rest = {name: value for name, value in fields.items() if name != "calls"}
        if len(stored(rest)) > MAX_REST_BYTES:
            raise ValueError(f"it has more than {MAX_REST_BYTES >> 20} MB beside its calls")
    if len(data) > MAX_VALUE_BYTES:
        _check_calls(fields["calls"])
    return fields


def _check_calls(columns: object) -> None:
    """Raise ValueError if a value is larger than any that a bot or a game has sent."""
    if not isinstance(columns, dict):
        raise TypeError("its calls are no map")
    if any(_is_large(value) for column in columns.values() for value in column):
        raise ValueError(f"a value of a call has more than {MAX_VALUE_BYTES >> 10} kB")


def _is_large(value: object) -> bool:
    if value is None or isinstance(value, int | float):
        return False
    return len(value if isinstance(value, str) else stored(value)) > MAX_VALUE_BYTES


@dataclass(kw_only=True)
class Record:
    """One finished match."""

    job: Job
    """The job of the match; a stored record has none of its `_LOCAL` fields."""
    calls: Calls
    """Every charged call, in order."""
    seats: list[SeatReport]
    verdict: Verdict
    foreign: ForeignReport | None = None
    """Set if another program has refereed the match; such a record has no calls."""

    @property
    def plies(self) -> int:
        """Number of moves and draws, without those of the history."""
        return self.calls.plies

    def finished(self) -> Finished:
        """Return the match in its stored form."""
        return Finished(
            key=self.job.key,
            termination=self.verdict.termination,
            reason=self.verdict.reason,
            plies=self.plies,
            essence=essence(self.job),
            contents=tuple(player.content for player in self.job.players),
            seats=tuple(self._rows()),
            body=zlib.compress(stored(self.to_json()), 1),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the record as a map for JSON."""
        job = JOBS.dump_python(self.job, mode="json", exclude={"players": {"__all__": _LOCAL}})
        for player in job["players"]:
            for name in ("settings", "time"):
                if not player[name]:  # as in older records
                    del player[name]
        for time in (job["time"], *(each["time"] for each in job["players"] if "time" in each)):
            for name in _OMITTED_IF_UNSET:
                if time[name] is None:
                    del time[name]
        if job["adjudicate"] is None:
            del job["adjudicate"]
        return {
            "format": FORMAT,
            **{name: job[name] for name in ("key", "game", "options", "players")},
            "seed": str(self.job.seed),
            "board_seed": str(self.job.board_seed),
            **{name: job[name] for name in _TERMS if name in job},
            "calls": self.calls.columns(),
            "seats": [_report(seat) for seat in self.seats],
            "verdict": _VERDICTS.dump_python(self.verdict, mode="json"),
            **self._foreign(),
        }

    @classmethod
    def from_bytes(cls, body: bytes) -> Self:
        """Return the record of `Finished.body`; raises ValueError, LookupError, TypeError."""
        return cls.from_json(stored_fields(body))

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return the record of a map read from JSON; raises ValueError, LookupError, TypeError."""
        players = [{"argv": (), "folder": "", **player} for player in stored["players"]]
        record = cls(
            job=JOBS.validate_python({**stored, "players": players}),
            calls=Calls.from_columns(stored["calls"]),
            seats=_SEATS.validate_python(stored["seats"]),
            verdict=_VERDICTS.validate_python(stored["verdict"]),
            foreign=_FOREIGN.validate_python(stored.get("foreign")),
        )
        record._check_seats()
        hellos = [seat.hello for seat in record.seats]
        _check_json((record.job.options, record.job.history, hellos), RECORD_DEPTH + 2)
        return record

    def _check_seats(self) -> None:
        """Raise ValueError unless all parts are of the seats of the players."""
        verdict, seats = self.verdict, range(len(self.job.players))
        parts = (self.seats, verdict.points, verdict.places, verdict.scores)
        if {len(seats), *map(len, parts)} != {len(seats)}:
            raise ValueError("its parts have different numbers of seats")
        if 1 not in verdict.places or not {*verdict.places} <= {seat + 1 for seat in seats}:
            raise ValueError("the places of its seats are those of no match")
        if not {None, *seats}.issuperset((*self.calls.column("seat"), *verdict.offenders)):
            raise ValueError("a seat of its calls or faults has no player")

    def _foreign(self) -> dict[str, Any]:
        if self.foreign is None:
            return {}
        kept = _FOREIGN.dump_python(self.foreign, mode="json")
        return {"foreign": {"note": NOT_REFEREED, **kept}}

    def _null_ns(self, seat: Seat) -> int | None:
        """Return the null call's time of a bot of this machine; None for a remote bot."""
        null = self.seats[seat].null
        return None if null is None or self.job.player(seat).is_remote else null.wall_ns

    def _rows(self) -> list[SeatRow]:
        verdict = self.verdict
        faults = {fault.seat: fault.termination for fault in verdict.faults}
        unplayed = {absence.seat for absence in self.job.absences if absence.is_withdrawal}
        return [
            SeatRow(
                player=seat.name,
                points=verdict.points[number],
                place=verdict.places[number],
                score=verdict.scores[number],
                fault=faults.get(number),
                wall_ns=seat.wall_ns,
                cpu_ns=seat.cpu_ns,
                charged_ns=seat.charged_ns,
                grace_ns=seat.grace_ns,
                near_limit=seat.near_limit,
                null_ns=self._null_ns(number),
                is_unplayed=number in unplayed,
                is_clock_exact=seat.is_clock_exact,
            )
            for number, seat in enumerate(self.seats)
        ]


def _report(seat: SeatReport) -> dict[str, Any]:
    """Return the report of a seat for JSON."""
    report: dict[str, Any] = _SEAT.dump_python(seat, mode="json")
    if not seat.printed:
        del report["printed"]
    return report


def _check_json(value: object, levels: int) -> None:
    """Raise ValueError unless a value is one of JSON with no more levels than these."""
    if value is None or isinstance(value, str | int | float):
        return
    if not isinstance(value, dict | list | tuple) or not all(
        isinstance(key, str) for key in (value if isinstance(value, dict) else ())
    ):
        raise ValueError("a value is none of JSON")
    if not levels:
        raise ValueError(f"a value is nested deeper than {RECORD_DEPTH}")
    for inner in value.values() if isinstance(value, dict) else value:
        _check_json(inner, levels - 1)


def _decompressed(body: bytes) -> bytes:
    """Return the data of a compressed body; raises ValueError if they would fill the memory."""
    reader = zlib.decompressobj()
    data = reader.decompress(body, RECORD_BYTES)
    if not reader.eof or reader.unused_data:
        raise ValueError(f"it is cut off, or above {RECORD_BYTES >> 20} MB")
    return data


JOBS = TypeAdapter(Job)
"""Encodes and reads jobs."""
_FOREIGN = TypeAdapter(ForeignReport | None)
_SEAT = TypeAdapter(SeatReport)
_SEATS = TypeAdapter(list[SeatReport])
_VERDICTS = TypeAdapter(Verdict)
