"""The folder of a league: its two config files, its databases, files and keys.

league.yaml   the site: title, address, port, who may read
season.yaml   an ordinary config of Arena: the game, the house bots, the limits
site.db       persons, bots, hand-ins, ratings
arena.db      matches and their records, by Arena's store
files/        hand-ins, by the hash of their bytes
bots/         prepared bots
keys/         the secret of sessions
"""

import fcntl
import os
import secrets
import shlex
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Annotated, TextIO

from pydantic import Field

from arena.bots.manifest import read_manifest
from arena.bots.shipped import shipped_bots
from arena.config.event import Config
from arena.config.loading import load_config
from arena.errors import ConfigError, UnplayedError, UsageError
from arena.new_files import sync, sync_all, write_private
from arena.reading.checking import Keys, Section, check, problems
from arena.reading.fields import BotName
from arena.reading.names import name_objection
from arena.reading.source import Loc, read_source
from arena.results.advice import Advice, upgrade_of
from arena.results.store import Store
from arena.schedule.openings import draws_boards
from protocol.wording import quoted
from referee.catalog import UnknownGameError, game_class, game_names

SITE = "league.yaml"
SEASON = "season.yaml"
SECRET_BYTES = 48
HOUSE = (
    *("random", "greedy", "searcher", "chinese-checkers-python", "damspel-python"),
    *("gomoku-c", "matchsticks-python"),
)
"""Shipped bots that are the house bots of a new league, where they play its game."""
SECOND = "random-2"
"""House bot of a game that only `random` plays: a league begins with two."""
PRIVATE = ("files", "keys", "inbox")
FINAL = "final"
"""Name of the lock of a final: while it is held, the ladder begins no match."""
REMOTE_KEY = "remote"
"""Name of the key of the port for remote bots."""
_RESTORE = "restore a backup with `arena league restore`"
ADVICE = Advice(
    other=_RESTORE,
    link=_RESTORE,
    copied="make its folder writable, with free space for a copy",
    found="",
)
"""Advice about the database of matches, which no option of a league names."""
TRIES = 4
AGAIN_S = 0.05


class GradeSection(Section):
    """A rule on a house bot, by which versions pass or fail."""

    against: BotName
    """The house bot."""
    score: Annotated[float, Field(gt=0, lt=100)]
    """Mean score in percent that a version must have against it."""
    certainty: Annotated[float, Field(ge=80, le=99.9)] = 95
    """Probability in percent with which a decision is right, at least."""
    pairs: Annotated[int, Field(ge=10, le=5000)] = 300
    """Limit of the pairs of matches."""


class SiteSection(Section):
    """The file league.yaml."""

    title: Annotated[str, Field(min_length=1, max_length=60)] = "League"
    """Name of the league on its pages."""
    address: str = "127.0.0.1"
    """Address to listen on; 0.0.0.0 is every one of this machine."""
    port: Annotated[int, Field(ge=1, le=65535)] = 8642
    """Port to listen on."""
    hosts: tuple[Annotated[str, Field(max_length=253)], ...] = ()
    """Host names by which people reach the league, besides IP addresses and localhost."""
    https: bool = False
    """Whether a proxy in front of the league encrypts: then cookies are for https alone."""
    database: Annotated[str, Field(pattern=r"^postgresql://")] | None = None
    """Persons, bots and hand-ins in PostgreSQL: postgresql://USER@HOST/NAME; None is site.db."""
    workers: str | None = None
    """HOST:PORT at which `arena worker` of other machines reaches the league; None for none."""
    remote: str | None = None
    """tcp://HOST:PORT to open for `arena join`: bots of other machines; None for none."""
    proxies: tuple[Annotated[str, Field(max_length=64)], ...] = ()
    """Addresses of proxies in front of the league, which are believed about who asks."""
    public: bool = False
    """Whether strangers may read the table, bots and matches."""
    grades: Annotated[tuple[GradeSection, ...], Field(max_length=10)] = ()
    """Rules for grades."""


_SITE_TEXT = """\
title: {title}
address: 127.0.0.1      # 0.0.0.0 lets other machines reach the league
port: {port}
# hosts: [league.example.org]   # host names besides IP addresses and localhost
# https: true           # behind a proxy that encrypts
# database: postgresql:///league   # in place of site.db
# workers: 192.0.2.7:8786   # where `arena worker` of other machines adds slots
# remote: tcp://0.0.0.0:7777   # where `arena join` brings bots of other machines
# proxies: [127.0.0.1]  # proxies to believe, which say who asks
public: false           # true lets strangers read the table, bots and matches
# grades:               # `arena league grades` tells who passes
#   - {{against: greedy, score: 60, certainty: 95}}
"""
_SEASON_TEXT = """\
# A config of Arena: `bots` are the house bots, which always play and fix the scale of the ratings.
name: season-1
game: {{name: {game}}}
bots: [{house}]
anchor: {{{anchor}: 1500}}
{openings}time: {{per_move: 500ms, bank: 30s}}
limits: {{memory: 512MB}}
isolation: {isolation}
"""


@dataclass(frozen=True)
class League:
    """An existing folder of a league."""

    folder: Path
    site: SiteSection

    @property
    def site_db(self) -> Path:
        """The database of persons, bots and hand-ins."""
        return self.folder / "site.db"

    @property
    def arena_db(self) -> Path:
        """The database of matches."""
        return self.folder / "arena.db"

    @contextmanager
    def matches(self) -> Iterator[Store | None]:
        """Yield the database of matches, open; None before the first match.

        A power cut may leave a file without tables; it counts as none.
        """
        try:
            store = self.store()
        except UnplayedError:
            yield None
            return
        with closing(store):
            yield store

    def store(self, *, is_new_allowed: bool = False) -> Store:
        """Return the database of matches, open; raises StoreError for one of an earlier format.

        `arena league upgrade` brings that up to date, with a backup. A league in PostgreSQL has no
        such backup: its database of matches is changed here, and a copy is kept.
        """
        upgrade = upgrade_of(self.folder) if self.site.database is None else None
        advice = replace(ADVICE, upgrade=upgrade)
        return Store(self.arena_db, is_new_allowed=is_new_allowed, advice=advice)

    @property
    def worker_keys(self) -> Path | None:
        """The league's own folder of keys for its workers; None without one, on the loopback."""
        return self.worker_keys_folder if self.worker_keys_folder.is_dir() else None

    @property
    def worker_keys_folder(self) -> Path:
        """The place of these keys, if there are any."""
        return self.folder / "keys" / "cluster" / "league"

    @property
    def remote_key(self) -> Path:
        """The secret key of the port for remote bots."""
        return self.folder / "keys" / f"{REMOTE_KEY}.secret"

    @property
    def counts(self) -> Path:
        """The counts of the season, a cache of its director."""
        return self.folder / "counts.json"

    @property
    def files(self) -> Path:
        """The folder of hand-ins."""
        return self.folder / "files"

    @property
    def bots(self) -> Path:
        """The folder of prepared bots, which other users may read."""
        return self.folder / "bots"

    @cached_property
    def secret(self) -> str:
        """The secret that signs sessions."""
        return (self.folder / "keys" / "secret").read_text()

    def season(self) -> Config:
        """Return the config of the season; raises ConfigError."""
        return load_config(str(self.folder / SEASON))

    @contextmanager
    def lock(self, what: str) -> Iterator[None]:
        """Let no second process be this part of the league; raises UsageError."""
        with self._lock_path(what).open("a+") as file:
            if not _take(file):
                raise UsageError(
                    f"{self.folder}: the league runs already;"
                    f" {shlex.join(['arena', 'league', 'stop', str(self.folder)])} ends it"
                )
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield

    def is_locked(self, what: str) -> bool:
        """Whether a process is this part of the league now."""
        with self._lock_path(what).open("a+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    @property
    def has_final(self) -> bool:
        """Whether a final is played now, in which the ladder begins no match."""
        return self.is_locked(FINAL)

    def stop(self, what: str = "start") -> bool:
        """End the running league, or this part of it, and wait; return whether it ran."""
        with self._lock_path(what).open("a+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                file.seek(0)
                os.kill(int(file.read()), signal.SIGTERM)
                fcntl.flock(file, fcntl.LOCK_SH)
                return True
        return False

    def _lock_path(self, what: str) -> Path:
        return self.folder / "keys" / f"{what}.lock"


def _take(file: TextIO) -> bool:
    """Take a lock and return whether it was free, also of `is_locked`, which holds it briefly."""
    for _ in range(TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(AGAIN_S)
        else:
            return True
    return False


def _elsewhere(folder: Path) -> str:
    """Return where a league is, in this folder or beside it, or how to make one."""
    place = folder if folder.is_dir() else folder.parent
    try:
        found = sorted(str(path.parent) for path in place.glob(f"*/{SITE}"))
    except OSError:
        found = []
    if found:
        near = get_close_matches(str(folder), found, n=1) or found[:1]
        return f"there is one in {near[0]}"
    made = Path("our-league") if folder == Path() else folder
    return f"`{shlex.join(['arena', 'league', 'new', str(made)])} --game pente` makes one"


def open_league(folder: Path) -> League:
    """Return the league of a folder; raises UsageError or ConfigError."""
    path = folder / SITE
    if not path.is_file():
        raise UsageError(f"{folder}: no league; {_elsewhere(folder)}")
    source = read_source(path, str(path))
    section, faults = check(SiteSection, source.values() or {}, _keys_at)
    found = problems(source, faults)
    if section is None or found:
        raise ConfigError(found)
    return League(folder.resolve(), section)


def _keys_at(place: Loc) -> Keys:
    if place:
        return Keys("a rule of grades", tuple(GradeSection.model_fields))
    return Keys("", tuple(SiteSection.model_fields))


def new_league(folder: Path, game: str, isolation: str) -> League:
    """Make the folder of a league; raises UsageError before anything is written."""
    if (folder / SITE).is_file():
        raise UsageError(f"{folder} is a league already; next: arena league start {folder}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty; give a new folder, nothing was written")
    title = folder.resolve().name
    if reason := name_objection(title):
        raise UsageError(f"the folder's name becomes the league's title, which {reason}")
    house = house_bots(game)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o755)
        for name in PRIVATE:
            (folder / name).mkdir(mode=0o700)
        (folder / "bots").mkdir(mode=0o755)
        secret = secrets.token_urlsafe(SECRET_BYTES).encode()
        # an empty database of its owner alone: its log gets the same rights
        write_private({folder / "keys" / "secret": secret, folder / "site.db": b""})
        (folder / SEASON).write_text(_season_text(game, house, isolation))
        port = SiteSection.model_fields["port"].default
        (folder / SITE).write_text(_SITE_TEXT.format(title=quoted(title), port=port))
        sync_all(folder)
        sync(folder.resolve().parent)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from None
    return open_league(folder)


def _season_text(game: str, house: tuple[str, ...], isolation: str) -> str:
    names = [f"{{name: {SECOND}, bot: random}}" if name == SECOND else name for name in house]
    values = {"game": game, "house": ", ".join(names), "anchor": house[1], "isolation": isolation}
    openings = "" if draws_boards(game_class(game)()) else "openings: {random_plies: 4}\n"
    return _SEASON_TEXT.format(**values, openings=openings)


def house_bots(game: str) -> tuple[str, ...]:
    """Return two or more house bots of a new league; raises UsageError for a game without pairs."""
    if game not in (known := game_names()):
        raise UsageError(str(UnknownGameError(game, known)))
    if 2 not in game_class(game).seats:
        raise UsageError(f"a league plays pairs of matches, and {game} is no game for two")
    shipped = shipped_bots()
    house = tuple(name for name in HOUSE if read_manifest(shipped[name]).plays(game))
    return house if len(house) > 1 else (*house, SECOND)
