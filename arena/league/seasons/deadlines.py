"""Deadlines of a season: who is late, and what staff decides about it.

The time of receipt counts: that at which all bytes are on disk. A later deadline of a person or of
a team counts for each hand-in that it covers, also for those received before it was given.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from arena.errors import UsageError
from arena.league.persons.people import audit
from arena.league.site.models import Bot, Extension, HandIn, Person, Season, Team, Version

NEAR = timedelta(hours=24)
"""Time before and after a deadline in which undecided places come first."""
LATE = {
    Season.UNRANKED: "are examined and shown, and do not play",
    Season.CLOSED: "are kept and not examined",
    Season.RANKED: "play, and are marked as late",
}
"""What becomes of late hand-ins, as a text for those who hand in."""


def season_now() -> Season | None:
    """Return the season of now; None before the director has begun the first one."""
    found: Season | None = Season.objects.filter(ended=None).order_by("-pk").first()
    return found


def open_season(name: str) -> Season:
    """Return the season of a name as the one of now; it is begun if it is new."""
    now = timezone.now()
    with transaction.atomic():
        Season.objects.filter(name="").update(name=name)
        Season.objects.filter(ended=None).exclude(name=name).update(ended=now)
        season: Season
        season, _ = Season.objects.get_or_create(name=name, defaults={"began": now})
        if season.ended is not None:
            season.ended = None
            season.save(update_fields=["ended"])
    return season


def deadline_of(season: Season | None, bot: Bot, person: Person | None) -> datetime | None:
    """Return the deadline for a hand-in of a person for a bot; None without one."""
    if season is None or season.deadline is None:
        return None
    rows = season.extensions.order_by("-pk")
    mine = rows.filter(person=person).first() if person is not None else None
    ours = rows.filter(team=bot.team_id).first()
    found: datetime = max(
        [season.deadline, *(row.until for row in (mine, ours) if row is not None)]
    )
    return found


def is_near_deadline() -> bool:
    """Whether the order of the table is soon needed."""
    season = season_now()
    if season is None or season.deadline is None:
        return False
    return bool(abs(season.deadline - timezone.now()) <= NEAR)


def is_late(season: Season | None, bot: Bot, person: Person, received: datetime) -> bool:
    """Whether a hand-in is received after its deadline."""
    until = deadline_of(season, bot, person)
    return until is not None and received > until


def counts(season: Season | None, row: HandIn) -> bool:
    """Whether an accepted hand-in may play."""
    return not row.is_late or season is None or season.late == Season.RANKED


def is_played(row: HandIn) -> bool:
    """Whether a hand-in was accepted and may play."""
    return row.state == HandIn.ACCEPTED and (not row.is_late or counts(season_now(), row))


def set_deadline(staff: Person, deadline: datetime | None, late: str) -> None:
    """Set the deadline of the season, and what becomes of late hand-ins; raises UsageError."""
    if late not in LATE:
        raise UsageError("choose what becomes of late hand-ins")
    with transaction.atomic():
        season = required_season()
        before = _counting(season)
        season.deadline, season.late = deadline, late
        season.save(update_fields=["deadline", "late"])
        until = "none" if deadline is None else f"{deadline:%Y-%m-%d %H:%M:%S}"
        audit(staff, "set the deadline", f"{season.name}: {until}, late ones {LATE[late]}")
        _settle(season, before)


@dataclass(frozen=True)
class Subject:
    """Who gets a later deadline: a person or a team."""

    person: Person | None = None
    team: Team | None = None

    @property
    def name(self) -> str:
        """The name for the record."""
        return f"team {self.team.name}" if self.team else f"person {self.person}"


def extend(staff: Person, subject: Subject, until: datetime) -> None:
    """Give a person or a team a later deadline; raises UsageError."""
    with transaction.atomic():
        season = required_season()
        if season.deadline is None:
            raise UsageError("set the deadline of the season first")
        before = _counting(season)
        Extension.objects.create(
            season=season, person=subject.person, team=subject.team, until=until
        )
        audit(staff, "gave an extension", f"{subject.name}: {until:%Y-%m-%d %H:%M:%S}")
        _settle(season, before)


def required_season() -> Season:
    """Return the season of now; raises UsageError without one."""
    season = season_now()
    if season is None:
        raise UsageError("the season has not begun; start the league first")
    return season


def restore(person: Person, bot: Bot, number: int) -> Version:
    """Have an earlier version of a bot play again; raises UsageError.

    After the deadline only staff may do this: what plays then is what was handed in on time.
    """
    with transaction.atomic():
        version: Version | None = bot.versions.filter(number=number).first()
        if version is None:
            raise UsageError(f"{bot.name} has no version {number}")
        if version.pk not in restorable(person, bot, [version]):
            raise UsageError(_refusal(person, bot, version))
        bot.refresh_from_db()
        bot.active, bot.parked = version, ""
        bot.save(update_fields=["active", "parked"])
        audit(person, "had a version play again", f"{bot.name} {number}")
    return version


def restorable(person: Person, bot: Bot, versions: Iterable[Version]) -> set[int]:
    """Return the numbers in the database of those versions that a person may have play again."""
    found = {version.pk for version in versions}
    if bot.is_remote:
        return set()
    if person.is_staff:
        return found
    return set() if _is_over(bot, person) else found - late_versions(versions)


def _refusal(person: Person, bot: Bot, version: Version) -> str:
    if bot.is_remote:
        return f"{bot.name} is remote: its owner says what plays, by a new key"
    if _is_over(bot, person):
        return "the deadline is over; ask staff to have another version play"
    return f"version {version.number} was handed in late; ask staff"


def _is_over(bot: Bot, person: Person) -> bool:
    season = season_now()
    if season is None or season.late == Season.RANKED:
        return False
    return is_late(season, bot, person, timezone.now())


def late_versions(versions: Iterable[Version]) -> set[int]:
    """Return the numbers in the database of versions of which every hand-in was late."""
    rows = HandIn.objects.filter(version__in=list(versions)).values_list("version", "is_late")
    on_time = {version for version, is_late in rows if not is_late}
    return {version for version, _ in rows} - on_time


def unranked() -> list[HandIn]:
    """Return the newest late version of each bot that does not play, by the bot's name."""
    season = season_now()
    if season is None:
        return []
    rows = HandIn.objects.filter(is_late=True, received__gte=season.began).exclude(version=None)
    rows = rows.exclude(version=F("bot__active")).select_related("bot", "version")
    newest = {row.bot.name: row for row in rows.order_by("received", "pk")}
    return [newest[name] for name in sorted(newest)]


def _counting(season: Season) -> set[int]:
    rows = HandIn.objects.all()
    return {
        row.pk for row in (rows if season.late == Season.RANKED else rows.filter(is_late=False))
    }


def _settle(season: Season, before: set[int]) -> None:
    """Judge all hand-ins of the season again, and have those play that count now."""
    rows = HandIn.objects.filter(received__gte=season.began).select_related("bot", "person")
    for row in rows.order_by("pk"):
        if (is_now := is_late(season, row.bot, row.person, row.received)) != row.is_late:
            row.is_late = is_now
            row.save(update_fields=["is_late"])
    after = _counting(season)
    for bot in Bot.objects.filter(hand_ins__in=before ^ after).distinct():
        _have_play(bot, before, after)
    kept = HandIn.objects.filter(received__gte=season.began, state=HandIn.LATE)
    if season.late == Season.CLOSED:
        kept = kept.filter(is_late=False)
    for bot in Bot.objects.filter(hand_ins__in=kept).distinct():
        _wait_again(bot, kept.filter(bot=bot))


def _wait_again(bot: Bot, kept: Any) -> None:
    """Have the newest hand-in examined that was only kept, unless a newer one waits."""
    newest = kept.order_by("-pk").first()
    is_newest = not bot.hand_ins.filter(pk__gt=newest.pk, state=HandIn.WAITING).exists()
    HandIn.objects.filter(pk__in=[row.pk for row in kept]).update(state=HandIn.REPLACED)
    if is_newest:
        HandIn.objects.filter(pk=newest.pk).update(state=HandIn.WAITING, ended=None, report=[])


def _have_play(bot: Bot, before: set[int], after: set[int]) -> None:
    """Have the newest that counts play if it is new, or if the playing one counts no more."""
    accepted = bot.hand_ins.exclude(version=None).order_by("-received", "-pk")
    newest = accepted.filter(pk__in=after).first()
    playing = {row.pk for row in accepted.filter(version=bot.active_id)}
    is_new = newest is not None and newest.pk not in before
    is_out = bool(playing & before) and not playing & after
    if not is_new and not is_out:
        return
    bot.active, bot.parked = (None if newest is None else newest.version), ""
    bot.save(update_fields=["active", "parked"])
