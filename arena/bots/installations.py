"""Visibility of toolchains and programs to sandboxed bots."""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from referee.cache import arena_cache
from referee.sandbox import TOOLCHAINS, installations, is_visible, objection, without_shims

ENGINES = "/usr/games"
"""Folder of Debian's games and their engines; the PATH of many users is without it."""


def installed(program: str) -> str | None:
    """Return the path of a program by its name: on the PATH, or where Debian puts engines."""
    path = without_shims(os.environ.get("PATH", os.defpath))
    return shutil.which(program, path=f"{path}{os.pathsep}{ENGINES}")


def hidden(programs: Sequence[str], named: Sequence[str]) -> str | None:
    """Return why a program is hidden from a sandboxed bot, and the cure; None if all are visible.

    `named` are the installations of the event's config. Programs in the bot's own folder have
    relative paths and are always visible.
    """
    for program in programs:
        if program.startswith("/") and not is_visible(Path(program), arena_cache(), named):
            cure = _cure(_unseen(program, named))
            return f"its program {program} is hidden from sandboxed bots; {cure}"
    return None


def hidden_file(path: Path, what: str, named: Sequence[str]) -> str | None:
    """Return why a file or folder is hidden from a sandboxed bot, and the cure; None if visible.

    `what` names it in the text.
    """
    if is_visible(path, arena_cache(), named):
        return None
    unseen = _unseen(str(path), named)
    folders = dict.fromkeys(each if each.is_dir() else each.parent for each in unseen)
    return f"{what} is hidden from sandboxed bots; {_allowed(list(folders))}"


def hidden_toolchains() -> Iterator[tuple[str, str]]:
    """Yield each toolchain on the PATH with an installation hidden from bots, and the cure."""
    shown = installations(arena_cache())
    for name in TOOLCHAINS:
        if (found := installed(name)) is None:
            continue
        real = Path(found).resolve()
        if real in {path.resolve() for path in shown if path.is_file()}:
            yield name, f"its installation {real.parent.parent} is hidden; {_cure([real])}"


def _unseen(program: str, named: Sequence[str]) -> list[Path]:
    """Return the hidden ones of a program's path and of the program that it links to."""
    plain = Path(os.path.normpath(program))
    try:
        both = dict.fromkeys([plain, plain.resolve()])
    except OSError:
        return [plain]
    return [path for path in both if not is_visible(path, arena_cache(), named)] or [plain]


def _cure(programs: Sequence[Path]) -> str:
    prefixes = [
        path.parent.parent if path.parent.name in ("bin", "sbin") else path.parent
        for path in programs
    ]
    return _allowed(prefixes)


def _allowed(prefixes: Sequence[Path]) -> str:
    for prefix in prefixes:
        if (reason := objection(prefix, arena_cache())) is not None:
            return f"{prefix} {reason}, so install it in a separate folder, for example below /opt"
    named = ", ".join(map(str, prefixes))
    return (
        f"allow it in the event's config: installations: [{named}]; for `arena match` and `gate`:"
        f" -c 'installations=[{named}]'"
    )
