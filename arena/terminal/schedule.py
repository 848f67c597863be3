"""The schedule of an event as text, before its first match."""

import math
from datetime import timedelta

from arena.event.plan import Plan
from arena.text import plural
from referee.job import SECOND_NS
from referee.seats.deadline import MAX_EXTENSION

SHOWN_PAIRINGS = 1000
"""Limit of the matches in a printed schedule."""


def schedule_text(plan: Plan, shown: int = SHOWN_PAIRINGS) -> str:
    """Return the first of the known matches, one per line, and the limit of the duration."""
    known, total = plan.pairings, plan.format.total({})
    lines = [
        f"{number}. {' - '.join(pairing.players)}  ({pairing.key})"
        for number, pairing in enumerate(known[:shown], start=1)
    ]
    if (more := len(known) - len(lines)) > 0:
        lines.append(f"... and {more} more")
    if total > len(known):
        lines.append("the others follow from the results")
    lines += [f"not quite balanced: {line}" for line in plan.format.imbalance]
    if plan.openings and (warning := plan.openings.warning(known)):
        lines.append(f"warning: {warning}")
    most = "" if plan.format.is_fixed else "at most "
    lines.append(f"{most}{plural(total, 'match')} on {plural(len(plan.cores), 'slot')}")
    match_s = longest_match_s(plan)
    event_s = math.ceil(total / len(plan.cores)) * match_s
    if plan.job.runner is not None:
        lines.append(
            f"at most {_duration(event_s)} long (h:mm:ss), {_duration(match_s)} a match:"
            " runner.time"
        )
        return "\n".join(lines)
    lines.append(
        f"at most {_duration(event_s)} long (h:mm:ss), {_duration(match_s)} a match: time.start,"
        " and time.wall_bank for each seat"
    )
    if plan.job.time.clock == "cpu":
        lines.append(
            f"at most {1 + MAX_EXTENSION} times that on a busy machine: the time for which a bot"
            " waits for its core does not count"
        )
    lines.append("usually a small part of that: the time left is shown while the event is played")
    return "\n".join(lines)


def _duration(seconds: int) -> str:
    """Return a duration as `timedelta` writes it, also above its limit of 10^9 days."""
    days, rest = divmod(seconds, 86_400)
    days_text = f"{plural(days, 'day')}, " if days else ""
    return f"{days_text}{timedelta(seconds=rest)}"


def longest_match_s(plan: Plan) -> int:
    """Return the limit in s of the wall-clock time of a non-void match on an idle machine."""
    if plan.job.runner is not None:
        return math.ceil(plan.job.runner.wall_ns / SECOND_NS)
    time = plan.job.time
    seats: int = max((len(pairing.players) for pairing in plan.pairings), default=1)
    own = [player.time for player in plan.players.values() if player.time is not None]
    calls_ns = seats * max(each.wall_allowed_ns for each in (time, *own))
    return math.ceil((time.start_ns + calls_ns) / SECOND_NS)
