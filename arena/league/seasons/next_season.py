"""The next season in one action: the best bots of the last one become house bots.

Bots keep their versions and play on; results and ratings begin anew. The first rating of a version
in the new season lies near its last one, with a wide prior. The event of the old season is closed,
so that its seed may be published.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from django.db import transaction

from arena.config.loading import load_config
from arena.errors import UsageError
from arena.league.files import place
from arena.league.folder import SEASON, League
from arena.league.handed_in import PYTHON, write_python_bot
from arena.league.persons.people import audit
from arena.league.seasons.deadlines import open_season, season_now
from arena.league.seasons.grade_files import csv_text
from arena.league.seasons.grades import grading_of
from arena.league.seasons.season import season_of
from arena.league.site.models import Bot, Season, Version
from arena.reading.fields import NAME_PATTERN
from arena.reading.names import allowed_name
from arena.reading.source import read_source
from arena.results.secrecy import close_event
from protocol.wording import quoted

ALUMNI = 3
"""Number of the best bots of a season that become house bots."""
FOLDER = "alumni"
TRIES = 5
"""Attempts at ending the director before its supervisor starts it again."""
_HEAD = "# A config of Arena, written at the begin of this season; the one before is in seasons/.\n"


def next_season(league: League, name: str) -> list[str]:
    """End the season, begin the next one, and return the new house bots; raises UsageError."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise UsageError(
            f"no season can be named {quoted(name)}: a name is 1 to 64 of the characters"
            " A-Z a-z 0-9 . _ - and begins with a letter or a digit, like spring-2027"
        )
    old = league.season().name
    if Season.objects.filter(name=name).exists() or name == old:
        raise UsageError(f"there is a season {name} already; choose another name")
    season = season_now()
    if season is not None and season.is_frozen:
        raise UsageError("the table is frozen; reveal it first")
    if season is not None and season.finals.filter(ended=None).exists():
        raise UsageError("the final is not over; `arena league final` plays the rest of it")
    with director_at_rest(league):
        chosen = _best(old)
        text = _next_config(league, name, chosen)
        (league.folder / FOLDER).mkdir(mode=0o700, exist_ok=True)
        for house, version in chosen.items():
            copy_bot(league, version, league.folder / FOLDER, house)
        _require_playable(league, text)
        _keep_grades(league, old)
        _close(league, old)
        with transaction.atomic():
            for house, version in chosen.items():
                Bot.objects.create(name=house, home=version.rating)
            _keep_table(open_season(old))
            open_season(name)
            audit(None, "began a season", name)
        _replace_config(league, old, text)
    return list(chosen)


@contextmanager
def director_at_rest(league: League) -> Iterator[None]:
    """Keep the director from running; a running league starts it again afterwards."""
    for left in reversed(range(TRIES)):
        league.stop("director")
        try:
            with ExitStack() as stack:
                stack.enter_context(league.lock("director"))
                held = stack.pop_all()
            break
        except UsageError:  # it was started again meanwhile
            if not left:
                raise
    with held:
        yield


def copy_bot(league: League, version: Version, folder: Path, name: str) -> str:
    """Copy the hand-in of a version into a folder, and return its path from there."""
    archive = place(league.files, version.digest)
    if version.suffix != PYTHON:
        (folder / f"{name}{version.suffix}").write_bytes(archive.read_bytes())
        return f"./{name}{version.suffix}"
    (folder / name).mkdir(exist_ok=True)
    write_python_bot(archive, folder / name)
    return f"./{name}"


def written(values: Mapping[str, Any]) -> str:
    """Return a config as text, a line for each key."""
    lines = (f"{key}: {json.dumps(value, default=float)}\n" for key, value in values.items())
    return "".join(lines)


def config_values(league: League) -> dict[str, Any]:
    """Return the keys of season.yaml as they are written there."""
    path = league.folder / SEASON
    return dict(read_source(path, str(path)).values() or {})


def _best(season: str) -> dict[str, Version]:
    """Return the best versions by the name that each will have as a house bot."""
    bots = Bot.objects.exclude(team=None).exclude(active=None).filter(is_remote=False)
    bots = bots.select_related("active")
    rated = [bot for bot in bots if bot.active.rating is not None and not bot.parked]
    rated.sort(key=lambda bot: (bot.active.place or len(rated), -bot.active.rating))
    return {_free_name(f"{bot.name}-{season}"): bot.active for bot in rated[:ALUMNI]}


def _free_name(wanted: str) -> str:
    """Return a name that no bot has, not even one whose owner has guessed it."""
    base = allowed_name(wanted.replace(" ", "-")[:36].rstrip("-"))
    names = [base, *(f"{base}-{number}" for number in range(2, 100))]
    taken = set(Bot.objects.filter(name__in=names).values_list("name", flat=True))
    return next(name for name in names if name not in taken)


def _next_config(league: League, name: str, chosen: Mapping[str, Version]) -> str:
    values = {**config_values(league), "name": name}
    values.pop("seed", None)  # the old one is published
    bots = list(values["bots"])
    for house, version in chosen.items():
        end = "" if version.suffix == PYTHON else version.suffix
        bots.append({"name": house, "bot": f"./{FOLDER}/{house}{end}"})
    return _HEAD + written({**values, "bots": bots})


def _require_playable(league: League, text: str) -> None:
    """Raise ConfigError or UsageError unless the league can play the new config."""
    path = league.folder / f".next-{SEASON}"
    path.write_text(text)
    try:
        config = load_config(str(path))
        season_of(config, 0)
        for bot in config.bots:
            if bot.broken:
                raise UsageError(f"{bot.name} cannot become a house bot: {bot.broken}")
    finally:
        path.unlink()


def _close(league: League, name: str) -> None:
    """Close the events of a season: no match is added any more, and its seed may be published."""
    with league.matches() as store:
        if store is None:
            return
        for event in store.events():
            if event.name == name or event.name.startswith(f"{name}/"):
                close_event(store, event)


def _keep_table(season: Season) -> None:
    """Keep the last table of a season, and begin anew: ratings become priors."""
    keys = ("place", "rating", "error", "mean_score", "matches")
    active = Bot.objects.exclude(active=None).select_related("active")
    rows = [
        {"player": bot.active.player, **{k: getattr(bot.active, k) for k in keys}} for bot in active
    ]
    season.table = sorted(rows, key=lambda row: (row["place"] is None, row["place"], row["player"]))
    season.save(update_fields=["table"])
    for version in Version.objects.exclude(rating=None):
        version.prior = version.rating
        version.rating = version.error = version.mean_score = version.place = None
        version.matches = version.faults = 0
        version.save()
    Bot.objects.exclude(parked="").update(parked="")


def _keep_grades(league: League, season: str) -> None:
    """Keep the grades of a season: `arena league grades` prints those of the next one."""
    if not league.site.grades:
        return
    with grading_of(league) as grading:
        text = csv_text(grading.grades())
    path = _kept(league, season, ".csv")
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8-sig")  # known to Excel


def _kept(league: League, season: str, suffix: str) -> Path:
    """Return the place of a file of a season that is over."""
    folder = league.folder / "seasons"
    folder.mkdir(exist_ok=True)
    return folder / f"{allowed_name(season)}{suffix}"


def _replace_config(league: League, old: str, text: str) -> None:
    path = league.folder / SEASON
    _kept(league, old, ".yaml").write_text(path.read_text())
    part = league.folder / f".next-{SEASON}"
    part.write_text(text)
    part.rename(path)
