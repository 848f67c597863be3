"""Result of a command: the content of its report files in all forms."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, Self

from arena.ratings.rating import Ratings
from arena.ratings.text import rated
from arena.reports.escaping import cut
from arena.reports.notes import notes_of
from arena.results.standings import Table
from arena.results.store import EventRow, MatchRow, Store
from arena.shell_words import db_option
from referee.records.record import Fault, SeatReport

MOST_FAULTS = 500
"""Limit of faults with details; further faults are only counted."""
DETAIL = 2000
"""Limit of characters of a fault's detail."""
OUTPUT = 4000
"""Limit of characters of a bot's last output."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultNote:
    """A fault with details for its bot's author."""

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
    """Last lines of the bot's output."""
    replay: str
    """The command that shows the match."""

    def headline(self) -> str:
        """Return bot, seat and fault in one line."""
        return f"{self.bot} (seat {self.seat}): {self.termination}, {self.call}, ply {self.ply}"

    def text(self) -> str:
        """Return the other details as lines."""
        lines = [self.detail]
        if self.exit:
            lines.append(f"the process had ended: {self.exit}")
        if self.output:
            lines += ["its last output:", *(f"  {line}" for line in self.output.split("\n"))]
        return "\n".join([*lines, f"replay it with: {self.replay}"])


@dataclass(frozen=True, kw_only=True)
class PlayedEvent:
    """An event and its played matches."""

    event: EventRow
    db: str
    table: Table
    ratings: Ratings
    matches: tuple[MatchRow, ...]
    faults: tuple[FaultNote, ...]
    """The first faults, at most MOST_FAULTS."""
    fault_count: int
    notes: tuple[tuple[str, str], ...]
    """Updates and earlier versions, as titles and lines of text."""

    @classmethod
    def read(cls, store: Store, event: EventRow, table: Table) -> Self:
        """Read all played matches of an event; `table` has its standings."""
        return cls(
            event=event,
            db=str(store.path),
            table=table,
            ratings=rated(event, table.outcomes),
            matches=tuple(store.matches(event.id)),
            faults=tuple(islice(faults_of(store, store.faulty_matches(event.id)), MOST_FAULTS)),
            fault_count=sum(row.faults for row in table.rows.values()),
            notes=tuple(notes_of(store, event)),
        )


@dataclass(frozen=True, kw_only=True)
class Report:
    """Result of a command."""

    command: str
    """tournament, match, gate, merge or tune."""
    outcome: Outcome
    exit_code: int
    headline: str
    """The verdict in a sentence."""
    detail: str = ""
    """Details, as plain text lines."""
    facts: Sequence[tuple[str, str]] = ()
    """Facts behind the verdict, as names and texts."""
    badge: str = ""
    """The outcome in a few words; the outcome itself if empty."""
    gate: Mapping[str, Any] | None = None
    """The verdict of a gate as plain values."""
    tune: Mapping[str, Any] | None = None
    """The finding of a tuning as plain values."""
    played: PlayedEvent | None = None
    """None if nothing was played."""
    missing: int = 0
    """Number of unplayed matches, or its upper bound if it depends on results."""
    undecided: tuple[str, ...] = ()
    """Keys of void matches."""

    @property
    def is_good(self) -> bool:
        """Whether the command succeeded."""
        return self.outcome in ("finished", "passed")

    @property
    def is_verdict(self) -> bool:
        """Whether a bad outcome is due to bots, not machine, user or internal error."""
        return self.outcome in ("failed", "undecided", "faults")


def standing_line(table: Table, matches: int) -> str:
    """Return the leaders of a table in one line."""
    ranked = table.ranked()
    first = [row.player for rank, row in ranked if rank == 1]
    if matches == 0 or len(first) == len(ranked):
        return ""
    verb = "is" if len(first) == 1 else "are"
    return f"{' and '.join(first)} {verb} first of {len(ranked)}"


def replay_command(match: int, db: str) -> str:
    """Return the command that shows a match."""
    return f"arena replay {match}{db_option(db)}"


def faults_of(store: Store, matches: Iterable[MatchRow]) -> Iterator[FaultNote]:
    """Yield the faults of matches; those of withdrawn players are none."""
    for match in matches:
        if not match.has_fault:
            continue
        record = store.record(match.id)
        for fault in record.verdict.faults:
            if not match.seats[fault.seat].is_unplayed:
                yield _note(match, fault, record.seats[fault.seat], str(store.path))


def _note(match: MatchRow, fault: Fault, seat: SeatReport, db: str) -> FaultNote:
    tail = seat.output_tail.strip(" \r\n")[-OUTPUT:].split("\n")[-OUTPUT_LINES:]
    return FaultNote(
        match=match.id,
        key=match.key,
        seat=fault.seat,
        bot=seat.name,
        termination=fault.termination,
        call=fault.call,
        ply=fault.ply,
        detail=cut(fault.detail, DETAIL),
        exit=seat.exit,
        output="\n".join(tail),
        replay=replay_command(match.id, db),
    )
