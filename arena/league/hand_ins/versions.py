"""Versions of a bot: one for each tree of files, or key of a remote bot, that it has ever had."""

from django.utils import timezone

from arena.league.site.models import Bot, Version


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
