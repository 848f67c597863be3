"""What a command has come to: everything that its files say, whatever their form."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any, Literal, Self

from arena.ratings.rating import Ratings, rate
from arena.reports.escaping import cut
from arena.results.standings import Table
from arena.results.store import EventRow, MatchRow, SeatRow, Store
from arena.text import db_option, score
from referee.record import Fault, SeatReport

MOST_FAULTS = 500
"""Faults that are told with all that is known of them; the rest are counted."""
DETAIL = 2000
"""Characters of what a fault was."""
OUTPUT = 4000
"""Characters of a bot's last output."""
OUTPUT_LINES = 20

Outcome = Literal[
    "finished",
    "incomplete",
    "interrupted",
    "halted",
    "passed",
    "failed",
    "undecided",
    "faults",
    "open",
    "error",
]


@dataclass(frozen=True, slots=True)
class Case:
    """A finished match."""

    number: int
    key: str
    players: tuple[str, ...]
    result: str
    termination: str
    fault: str | None
    """The fault of it, if there is one, in a few words."""
    wall_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultNote:
    """A fault and what its bot's author wants to know."""

    match: int
    key: str
    seat: int
    bot: str
    termination: str
    call: str
    ply: int
    detail: str
    exit: str | None
    output: str
    """The last lines that the bot printed."""
    replay: str
    """The command that shows the match."""

    def headline(self) -> str:
        """Return who did what, in a line."""
        return f"{self.bot} (seat {self.seat}): {self.termination}, {self.call}, ply {self.ply}"

    def text(self) -> str:
        """Return everything else, in lines."""
        lines = [self.detail]
        if self.exit:
            lines.append(f"the process had ended: {self.exit}")
        if self.output:
            lines += ["its last output:", *(f"  {line}" for line in self.output.split("\n"))]
        return "\n".join([*lines, f"replay it with: {self.replay}"])


@dataclass(frozen=True, kw_only=True)
class Played:
    """An event and what was played of it."""

    event: EventRow
    db: str
    table: Table
    ratings: Ratings
    cases: tuple[Case, ...]
    faults: tuple[FaultNote, ...]
    """The first of them, up to MOST_FAULTS."""
    fault_count: int

    @classmethod
    def read(cls, store: Store, event: EventRow, table: Table) -> Self:
        """Read all that was played of an event; `table` has it added up."""
        matches = store.matches(event.id)
        cases = tuple(_case(match) for match in matches)
        return cls(
            event=event,
            db=str(store.path),
            table=table,
            ratings=rate(match.seats for match in store.matches(event.id)),
            cases=cases,
            faults=tuple(islice(_faults(store, cases), MOST_FAULTS)),
            fault_count=sum(row.faults for row in table.rows.values()),
        )


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a command has come to."""

    command: str
    """tournament, match, gate or merge."""
    outcome: Outcome
    exit_code: int
    headline: str
    """The verdict in a sentence."""
    detail: str = ""
    """What there is to say to it in lines, as people read them."""
    facts: Sequence[tuple[str, str]] = ()
    """What it rests on: names and texts."""
    badge: str = ""
    """The outcome in a few words; the outcome itself if empty."""
    gate: Mapping[str, Any] | None = None
    """The verdict of a gate as plain values."""
    played: Played | None = None
    """None: it came to nothing."""
    missing: int = 0
    """Matches that were not played: at most, where that depends on results."""
    undecided: tuple[str, ...] = ()
    """Keys of matches that stayed void."""

    @property
    def is_good(self) -> bool:
        """Whether it is what was hoped for."""
        return self.outcome in ("finished", "passed")

    @property
    def is_verdict(self) -> bool:
        """Whether bots are to blame if it is not good, and not the machine, the user or us."""
        return self.outcome in ("failed", "undecided", "faults")


def standing_line(table: Table, matches: int) -> str:
    """Return who leads a table, in a line."""
    ranked = table.ranked()
    first = [row.player for rank, row in ranked if rank == 1]
    if matches == 0 or len(first) == len(ranked):
        return ""
    verb = "is" if len(first) == 1 else "are"
    return f"{' and '.join(first)} {verb} first of {len(ranked)}"


def replay_command(match: int, db: str) -> str:
    """Return the command that shows a match."""
    return f"arena replay {match}{db_option(db)}"


def _case(match: MatchRow) -> Case:
    seats = ", ".join(f"{seat.player} {score(Decimal(seat.score))}" for seat in match.seats)
    faults = [f"{seat.player}: {seat.fault}" for seat in match.seats if seat.fault]
    return Case(
        number=match.id,
        key=match.key,
        players=tuple(seat.player for seat in match.seats),
        result=f"{seats}: {match.reason} after {match.plies} plies",
        termination=match.termination,
        fault=", ".join(faults) or None,
        wall_ns=sum(map(_wall_ns, match.seats)),
    )


def _wall_ns(seat: SeatRow) -> int:
    return seat.wall_ns


def _faults(store: Store, cases: Sequence[Case]) -> Iterator[FaultNote]:
    for case in cases:
        if case.fault is None:
            continue
        record = store.record(case.number)
        for fault in record.verdict.faults:
            yield _note(case, fault, record.seats[fault.seat], str(store.path))


def _note(case: Case, fault: Fault, seat: SeatReport, db: str) -> FaultNote:
    tail = seat.output_tail.strip(" \r\n")[-OUTPUT:].split("\n")[-OUTPUT_LINES:]
    return FaultNote(
        match=case.number,
        key=case.key,
        seat=fault.seat,
        bot=seat.name,
        termination=fault.termination,
        call=fault.call,
        ply=fault.ply,
        detail=cut(fault.detail, DETAIL),
        exit=seat.exit,
        output="\n".join(tail),
        replay=replay_command(case.number, db),
    )
