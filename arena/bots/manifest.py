"""Find bots and read their manifests, `bot.yaml`.

name: greedy                          # default: the folder's name
summary: one line for `arena bots`
games: [pente]                        # default: every game
language: python
protocol: arena                       # or jsonl, gtp, gomocup, uci, usi, ucci, cecp, mactech
files: [../sdk/python/arena_bot.py]   # Arena's files, copied beside the bot's own
build: [cc, -O2, -o, bot, bot.c]      # default: nothing to build
run: ["{python}", main.py]            # a list of arguments, no shell; {python}: Arena's interpreter
options: {Hash: 16}                   # of an engine of `uci`, `usi`, `ucci` or `cecp`
go: nodes 1000                        # fixed limit of an engine's search
resign: {score: -600, moves: 3}       # when an engine resigns
processes: true                       # it starts other programs

Manifests are written by strangers. All values have limits, and a manifest can name only the bot's
own files, Arena's files, and files that an organiser shares with this bot.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from arena.bots.absent import absent_text
from arena.bots.archives import OTHER_SUFFIXES, stem_of, suffix_of, unpacked
from arena.bots.engine_keys import FixedLimit, OptionNames, ResignSection, is_repeating
from arena.bots.engine_reference import EngineReference, engine_reference
from arena.bots.finding import manifest_in
from arena.bots.installations import installed
from arena.bots.protocols import (
    BEGINS_ANEW,
    DEFAULT,
    PROTOCOLS,
    Option,
    ProtocolError,
    Recipe,
    applied,
)
from arena.bots.shipped import MANIFEST, MAX_MANIFEST_BYTES, is_shipped_source, shipped_bots
from arena.errors import BotError, ConfigError, Problem, cause
from arena.reading.checking import KeyFault, Keys, Section, check, problems
from arena.reading.fields import BotName, Command, PathText, objection, wrong
from arena.reading.names import allowed_name
from arena.reading.source import Loc, read_strange_source
from protocol.wording import did_you_mean, escaped, quoted, value_text
from referee.catalog import UnknownGameError, game_names, is_game
from referee.open_spiel import PREFIX as OPEN_SPIEL

MAX_FILES = 200
MAX_REFERENCE = 1000


def _game_name(name: str) -> str:
    if name != f"{OPEN_SPIEL}*" and not is_game(name):
        raise objection(str(UnknownGameError(name, game_names())))
    return name


def _protocol(name: str) -> str:
    if name not in PROTOCOLS:
        known = tuple(PROTOCOLS)
        raise objection(f"unknown protocol {quoted(name)}; {did_you_mean(name, known)}")
    return name


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise wrong("must be one printable line")
    return text


UNPRINTABLE = "its path cannot be written as text; rename it"


Line = Annotated[str, Field(max_length=200), AfterValidator(_one_line)]


class ManifestSection(Section):
    """Keys of a bot.yaml."""

    name: BotName | None = None
    """Name of the bot. Default: its folder's name."""
    summary: Line = ""
    """Summary in one line."""
    games: (
        Annotated[
            tuple[Annotated[str, AfterValidator(_game_name)], ...],
            Field(min_length=1, max_length=100),
        ]
        | None
    ) = None
    """Games of the bot; `open_spiel/*` are all of OpenSpiel. Default: every game."""
    language: Line | None = None
    """Programming language."""
    protocol: Annotated[str, AfterValidator(_protocol)] = DEFAULT
    """Protocol of the bot: Arena's own, or one translated by a bridge."""
    files: Annotated[tuple[PathText, ...], Field(max_length=MAX_FILES)] = ()
    """Files copied beside its own: Arena's, or files shared by the organiser."""
    build: Command | None = None
    """Build command, as a list of arguments. Default: nothing to build."""
    run: Command | None = None
    """Run command, as a list of arguments. Required, unless the protocol has one."""
    options: OptionNames = Field(default_factory=dict)
    """Options of an engine by their names, with `protocol: uci`, `usi`, `ucci` or `cecp`."""
    go: FixedLimit = ""
    """Fixed limit of an engine's search, like `nodes 1000`. Default: the limits of time."""
    resign: ResignSection | None = None
    """When an engine resigns, like `{score: -600, moves: 3}`. Default: never."""
    processes: bool = False
    """Whether the bot starts other programs, which are refused otherwise where no control group
    counts their time. Default: no."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """A bot on disk: its metadata, files and commands, before it is copied or built."""

    name: str
    path: Path
    """The bot.yaml, or the program of a bot without one."""
    folder: Path | None = None
    """Folder of the bot's own files; None for a program without a manifest."""
    summary: str = ""
    games: tuple[str, ...] | None = None
    """Games of the bot; None is every game."""
    language: str | None = None
    files: tuple[Path, ...] = ()
    """Resolved paths of files to copy beside the bot's own."""
    shared: tuple[Path, ...] = ()
    """Resolved paths of files and folders allowed in `files`, besides the bot's and Arena's."""
    lent: tuple[Path, ...] = ()
    """Arena's files added by the protocol."""
    build: tuple[str, ...] | None = None
    run: tuple[str, ...]
    starts: tuple[str, ...] | None = None
    """Command of the bot itself if `run` starts a bridge of Arena's, otherwise None."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """Options of an engine, part of `run` already."""
    processes: bool = False
    """Whether the bot starts other programs, or a bridge starts it."""
    begins_anew: bool = False
    """Whether its protocol has a command by which a running engine forgets the last match."""
    repeats: bool = False
    """Whether it is known to play the same moves in the same positions."""

    @property
    def examples(self) -> tuple[str, ...]:
        """Its games, with a simple one for all of OpenSpiel; () is every game."""
        return tuple(name.replace("*", "tic_tac_toe") for name in self.games or ())

    def plays(self, game: str) -> bool:
        """Whether the bot plays this game, by its manifest."""
        if self.games is None or game in self.games:
            return True
        return game.startswith(OPEN_SPIEL) and f"{OPEN_SPIEL}*" in self.games

    def is_shared(self, path: Path) -> bool:
        """Whether the organiser shares the file at this resolved path with the bot."""
        return any(path.is_relative_to(shared) for shared in self.shared)


def find_bot(reference: str, base: Path, shared: tuple[Path, ...] = ()) -> Manifest:
    """Return the bot with a name, or at a path relative to the folder `base`.

    A shipped bot takes precedence over a file with the same name. `uci:PROGRAM` is an engine
    without a bot.yaml, `uci:PROGRAM?Hash=64` one with options. A folder without a bot.yaml may hold
    the bot's folder, as an unpacked archive does; the bot has the outer name. An archive is
    unpacked into the cache. `shared` are resolved paths that the organiser allows in the bot.yaml.
    Raises BotError if the bot does not exist, and ConfigError if its bot.yaml is invalid.
    """
    if len(reference) > MAX_REFERENCE:
        raise BotError(value_text(reference), "is neither a name nor a path")
    if not reference.isprintable():
        raise BotError(escaped(reference), UNPRINTABLE)
    shipped = shipped_bots()
    if reference in shipped:
        return read_manifest(shipped[reference], shared)
    if (engine := engine_reference(reference, base)) is not None:
        return _engine(engine, base)
    return _at_path(reference, base, shared)


def _at_path(reference: str, base: Path, shared: tuple[Path, ...]) -> Manifest:
    try:
        path = base / Path(reference).expanduser()
        if path.is_dir():
            where = f"the folder {path}"
            found = manifest_in(path, reference, where=where, choose="give the path of one")
            return read_manifest(found, shared, path.resolve().name)
        if suffix_of(path.name) and path.is_file():
            return _in_archive(path, reference, shared)
        if path.suffix in (".yaml", ".yml") and path.exists():
            return read_manifest(path, shared)
        if path.exists():
            return _program(reference, path)
    except (OSError, ValueError, RuntimeError) as error:
        raise BotError(reference, f"cannot be searched: {cause(error, path)}") from None
    raise BotError(reference, absent_text(reference, path, tuple(shipped_bots())))


def _in_archive(path: Path, reference: str, shared: tuple[Path, ...]) -> Manifest:
    folder = unpacked(path, reference)
    found = manifest_in(folder, reference, where="the archive", choose="hand in one")
    shown = f"{reference}/{found.relative_to(folder).as_posix()}"
    return read_manifest(found, shared, stem_of(path.name), shown)


def read_manifest(
    path: Path,
    shared: tuple[Path, ...] = (),
    folder_name: str | None = None,
    shown: str | None = None,
) -> Manifest:
    """Read a bot.yaml, or raise ConfigError with all its problems, at the path `shown` if given.

    A bot without a name has `folder_name`, or that of its folder, as far as a bot may have it.
    """
    folder = path.parent.resolve()
    source = read_strange_source(_resolved(path, folder), shown or str(path), MAX_MANIFEST_BYTES)
    keys = Keys("", tuple(ManifestSection.model_fields))
    section, faults = check(ManifestSection, source.values(), lambda _: keys)
    files, absent = _files(section.files if section else (), folder, shared)
    faults += absent
    recipe = _recipe(section, files, faults) if section else None
    found = problems(source, faults)
    if section is None or recipe is None or recipe.run is None or found:
        raise ConfigError(found)
    return Manifest(
        name=section.name or allowed_name(folder_name or folder.name),
        path=folder / path.name,
        folder=folder,
        summary=section.summary,
        games=recipe.games,
        language=section.language,
        files=files,
        shared=shared,
        lent=tuple(path for path in recipe.files if path not in files),
        build=recipe.build,
        run=recipe.run,
        starts=recipe.starts,
        options=section.options,
        processes=section.processes or recipe.starts is not None,
        begins_anew=section.protocol in BEGINS_ANEW,
        repeats=is_repeating(section.go, section.options),
    )


def _resolved(path: Path, folder: Path) -> Path:
    """Return the resolved path of a bot.yaml.

    Raises ConfigError if it is outside the bot's folder, since errors quote lines of the file.
    """
    try:
        file = path.resolve()
    except (OSError, RuntimeError):  # a loop of links
        file = Path("/")
    if not file.is_relative_to(folder):
        raise ConfigError([Problem(str(path), "is a link that points outside the bot's folder")])
    return file


def _recipe(
    section: ManifestSection, files: tuple[Path, ...], faults: list[KeyFault]
) -> Recipe | None:
    """Return the recipe of the manifest by its protocol; add a fault if it does not fit."""
    said = Recipe(
        games=section.games,
        files=files,
        build=section.build,
        run=section.run,
        options=section.options,
        go=section.go,
        resign=(section.resign.score, section.resign.moves) if section.resign else (),
    )
    try:
        return applied(section.protocol, said)
    except ProtocolError as error:
        faults.append(KeyFault((error.key,), error.detail, is_of_key=True))
        return None


def _files(
    names: tuple[str, ...], folder: Path, shared: tuple[Path, ...]
) -> tuple[tuple[Path, ...], list[KeyFault]]:
    files, faults = [], []
    for place, name in enumerate(names):
        loc: Loc = ("files", place)
        try:
            path = (folder / name).resolve()
            may_be_named = _may_be_named(path, folder, shared)
            is_file = may_be_named and path.is_file()
        except (OSError, ValueError, RuntimeError):
            may_be_named, is_file = True, False
        if is_file:
            files.append(path)
        elif may_be_named:
            faults.append(KeyFault(loc, f"files[{place}]: no file is named {quoted(name)}"))
        else:
            faults.append(KeyFault(loc, f"files[{place}]: {quoted(name)} {_ELSEWHERE}"))
    return tuple(files), faults


_ELSEWHERE = (
    "lies neither in the bot's folder nor in the bots/sdk of Arena; put a copy into the folder, or"
    " let the organiser name it under share, with the bot in the config"
)


def _may_be_named(path: Path, folder: Path, shared: tuple[Path, ...]) -> bool:
    """Whether a bot.yaml may name a file at this resolved path; other paths are not accessed."""
    own = (folder, *shared)
    return is_shipped_source(path) or any(path.is_relative_to(place) for place in own)


def _program(reference: str, path: Path) -> Manifest:
    if not path.is_file():
        raise BotError(reference, f"{path} is neither a folder nor a file")
    if not os.access(path, os.X_OK):
        if (path.parent / MANIFEST).is_file():
            raise BotError(reference, f"give the folder of its {MANIFEST}: {path.parent}")
        is_packed = path.name.lower().endswith(OTHER_SUFFIXES)
        cure = "pack a zip" if is_packed else "run chmod +x; `arena init` writes a first bot"
        raise BotError(reference, f"{path} is neither a {MANIFEST} nor executable; {cure}")
    file = path.resolve()
    return Manifest(name=allowed_name(path.stem), path=file, run=(f"./{file.name}",))


def _engine(engine: EngineReference, base: Path) -> Manifest:
    """Return a program, by its path or as installed, as an engine of a protocol."""
    protocol, program = engine.protocol, engine.program
    if not program:
        raise BotError(f"{protocol}:", f"names no program, like {protocol}:./engine")
    path = program if "/" in program else installed(program) or f"./{program}"
    found = find_bot(path, base)
    if found.folder is not None:
        raise BotError(f"{protocol}:{program}", f"has a {MANIFEST}; leave out {protocol}:")
    try:
        recipe = applied(protocol, Recipe(run=found.run, options=engine.options, go=engine.go))
    except ProtocolError as error:
        raise BotError(f"{protocol}:{program}", error.detail) from None
    return replace(
        found,
        games=recipe.games,
        files=recipe.files,
        lent=recipe.files,
        run=recipe.run or (),
        starts=recipe.starts,
        options=engine.options,
        processes=True,
        begins_anew=protocol in BEGINS_ANEW,
        repeats=is_repeating(engine.go, engine.options),
    )
