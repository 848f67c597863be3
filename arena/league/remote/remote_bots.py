"""Remote bots of a league: added by a person, with the public key of each version.

Nothing of such a bot is handed in. A new key makes a new version, since nobody here can see whether
the program has changed.
"""

import hashlib
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.errors import UsageError
from arena.league.hand_ins.reception import BusyError, new_bot
from arena.league.hand_ins.versions import kept_version
from arena.league.persons.people import SET_KEY, audit
from arena.league.remote.presence import NOT_THERE
from arena.league.site.models import Bot, Person, Team, Version
from arena.remote.keys import key_objection

KEYS_A_DAY = 10
"""Limit of the new keys of a bot in a day."""


def add_remote_bot(person: Person, team: Team, name: str, key: str) -> Bot:
    """Add a remote bot with its first key; raises UsageError."""
    public = key_of(key)
    with transaction.atomic():
        bot = new_bot(person, team, name)
        bot.is_remote, bot.away = True, NOT_THERE
        bot.save(update_fields=["is_remote", "away"])
        _add_version(person, bot, public)
    return bot


def change_key(person: Person, bot: Bot, key: str) -> Version:
    """Give a remote bot a new key, and with it a new version; raises UsageError."""
    if not bot.is_remote:
        raise UsageError(f"{bot.name} is no remote bot: it is handed in")
    public = key_of(key)
    with transaction.atomic():
        day = timezone.now() - timedelta(days=1)
        if bot.versions.filter(accepted__gt=day).count() >= KEYS_A_DAY:
            raise BusyError(f"a bot has at most {KEYS_A_DAY} new keys a day")
        return _add_version(person, bot, public)


def key_of(text: str) -> str:
    """Return the public key in a line of `arena keys new`; raises UsageError."""
    found = text.strip()
    if found.endswith('"'):  # NAME: "KEY"
        found = found[:-1].rpartition('"')[2]
    if (reason := key_objection(found)) is not None:
        raise UsageError(f"the public key {reason}; `arena keys new NAME` prints it")
    return found


def require_local(bot: Bot) -> None:
    """Raise UsageError for a remote bot, of which the league has no program."""
    if bot.is_remote:
        raise UsageError(f"{bot.name} is remote: its program is not here")


def _add_version(person: Person, bot: Bot, key: str) -> Version:
    used = "this key was used already; make a new one with `arena keys new NAME`"
    if Version.objects.filter(key=key).exists():
        raise UsageError(used)
    try:
        version = kept_version(bot, hashlib.sha256(key.encode()).hexdigest())
        version.key = key
        version.save(update_fields=["key"])
    except IntegrityError:  # by somebody at this moment
        raise UsageError(used) from None
    audit(person, SET_KEY, version.player)
    return version
