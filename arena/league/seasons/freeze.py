"""Freeze and reveal: from a time on, ratings and matches are hidden from all but staff.

While a season is frozen the director publishes nothing, so no page can show it; staff reads the
hidden table (`Season.table`). A match that ended later is seen by its own teams alone.
"""

from datetime import UTC, datetime

from django.db import transaction
from django.utils import timezone

from arena.errors import UsageError
from arena.league.persons.people import audit
from arena.league.seasons.deadlines import required_season, season_now
from arena.league.site.models import Person, Version


def freeze(staff: Person, since: datetime | None) -> None:
    """Hide what happens from a time on, by default from now; raises UsageError."""
    with transaction.atomic():
        season = required_season()
        if season.is_frozen:
            raise UsageError("the table is frozen already; reveal it first")
        season.frozen = max(since or timezone.now(), timezone.now())
        season.revealed, season.table = None, []
        season.save(update_fields=["frozen", "revealed", "table"])
        audit(staff, "froze the table", f"{season.name}: {season.frozen:%Y-%m-%d %H:%M:%S}")


def reveal(staff: Person) -> None:
    """Show all that was hidden, or call a freeze off; raises UsageError."""
    with transaction.atomic():
        season = required_season()
        if season.frozen is None or season.revealed is not None:
            raise UsageError("the table is not frozen")
        for row in season.table:
            shown = {key: row[key] for key in ("place", "rating", "error", "mean_score", "matches")}
            Version.objects.filter(player=row["player"]).update(**shown)
        season.revealed, season.table = timezone.now(), []
        season.save(update_fields=["revealed", "table"])
        audit(staff, "revealed the table", season.name)


def hidden_since() -> str | None:
    """Return the time from which ends of matches are hidden, as arena.db writes it, or None."""
    season = season_now()
    if season is None or not season.is_frozen:
        return None
    frozen: datetime = season.frozen
    return frozen.astimezone(UTC).isoformat(timespec="milliseconds")
