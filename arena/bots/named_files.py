"""Programs, files and folders of the machine that a bot's command and options name."""

import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from arena.bots.installations import ENGINES, installed
from arena.bots.manifest import Manifest
from referee.cache import arena_cache
from referee.sandbox import SYSTEM, TOOLCHAINS, installations, objection

MAX_WORDS = 1000
"""Limit of the words of an argument that are looked up as programs."""
OF_USERS = (Path("/usr/local"), Path(ENGINES))
"""Folders below the system's with programs that are not the system's own."""
TOOLS = frozenset(
    {
        *(*TOOLCHAINS, "deno", "erl", "guile", "julia", "luajit", "mono-sgen", "nodejs", "pypy"),
        *("python", "racket", "rscript", "sbcl", "swipl", "tclsh", "wine", "wine64"),
        *("ash", "awk", "bash", "busybox", "dash", "gawk", "jq", "ksh", "mawk", "sh", "zsh"),
        *("env", "ionice", "nice", "nohup", "numactl", "setarch", "stdbuf", "taskset", "time"),
        *("timeout", "xvfb-run"),
    }
)
"""Interpreters, shells and starters of other programs; versions may follow the names."""
_VERSION = re.compile(r"[-.0-9]+$")
_SEPARATORS = re.compile(r"[:;,=]")
_ABSOLUTE = re.compile(r"(?:^-[A-Za-z]|(?<![^\s:;,='\"|&<>()@]))(/[^\s:;,='\"|&<>()]+)")
"""An absolute path in a text: at its start, after a separator or after a short option."""
_WORD = re.compile(r"[^\s:;,='\"|&<>()/]+")
_LOG = re.compile(r"(?i)log ?file|(?<![a-z])log(?![a-z])")
"""Option with the name of a file that the bot writes."""
_KERNEL = tuple(Path("/", name) for name in ("dev", "proc", "run", "sys"))


def own_command(manifest: Manifest) -> tuple[str, ...]:
    """Return the command of the bot itself, behind the bridge if there is one."""
    return manifest.starts or manifest.run


def outside_program(manifest: Manifest) -> Path | None:
    """Return the path of a bot's program; None if it is in the bot's folder, or a tool."""
    program = own_command(manifest)[0]
    path = program if program.startswith("/") else _installed(program)
    is_found = path is not None and kind_of(Path(path)) == "file"
    return Path(path) if path is not None and is_found and not is_tool(Path(path)) else None


def option_texts(manifest: Manifest) -> list[tuple[str, str]]:
    """Return the options that may name a file to read, with their texts."""
    options = manifest.options.items()
    return [(key, text) for key, text in options if type(text) is str and not _LOG.search(key)]


def named_paths(texts: Iterable[str]) -> list[Path]:
    """Return the files and folders with absolute paths in texts, and programs of users.

    Neither those of the system, which has its own updates, nor folders shared by many programs,
    like a home, which no bot may see.
    """
    found = dict.fromkeys(path for text in texts for path in _candidates(text))
    return [path for path in found if _may_be_meant(path)]


def is_tool(path: Path) -> bool:
    """Whether a program is an interpreter, shell or starter of the system or of a toolchain.

    These run the bot's own files, and a security update of one is no other bot.
    """
    real = _resolved(path)
    names = {_VERSION.sub("", each.name).lower() for each in (path, real)}
    if not names & {_VERSION.sub("", tool) for tool in TOOLS}:
        return False
    places = (*SYSTEM, *(place.resolve() for place in installations(arena_cache())))
    return any(real.is_relative_to(place) for place in places)


def is_of_system(path: Path) -> bool:
    """Whether a path belongs to the system, by its name or resolved, and not to its users."""
    real = _resolved(path)
    if any(each.is_relative_to(place) for each in (path, real) for place in OF_USERS):
        return False
    return any(real.is_relative_to(place) for place in (*SYSTEM, *_KERNEL))


def kind_of(path: Path) -> Literal["file", "folder", ""]:
    """Return whether a path is an ordinary file or a folder; "" for others."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return ""
    return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else ""


def _candidates(text: str) -> Iterator[Path]:
    """Yield what may be a path in a text: the whole, each item of a list, and each word."""
    parts = [each for each in (text, *_SEPARATORS.split(text)) if each.startswith("/")]
    yield from map(Path, (*parts, *_ABSOLUTE.findall(text)))
    for word in _WORD.findall(text)[:MAX_WORDS]:
        place = _installed(word)
        if place is not None:
            yield Path(place)


def _may_be_meant(path: Path) -> bool:
    kind = kind_of(path)
    if not kind or is_of_system(path):
        return False
    return not is_tool(path) if kind == "file" else objection(path, arena_cache()) is None


def _installed(program: str) -> str | None:
    """Return the path of a program on the PATH; None for one of the bot's own or Arena's."""
    return installed(program) if "/" not in program and program != "{python}" else None


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop of links
        return path
