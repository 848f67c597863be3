"""Versions of a bot: one for each tree of files, or key of a remote bot, that it has ever had."""

from django.db import transaction
from django.utils import timezone

from arena.errors import UsageError
from arena.league.persons.people import audit
from arena.league.site.models import Bot, HandIn, Person, Version


def add_version(bot: Bot, tree: str, digest: str = "", suffix: str = "") -> Version:
    """Make the version of a tree active, which may be an earlier one; within a transaction."""
    found = kept_version(bot, tree, digest, suffix)
    bot.active, bot.parked = found, ""
    bot.save()
    return found


def kept_version(bot: Bot, tree: str, digest: str = "", suffix: str = "") -> Version:
    """Return the version of a tree, which does not play for that; within a transaction."""
    found: Version | None = bot.versions.filter(tree=tree).first()
    if found is None:
        number = bot.versions.count() + 1
        is_first_of_house = bot.is_house and number == 1
        found = Version.objects.create(
            bot=bot,
            number=number,
            player=bot.name if is_first_of_house else f"{bot.name}.{number}",
            tree=tree,
            digest=digest,
            suffix=suffix,
            accepted=timezone.now(),
        )
    return found


def withdraw(person: Person, bot: Bot) -> None:
    """Have no version of a bot play until its next one or until one is restored.

    Its results stay. The key of a remote bot ends for good. Raises UsageError.
    """
    if bot.is_house:
        raise UsageError(f"{bot.name} is a house bot: season.yaml names those that play")
    with transaction.atomic():
        bot.refresh_from_db()
        checked = bot.hand_ins.filter(state__in=[HandIn.WAITING, HandIn.CHECKING]).first()
        if checked is not None:
            raise UsageError(
                f"hand-in {checked.pk} would have {bot.name} play again; wait for its check"
            )
        keys = bot.versions.exclude(key="").filter(key_ended=None)
        if bot.active is None and not keys.exists():
            raise UsageError(f"no version of {bot.name} plays")
        keys.update(key_ended=timezone.now())
        bot.active, bot.parked = None, ""
        bot.save(update_fields=["active", "parked"])
        audit(person, "withdrew a bot", bot.name)
