"""The programs that bots need on this machine, and the Debian packages of missing ones."""

from collections.abc import Sequence

from arena.bots.installations import installed
from arena.bots.manifest import Manifest
from arena.errors import BotError, MissingToolchainError
from protocol.wording import quoted

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
    "g++": "g++",
    "gcc": "gcc",
    "ghc": "ghc",
    "gnuchess": "gnuchess",
    "gnugo": "gnugo",
    "go": "golang-go",
    "gpsusi": "gpsshogi",
    "gtp-rhino": "grhino",
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
    "php": "php-cli",
    "python3": "python3",
    "ruby": "ruby",
    "rustc": "rustc",
    "stockfish": "stockfish",
    "toga2": "toga2",
    "zig": "zig",
}
"""Debian package of each program, to name it where a program is missing."""


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
        raise MissingToolchainError(manifest.name, packages)
