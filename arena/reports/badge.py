"""A badge: JSON for an endpoint of shields.io."""

import json

from arena.reports.escaping import cut
from arena.reports.report import Report
from protocol.wording import visible

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
