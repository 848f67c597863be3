"""The reception: a hand-in is kept, and its receipt is true from then on."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone

from arena.bots.archives import suffix_of
from arena.bots.shipped import shipped_bots
from arena.errors import UsageError
from arena.league.files import keep
from arena.league.folder import League
from arena.league.handed_in import PYTHON
from arena.league.people import audit
from arena.league.site.models import Bot, HandIn, Person, Team
from protocol.wording import quoted

HAND_IN_BYTES = 20_000_000
"""Limit of the size of a hand-in."""
PER_HOUR = 30
"""Limit of the hand-ins of a bot in an hour; refused ones are free."""
ALL_PER_HOUR = 60
"""The same with refused ones."""
BOT_BYTES = 1_000_000_000
"""Limit of the size of all hand-ins of a bot, which are kept."""
MAX_BOTS = 5
"""Limit of the bots of a team."""
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


def new_bot(person: Person, team: Team, name: str) -> Bot:
    """Add a bot of a team; raises UsageError."""
    if len(name) not in NAME or not _NAME.fullmatch(name):
        raise UsageError(
            f"a bot's name has {NAME[0]} to {NAME[-1]} small letters, digits and hyphens, like"
            f" deep-thought, not {quoted(name[:40])}"
        )
    if name in shipped_bots() or Bot.objects.filter(name=name).exists():
        raise UsageError(f"there is a bot {quoted(name)} already; choose another name")
    if team.bots.count() >= MAX_BOTS:
        raise UsageError(f"a team has at most {MAX_BOTS} bots")
    try:
        with transaction.atomic():
            bot: Bot = Bot.objects.create(name=name, team=team)
            audit(person, "added a bot", name)
    except IntegrityError:
        raise UsageError(f"there is a bot {quoted(name)} already; choose another name") from None
    return bot


def receive(
    league: League, person: Person, bot: Bot, name: str, chunks: Iterable[bytes]
) -> Receipt:
    """Keep a hand-in and return its receipt; raises UsageError, MachineError.

    A waiting hand-in of the same bot is replaced. The bytes are on disk before the row is written.
    """
    suffix = kind_of(name)
    require_quota(bot)
    kept = keep(league.files, chunks, HAND_IN_BYTES)
    if not kept.size:
        raise UsageError("the file is empty")
    with transaction.atomic():
        received = timezone.now()
        bot.hand_ins.filter(state=HandIn.WAITING).update(state=HandIn.REPLACED, ended=received)
        row = HandIn.objects.create(
            bot=bot,
            person=person,
            received=received,
            digest=kept.digest,
            size=kept.size,
            suffix=suffix,
        )
        audit(person, "handed in", f"{bot.name} {kept.digest[:16]}")
    return Receipt(row.pk, bot.name, kept.digest, kept.size, received.isoformat())


def require_quota(bot: Bot) -> None:
    """Raise UsageError while a bot may not hand in."""
    hour = timezone.now() - timedelta(hours=1)
    recent = bot.hand_ins.filter(received__gt=hour)
    is_full = recent.exclude(state=HandIn.REFUSED).count() >= PER_HOUR
    if is_full or recent.count() >= ALL_PER_HOUR:
        raise BusyError(f"{bot.name} has {recent.count()} hand-ins in an hour; try again later")
    size = bot.hand_ins.aggregate(all=Sum("size"))["all"] or 0
    if size >= BOT_BYTES:
        raise UsageError(f"the hand-ins of {bot.name} have {size // 1_000_000} MB; tell staff")


def kind_of(name: str) -> str:
    """Return the end of a file's name that tells its kind; raises UsageError for no bot."""
    suffix = suffix_of(name).lower() or (PYTHON if name.lower().endswith(PYTHON) else "")
    if not suffix:
        raise UsageError(
            "hand in a .zip, .tar or .tar.gz of the bot's folder, or one Python file (.py)"
        )
    return suffix
