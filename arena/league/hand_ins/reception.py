"""The reception: a hand-in is kept, and its receipt is true from then on."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone

from arena.bots.archives import suffix_of
from arena.bots.shipped import shipped_bots
from arena.errors import UsageError
from arena.league.files import keep
from arena.league.folder import League
from arena.league.handed_in import PYTHON
from arena.league.persons.looks import alike
from arena.league.persons.people import audit
from arena.league.seasons.deadlines import is_late, season_now
from arena.league.site.models import Bot, HandIn, Person, Season, Team
from protocol.wording import quoted

HAND_IN_BYTES = 20_000_000
"""Limit of the size of a hand-in."""
PER_HOUR = 30
"""Limit of the hand-ins of a bot in an hour; refused and replaced ones are free."""
ALL_PER_HOUR = 60
"""The same with free ones."""
BOT_BYTES = 1_000_000_000
"""Limit of the size of all hand-ins of a bot, which are kept."""
MAX_BOTS = 5
"""Limit of the bots of a team."""
_FREE = (HandIn.REFUSED, HandIn.REPLACED)
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NAME = range(2, 25)


class BusyError(UsageError):
    """Too many hand-ins; a later one is accepted."""


@dataclass(frozen=True)
class Receipt:
    """The answer that a hand-in is kept."""

    number: int
    bot: str
    digest: str
    size: int
    received: str
    is_late: bool


def new_bot(person: Person, team: Team, name: str) -> Bot:
    """Add a bot of a team; raises UsageError."""
    if len(name) not in NAME or not _NAME.fullmatch(name):
        raise UsageError(
            f"a bot's name has {NAME[0]} to {NAME[-1]} small letters, digits and hyphens, like"
            f" deep-thought, not {quoted(name[:40])}"
        )
    try:
        with transaction.atomic():
            _require_free(team, name)
            bot: Bot = Bot.objects.create(name=name, team=team)
            audit(person, "added a bot", name)
    except IntegrityError:
        raise UsageError(f"there is a bot {quoted(name)} already; choose another name") from None
    return bot


def _require_free(team: Team, name: str) -> None:
    """Raise UsageError for a name in use, or like one, and for a team with all its bots.

    It looks in the transaction that adds the bot, so that two at the same time are no way around.
    """
    if name in shipped_bots() or Bot.objects.filter(name=name).exists():
        raise UsageError(f"there is a bot {quoted(name)} already; choose another name")
    if other := alike(name, (*shipped_bots(), *Bot.objects.values_list("name", flat=True))):
        raise UsageError(f"{quoted(name)} looks like the bot {quoted(other)}; choose another name")
    if team.bots.count() >= MAX_BOTS:
        raise UsageError(f"a team has at most {MAX_BOTS} bots")


def receive(
    league: League,
    person: Person,
    bot: Bot,
    name: str,
    chunks: Iterable[bytes],
    *,
    arrived: datetime | None = None,
) -> Receipt:
    """Keep a hand-in and return its receipt; raises UsageError, MachineError.

    A waiting hand-in of the same bot is replaced. The bytes are on disk before the row is written.
    `arrived` is the time of receipt if it had to wait for others since; None is now.
    """
    if bot.is_house:
        raise UsageError(f"{bot.name} is a house bot; season.yaml names those")
    if bot.is_remote:
        raise UsageError(f"{bot.name} is remote: it joins from its owner's machine (`arena join`)")
    suffix = kind_of(name)
    require_quota(bot)
    kept = keep(league.files, chunks, HAND_IN_BYTES)
    if not kept.size:
        raise UsageError("the file is empty")
    with transaction.atomic():
        received = arrived or timezone.now()
        row = HandIn(
            bot=bot,
            person=person,
            received=received,
            digest=kept.digest,
            size=kept.size,
            suffix=suffix,
        )
        _time(row)
        if arrived is not None and _has_newer(row):
            raise UsageError("a newer hand-in of this bot has come while this one waited")
        row.save()
        audit(person, "handed in", f"{bot.name} {kept.digest[:16]}")
    at = received.isoformat()
    return Receipt(row.pk, bot.name, kept.digest, kept.size, at, row.is_late)


def _time(row: HandIn) -> None:
    """Judge the time of receipt, and replace the waiting hand-in, which a late one does not."""
    season = season_now()
    row.is_late = is_late(season, row.bot, row.person, row.received)
    if row.is_late and season is not None and season.late == Season.CLOSED:
        row.state, row.ended = HandIn.LATE, row.received
        return
    waiting = row.bot.hand_ins.filter(state=HandIn.WAITING)
    if row.is_late:
        waiting = waiting.filter(is_late=True)
    waiting.update(state=HandIn.REPLACED, ended=row.received)


def _has_newer(row: HandIn) -> bool:
    """Whether one that was received later came while this one had to wait."""
    newer = row.bot.hand_ins.filter(received__gt=row.received).exclude(state=HandIn.LATE)
    return bool((newer if row.is_late else newer.filter(is_late=False)).exists())


@dataclass(frozen=True)
class Quota:
    """How much of its limits a bot has used."""

    used: int
    """Hand-ins of the last hour that are not free."""
    free: int
    """Refused and replaced ones of the last hour."""
    size: int
    """Bytes of all its hand-ins, which are kept."""
    next_at: datetime | None
    """Time from which one more is accepted; None if it is now."""

    def __str__(self) -> str:
        wait = (
            ""
            if self.next_at is None
            else f"; the next one is accepted at {self.next_at:%H:%M:%S} UTC"
        )
        return (
            f"{self.used} of {PER_HOUR} hand-ins in the last hour, and {self.free} refused or"
            f" replaced, which are free; {self.size / 1e6:.1f} of {BOT_BYTES / 1e6:.0f} MB"
            f" kept{wait}"
        )


def quota_of(bot: Bot) -> Quota:
    """Return how much of its limits a bot has used now."""
    since = timezone.now() - timedelta(hours=1)
    rows = bot.hand_ins.filter(received__gt=since).order_by("received")
    every = list(rows.values_list("received", "state"))
    used = [received for received, state in every if state not in _FREE]
    ends = [
        times[len(times) - most] + timedelta(hours=1)
        for times, most in ((used, PER_HOUR), ([at for at, _ in every], ALL_PER_HOUR))
        if len(times) >= most
    ]
    size = bot.hand_ins.aggregate(all=Sum("size"))["all"] or 0
    return Quota(len(used), len(every) - len(used), size, max(ends, default=None))


def require_quota(bot: Bot) -> None:
    """Raise UsageError while a bot may not hand in."""
    quota = quota_of(bot)
    if quota.next_at is not None:
        raise BusyError(f"{bot.name} has {quota}")
    if quota.size >= BOT_BYTES:
        raise UsageError(f"{bot.name} has {quota}; tell staff")


def kind_of(name: str) -> str:
    """Return the end of a file's name that tells its kind; raises UsageError for no bot."""
    suffix = suffix_of(name).lower() or (PYTHON if name.lower().endswith(PYTHON) else "")
    if not suffix:
        raise UsageError(
            "hand in a .zip, .tar or .tar.gz of the bot's folder, or one Python file (.py)"
        )
    return suffix
