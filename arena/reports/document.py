"""A report as JSON: a document for scripts, and a badge for an endpoint of shields.io.

The keys are described in docs/howto/ci.md. Keys may be added under the same `SCHEMA`, which grows
when existing ones change.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from arena.reports.escaping import cut
from arena.reports.report import PlayedEvent, Report
from arena.results.secrecy import seed_hash, told_seed
from protocol.wording import visible
from referee.job import SECOND_NS

SCHEMA = 2


def document_text(report: Report) -> str:
    """Return the document of a report."""
    return f"{json.dumps(_finite(document(report)), indent=2, allow_nan=False)}\n"


def document(report: Report) -> dict[str, Any]:
    """Return a report as plain values."""
    played = report.played
    return {
        "schema": SCHEMA,
        "command": report.command,
        "outcome": report.outcome,
        "exit_code": report.exit_code,
        "headline": report.headline,
        "detail": report.detail,
        "event": _event(played) if played else None,
        "game": played.event.config.get("game") if played else None,
        "matches": {
            "played": len(played.matches) if played else 0,
            "missing": report.missing,
            "undecided": list(report.undecided),
        },
        "ranked_by": played.table.ranked_by if played else None,
        "standings": list(_standings(played)) if played else [],
        "ratings": _ratings(played) if played and not (report.gate or report.tune) else None,
        "fault_count": played.fault_count if played else 0,
        "faults": [asdict(fault) for fault in played.faults] if played else [],
        "notes": dict(played.notes) if played else {},
        "gate": report.gate,
        "tune": report.tune,
    }


def _event(played: PlayedEvent) -> dict[str, Any]:
    event = played.event
    return {
        "number": event.id,
        "name": event.name,
        "seed": told_seed(event),
        "seed_sha256": seed_hash(event),
        "begun": event.created,
        "database": played.db,
        "bots": event.entrants,
    }


def _standings(played: PlayedEvent) -> Iterator[dict[str, Any]]:
    for rank, row in played.table.ranked():
        yield {
            "rank": rank,
            "bot": row.player,
            "score": float(row.score),
            "points": row.points,
            "matches": row.matches,
            "wins": row.wins,
            "draws": row.draws,
            "losses": row.losses,
            "faults": row.faults,
            "unplayed": row.unplayed,
            "adjudicated": row.adjudicated,
            "cpu_s": row.cpu_ns / SECOND_NS,
            "is_clock_exact": row.is_clock_exact,
            "wall_s": row.wall_ns / SECOND_NS,
        }


def _ratings(played: PlayedEvent) -> dict[str, Any]:
    ratings = played.ratings
    return {
        "players": [
            {
                "bot": each.player,
                "elo": each.elo.value,
                "low": each.elo.low,
                "high": each.elo.high,
                "matches": each.matches,
                "group": each.group,
                "superiority": each.superiority,
            }
            for each in ratings.players
        ],
        "seats": [
            {
                "seats": each.seats,
                "seat": each.seat,
                "elo": each.elo.value,
                "low": each.elo.low,
                "high": each.elo.high,
            }
            for each in ratings.seats
        ],
        "boards": ratings.comparisons.boards,
        "ignored": ratings.comparisons.ignored,
        "unplayed": ratings.comparisons.unplayed,
    }


def _finite(value: Any) -> Any:
    """Return plain values with null for infinite numbers and NaN."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


LONGEST = 60

_COLORS = {
    "finished": "blue",
    "passed": "brightgreen",
    "failed": "red",
    "faults": "red",
    "undecided": "yellow",
    "error": "red",
}


def badge_text(report: Report) -> str:
    """Return the badge of a report."""
    name = report.played.event.name if report.command == "tournament" and report.played else ""
    badge = {
        "schemaVersion": 1,
        "label": cut(visible(name or f"arena {report.command}"), LONGEST),
        "message": cut(visible(report.badge or report.outcome), LONGEST),
        "color": _COLORS.get(report.outcome, "lightgrey"),
    }
    return f"{json.dumps(badge)}\n"
