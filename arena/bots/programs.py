"""The programs that bots need on this machine, and the Debian packages of missing ones."""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.bots.installations import installed
from arena.bots.machine_code import foreign_objection, head_of
from arena.bots.manifest import Manifest
from arena.errors import BotError, MissingToolchainError
from protocol.wording import escaped, nearest_name, quoted

DEBIAN_PACKAGES = {
    "awk": "mawk",
    "bash": "bash",
    "cargo": "cargo",
    "cc": "gcc",
    "clang": "clang",
    "clang++": "clang",
    "cmake": "cmake",
    "dotnet": "dotnet-sdk-8.0",
    "ethereal-chess": "ethereal-chess",
    "fairy-stockfish": "fairy-stockfish",
    "fairymax": "fairymax",
    "g++": "g++",
    "gcc": "gcc",
    "ghc": "ghc",
    "gnuchess": "gnuchess",
    "gnugo": "gnugo",
    "go": "golang-go",
    "gpsusi": "gpsshogi",
    "gtp-rhino": "grhino",
    "hoichess": "hoichess",
    "java": "default-jre-headless",
    "javac": "default-jdk-headless",
    "jq": "jq",
    "lua": "lua5.4",
    "make": "make",
    "mcs": "mono-mcs",
    "mono": "mono-runtime",
    "mvn": "maven",
    "node": "nodejs",
    "npm": "npm",
    "ocamlfind": "ocaml-findlib",
    "perl": "perl",
    "phalanx": "phalanx",
    "php": "php-cli",
    "python3": "python3",
    "ruby": "ruby",
    "rustc": "rustc",
    "stockfish": "stockfish",
    "toga2": "toga2",
    "zig": "zig",
}
"""Debian package of each program, to name it where a program is missing."""
NOT_THERE = "is not there"
NOT_EXECUTABLE = "is not executable; chmod +x"
_SHOWN = 100
"""Limit of the characters shown of a path."""


def check_programs(manifest: Manifest, commands: Sequence[Sequence[str] | None]) -> None:
    """Raise BotError if programs of these commands are missing, with their Debian packages."""
    programs = [command[0] for command in commands if command]
    missing = [
        program
        for program in dict.fromkeys(programs)
        if program != "{python}" and "/" not in program and not installed(program)
    ]
    for program in missing:
        if len(program.split()) > 1:
            first = program.split(maxsplit=1)[0]
            detail = (
                f"there is no program {quoted(program)}; no shell reads this,"
                f" write [{first}, ...] or [sh, -c, {quoted(program)}]"
            )
            raise BotError(manifest.name, detail)
    if missing:
        packages = {program: DEBIAN_PACKAGES.get(program, "") for program in missing}
        raise MissingToolchainError(manifest.name, packages, meant=_meant(packages))


def _meant(packages: Mapping[str, str]) -> str | None:
    """Return the known program that is most like the only missing one, if that is unknown."""
    (first, package), *rest = packages.items()
    return None if package or rest else nearest_name(first, DEBIAN_PACKAGES)


def start_objection(folder: Path, program: str) -> str | None:
    """Return why the kernel will not start a program with a path, or None.

    A program can be anything: a folder, a pipe that nobody writes, a name of any bytes.
    """
    path = folder / program
    if (reason := _objection(path)) is not None:
        return reason
    if not os.access(path, os.X_OK):
        return f"{NOT_EXECUTABLE}{_other_way(path, program)}"
    return _script_objection(path, folder)


def _other_way(path: Path, program: str) -> str:
    """Return how a script is started without the right to be executed, which Windows lacks."""
    try:
        first = head_of(path).partition(b"\n")[0]
    except OSError:
        return ""
    words = [os.fsdecode(word).rpartition("/")[2] for word in first[2:].split()]
    if not first.startswith(b"#!") or not words:
        return ""
    interpreter = shortened(words[1] if words[0] == "env" and words[1:] else words[0])
    return f", or on Windows write run: [{interpreter}, {shortened(program)}]"


def _script_objection(path: Path, folder: Path) -> str | None:
    try:
        head = head_of(path)
    except OSError:
        return None  # a program may be executable and not readable
    first = head.partition(b"\n")[0]
    if not first.startswith(b"#!"):
        return foreign_objection(head, path)
    if first.endswith(b"\r"):
        return f"has the line ends of Windows; convert them: sed -i 's/\\r$//' {path.name}"
    name = os.fsdecode(next(iter(first[2:].split()), b""))
    reason = _objection(folder / name) if name else None
    return f"begins with #!{shortened(name)}, which {reason}" if reason else None


def _objection(path: Path) -> str | None:
    """Return why a path is that of no program, or None."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return NOT_THERE
    except OSError as error:
        return f"cannot be started: {error.strerror}"
    except ValueError:  # a null character
        return "cannot be started: its name is none of a file"
    if stat.S_ISREG(mode):
        return None
    return "is a folder" if stat.S_ISDIR(mode) else "is no ordinary file"


def shortened(text: str) -> str:
    """Return a path for a message: printable, on one line, cut short."""
    return escaped(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
