"""Finds bots and reads their manifests, `bot.yaml`.

name: greedy                          # default: the folder's name
summary: one line for `arena bots`
games: [pente]                        # default: every game
language: python
protocol: arena                       # or jsonl: JSON lines on stdin and stdout; or mactech
files: [../sdk/python/arena_bot.py]   # of Arena's, copied beside the bot's own files
build: [cc, -O2, -o, bot, bot.c]      # default: nothing to build
run: ["{python}", main.py]            # argument lists, no shell; {python} runs arena itself

It is written by strangers. What it says is bounded, and it names no file but the bot's own, those
that come with Arena, and those that an organiser shares with this bot.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from arena.bots.protocols import DEFAULT, PROTOCOLS, ProtocolError, Recipe
from arena.bots.shipped import MANIFEST, is_shipped_source, shipped_bots
from arena.errors import BotError, ConfigError, Problem
from arena.reading.checking import Fault, Keys, Section, check, problems
from arena.reading.fields import Argument, BotName, objection, wrong
from arena.reading.names import name_objection
from arena.reading.source import Loc, read_strange_source
from protocol.wording import did_you_mean, quoted, value_text
from referee.catalog import UnknownGameError, game_names

MAX_FILES = 200
MAX_PATH = 4096
MAX_REFERENCE = 1000
MAX_BYTES = 64 * 1024
"""Bytes of a bot.yaml."""


def _game_name(name: str) -> str:
    if name not in (known := game_names()):
        raise objection(str(UnknownGameError(name, known)))
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


Line = Annotated[str, Field(max_length=200), AfterValidator(_one_line)]
Command = Annotated[tuple[Argument, ...], Field(min_length=1, max_length=200)]


class ManifestSection(Section):
    """What a bot.yaml may say."""

    name: BotName | None = None
    """What the bot is called. Default: its folder's name."""
    summary: Line = ""
    """One line for people."""
    games: (
        Annotated[
            tuple[Annotated[str, AfterValidator(_game_name)], ...],
            Field(min_length=1, max_length=100),
        ]
        | None
    ) = None
    """The games it plays. Default: every game."""
    language: Line | None = None
    """What it is written in."""
    protocol: Annotated[str, AfterValidator(_protocol)] = DEFAULT
    """What it speaks: the wire itself, or one of those that are spoken for it."""
    files: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=MAX_PATH)], ...],
        Field(max_length=MAX_FILES),
    ] = ()
    """Files that are copied beside its own: of Arena's, or that the organiser shares with it."""
    build: Command | None = None
    """The command that builds it, as a list of arguments. Default: nothing to build."""
    run: Command | None = None
    """The command that runs it, as a list of arguments. Required, unless its protocol has one."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """A bot as it is found: what it is and how it is run, nothing of it copied or built yet."""

    name: str
    path: Path
    """The bot.yaml, or the program of a bot that has none."""
    folder: Path | None = None
    """Where its own files are; None for a program without a manifest."""
    summary: str = ""
    games: tuple[str, ...] | None = None
    """The games it plays; None is every game."""
    language: str | None = None
    files: tuple[Path, ...] = ()
    """Files that are copied beside its own, resolved."""
    shared: tuple[Path, ...] = ()
    """Files and folders of which `files` may name more than its own and Arena's, resolved."""
    lent: tuple[Path, ...] = ()
    """Files of ours that its protocol puts there too."""
    build: tuple[str, ...] | None = None
    run: tuple[str, ...]
    starts: tuple[str, ...] | None = None
    """What `run` starts in turn, where a program of ours speaks for the bot."""

    def plays(self, game: str) -> bool:
        """Whether it says that it plays this game."""
        return self.games is None or game in self.games

    def is_shared(self, path: Path) -> bool:
        """Whether the organiser shares the file at this resolved path with it."""
        return any(path.is_relative_to(shared) for shared in self.shared)


def find_bot(reference: str, base: Path, shared: tuple[Path, ...] = ()) -> Manifest:
    """Return the bot of that name or at that path, relative to the folder `base`.

    A bare name is a shipped bot before it is a file. `shared` are resolved paths that the organiser
    lets its bot.yaml name. Raises BotError when there is no such bot, and
    ConfigError when its bot.yaml is wrong.
    """
    if not reference.isprintable() or len(reference) > MAX_REFERENCE:
        raise BotError(value_text(reference), "is no name and no path")
    shipped = shipped_bots()
    if reference in shipped:
        return read_manifest(shipped[reference], shared)
    try:
        path = base / Path(reference).expanduser()
        if path.is_dir():
            if not (path / MANIFEST).exists():
                raise BotError(reference, f"the folder {path} has no {MANIFEST}")
            return read_manifest(path / MANIFEST, shared)
        if path.suffix in (".yaml", ".yml") and path.exists():
            return read_manifest(path, shared)
        if path.exists():
            return _program(reference, path)
    except (OSError, ValueError, RuntimeError) as error:
        raise BotError(reference, f"cannot be looked for: {error}") from None
    raise BotError(reference, _absent(reference, path, tuple(shipped)))


def read_manifest(path: Path, shared: tuple[Path, ...] = ()) -> Manifest:
    """Read a bot.yaml, or raise ConfigError with everything that is wrong with it."""
    folder = path.parent.resolve()
    source = read_strange_source(_resolved(path, folder), str(path), MAX_BYTES)
    section, faults = check(ManifestSection, source.values(), _keys_at)
    files, absent = _files(section.files if section else (), folder, shared)
    faults += absent
    name = section.name if section and section.name else folder.name
    if reason := name_objection(name):
        faults.append(Fault(("name",), f"the folder's name {reason}; give it a name here"))
    recipe = _recipe(section, folder, files, faults) if section else None
    found = problems(source, faults)
    if section is None or recipe is None or recipe.run is None or found:
        raise ConfigError(found)
    return Manifest(
        name=name,
        path=folder / path.name,
        folder=folder,
        summary=section.summary,
        games=section.games,
        language=section.language,
        files=files,
        shared=shared,
        lent=tuple(path for path in recipe.files if path not in files),
        build=recipe.build,
        run=recipe.run,
        starts=recipe.starts,
    )


def _resolved(path: Path, folder: Path) -> Path:
    """Return where a bot.yaml is; raise ConfigError if elsewhere, since errors quote its lines."""
    try:
        file = path.resolve()
    except (OSError, RuntimeError):  # links that lead to each other
        file = Path("/")
    if not file.is_relative_to(folder):
        raise ConfigError([Problem(str(path), "is a link that leads out of the bot's folder")])
    return file


def _recipe(
    section: ManifestSection, folder: Path, files: tuple[Path, ...], faults: list[Fault]
) -> Recipe | None:
    """Return what its protocol makes of the manifest; where it does not fit, add the fault."""
    said = Recipe(
        folder=folder, games=section.games, files=files, build=section.build, run=section.run
    )
    try:
        return PROTOCOLS[section.protocol](said)
    except ProtocolError as error:
        faults.append(Fault((error.key,), error.detail, is_of_key=True))
        return None


def _files(
    names: tuple[str, ...], folder: Path, shared: tuple[Path, ...]
) -> tuple[tuple[Path, ...], list[Fault]]:
    files = []
    faults = []
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
            faults.append(Fault(loc, f"files[{place}]: there is no file {quoted(name)}"))
        else:
            faults.append(Fault(loc, f"files[{place}]: {quoted(name)} {_ELSEWHERE}"))
    return tuple(files), faults


_ELSEWHERE = (
    "lies neither in the bot's folder nor in the bots/sdk of Arena; put a copy into the folder, or"
    " let the organiser name it under share, with the bot in the config"
)


def _may_be_named(path: Path, folder: Path, shared: tuple[Path, ...]) -> bool:
    """Whether a bot.yaml may name a file at this resolved path. Nothing else is even looked at."""
    own = (folder, *shared)
    return is_shipped_source(path) or any(path.is_relative_to(place) for place in own)


def _program(reference: str, path: Path) -> Manifest:
    if not path.is_file():
        raise BotError(reference, f"{path} is neither a folder nor a file")
    if not os.access(path, os.X_OK):
        raise BotError(
            reference, f"{path} is neither a {MANIFEST} nor executable; chmod +x does it"
        )
    if reason := name_objection(path.stem):
        raise BotError(reference, f"the file's name {reason}")
    file = path.resolve()
    return Manifest(name=path.stem, path=file, run=(f"./{file.name}",))


def _absent(reference: str, path: Path, shipped: tuple[str, ...]) -> str:
    if len(reference.split()) > 1:
        return "there is no such bot; arguments of a bot go into args"
    if "/" in reference and not reference.startswith("starter/"):
        return f"there is nothing at {path}"
    hint = did_you_mean(reference, shipped)
    if hint.startswith("known"):
        hint = "`arena bots` lists ours"  # they are too many for a sentence
    return f"there is no such bot; {hint}"


def _keys_at(loc: Loc) -> Keys:
    del loc  # a manifest has one map only
    return Keys("", tuple(ManifestSection.model_fields))
