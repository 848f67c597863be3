"""Results as text: events, standings, matches."""

import sys
from collections.abc import Iterable
from decimal import Decimal
from textwrap import indent

from arena import text
from arena.formats.event_results import format_text, has_score_rule, progress_text
from arena.machine.host_noise import HostNoise
from arena.ratings.text import elo_cells, rated, scale_text
from arena.reports.notes import notes_of
from arena.results.secrecy import seed_part, told_seed
from arena.results.standings import Table
from arena.results.store import EventRow, MatchRow, Store
from arena.terminal.tables import crosstable_text, fitted, standings_text
from arena.terminal.tones import tone_of
from referee.job import kind_of


def events_text(store: Store, *, has_quick: bool = False) -> str:
    """List the events, oldest first; those of `arena match` with `has_quick`, or if all are."""
    rows = []
    events = store.events()
    usual = [event for event in events if not event.config.get("is_quick")]
    shown = events if has_quick or not usual else usual
    for event in shown:
        played = progress_text(store, event)
        created = event.created[:16].replace("T", " ")
        bots = ", ".join(event.entrants)
        rows.append(
            [str(event.id), event.name, created, told_seed(event) or "secret", played, bots]
        )
    header = ["event", "name", "begun (UTC)", "seed", "matches", "bots"]
    lines = [fitted(header, rows, left=6, spare=("seed", "begun (UTC)"))]
    if hidden := len(events) - len(shown):
        lines += [f"and {text.plural(hidden, 'run')} of `arena match`; --all lists them"]
    return "\n".join(lines)


def event_text(store: Store, event: EventRow, table: Table, *, has_reasons: bool = True) -> str:
    """Return standings, crosstable, notes and voids of an event; `has_reasons` is of `notes_of`."""
    ratings = rated(event, table.outcomes)
    elo = elo_cells(event, ratings)
    parts = [f"{event.name} (event {event.id}{seed_part(event)})"]
    if by_format := format_text(store, event, table):
        parts.append(by_format)
    width = text.width_of(sys.stdout)
    tone = tone_of()
    standings = standings_text(table, elo=elo, width=width, tone=tone)
    parts.append(f"{standings}\n{scale_text(ratings)}" if elo else standings)
    if table.duels:
        against = crosstable_text(table, width, tone)
        parts.append(f"wins-draws-losses of row against column:\n{against}")
    remote = [name for name, content in event.entrants.items() if kind_of(content) == "remote"]
    noise = HostNoise(table, remote=remote)
    if near := noise.near_limit_text():
        parts.append(near)
    parts += [f"warning: {warning}" for warning in noise.warnings(event.config.get("time", {}))]
    if withdrawn := store.withdrawals(event.id):
        lines = [f"  {player}: {reason}" for player, reason in withdrawn.items()]
        parts.append("\n".join(["withdrawn, the rest of its matches forfeited unplayed:", *lines]))
    if voids := store.voids(event.id):
        lines = [
            f"  {void.key}, attempt {void.attempt}: {void.reason}{void.onward(store.path)}"
            for void in voids
        ]
        parts.append("\n".join(["void attempts, not counted:", *lines]))
    parts += [
        f"{title}:\n{indent(note, '  ')}"
        for title, note in notes_of(store, event, has_reasons=has_reasons)
    ]
    return "\n\n".join(parts)


def matches_text(store: Store, event: EventRow) -> str:
    """List the finished matches of an event, one per line, and then those set aside."""
    has_points = has_score_rule(event)
    parts = [_matches_table(store.matches(event.id), has_points=has_points)]
    if earlier := list(store.earlier_matches(event.id)):
        listed = _matches_table(earlier, has_points=has_points)
        parts.append(f"set aside, not counted:\n{listed}")
    return "\n\n".join(parts)


def _matches_table(matches: Iterable[MatchRow], *, has_points: bool) -> str:
    rows = [
        [
            str(match.id),
            " - ".join(seat.player for seat in match.seats),
            *([" ".join(str(seat.points) for seat in match.seats)] if has_points else []),
            " ".join(text.score(Decimal(seat.score)) for seat in match.seats),
            match.termination,
            str(match.plies),
            match.reason,
        ]
        for match in matches
    ]
    points = ["points"] if has_points else []
    header = ["match", "players by seat", *points, "scores", "termination", "plies", "reason"]
    return fitted(header, rows, left=len(header), spare=("scores", "plies"))
