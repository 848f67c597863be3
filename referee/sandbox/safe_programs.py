"""Programs that Arena starts outside the sandbox, found where no other user can replace them.

A search by the system would use every folder on the PATH, also a relative or empty one: a program
in the current folder, such as that of a pull request, would run as the user of Arena.
"""

import functools
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from referee.sandbox.unprivileged import NOBODY

REPLACEABLE = "is not started, since others can replace it"


def safe_program(name: str) -> str | None:
    """Return the absolute path of a program on the PATH that no other user can replace."""
    return _found(name, os.environ.get("PATH", os.defpath))


def why_missing(name: str, title: str) -> str | None:
    """Return why a program cannot be started, named by its title; None if it can be."""
    if safe_program(name) is not None:
        return None
    for program in _programs(name, os.environ.get("PATH", os.defpath)):
        return f"{program} {REPLACEABLE}: {_weakness(program)}"
    return f"{title} is not installed"


def _programs(name: str, path: str) -> Iterator[Path]:
    """Yield the programs of this name in the absolute folders of a PATH."""
    for folder in map(Path, path.split(os.pathsep)):
        program = folder / name
        if folder.is_absolute() and os.access(program, os.X_OK):
            yield program


@functools.lru_cache(maxsize=8)
def _found(name: str, path: str) -> str | None:
    return next((str(found) for found in _programs(name, path) if not _weakness(found)), None)


def _weakness(program: Path) -> str | None:
    """Return how others than root and this user can change a program or a folder above it."""
    try:
        real = program.resolve()
        for part in (real, *real.parents, *program.parents):
            if opening := _opening(part.stat()):
                return f"{part} {opening}"
    except (OSError, RuntimeError):  # a loop of links, or a folder that is hidden
        return "its folders cannot be read"
    return None


def _opening(status: os.stat_result) -> str | None:
    """Return how others can change a file or a folder, None if they cannot."""
    if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
        return "may be written by everybody"
    if status.st_uid in (0, os.geteuid()):
        return None
    unmapped = ", or a user without an id in this user namespace"
    return f"belongs to user {status.st_uid}{unmapped if status.st_uid == NOBODY else ''}"
