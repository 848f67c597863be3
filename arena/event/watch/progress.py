"""The followers of an event: a terminal, a pipe, or a live page implements these protocols."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, Self

from arena.event.plan import Plan
from arena.results.secrecy import sealed, seed_part
from arena.results.standings import Table
from arena.results.store import EventRow, MatchRow
from arena.shell_words import db_option
from arena.text import plural
from referee.job import Job


class Progress(Protocol):
    """Follows the matches of one event; entered before the first, exited after the last."""

    def __enter__(self) -> Self:
        """Start showing the event."""

    def __exit__(self, *_: object) -> None:
        """Stop showing the event."""

    def finished(self, match: MatchRow) -> None:
        """Receive a finished and stored match."""

    def expect(self, total: int) -> None:
        """Receive a new total of matches, if the total depends on results."""

    def running(self, jobs: Sequence[Job]) -> None:
        """Receive the running matches, a few times a second."""

    def say(self, line: str) -> None:
        """Receive a notice of one line."""


class Announcer(Protocol):
    """Receives the notices and follows the events of a command."""

    def say(self, line: str) -> None:
        """Receive a notice, of one line or more."""

    def follow(self, total: int, done: int, table: Table) -> Progress:
        """Return the progress of an event; `table`, kept current, has its standings."""


def follow(announcer: Announcer, plan: Plan, total: int, done: int, table: Table) -> Progress:
    """Return the progress of an event, told at once if its total is an upper bound only."""
    progress = announcer.follow(total, done, table)
    if not plan.format.is_fixed:
        progress.expect(total)
    return progress


def announced(db: Path, event: EventRow, plan: Plan, total: int, played: int) -> str:
    """Return what is said of an event before its matches: its place, their number, the seed."""
    counts = f"{plural(total, 'match')}, {played} played before, {plural(plan.slots, 'slot')}"
    lines = [f"{plan.name}: event {event.id} in {db}{seed_part(event)}, {counts}"]
    lines += [plan.crowding] if plan.crowding else []
    if total > 1:  # one match is never balanced
        lines += [f"not quite balanced: {line}" for line in plan.format.imbalance]
    if plan.openings and (warning := plan.openings.warning(plan.pairings)):
        lines.append(f"warning: {warning}")
    if played == 0 and event.config.get("format") not in ("gate", "tune"):
        lines += sealed(event, f"arena close {event.id}{db_option(db)}")
    return "\n".join(lines)
