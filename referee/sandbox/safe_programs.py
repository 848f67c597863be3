"""Programs that Arena starts outside the sandbox, found where no other user can replace them.

A search by the system would use every folder on the PATH, also a relative or empty one: a program
in the current folder, such as that of a pull request, would run as the user of Arena.
"""

import functools
import os
import stat
from pathlib import Path


def safe_program(name: str) -> str | None:
    """Return the absolute path of a program on the PATH that no other user can replace."""
    return _found(name, os.environ.get("PATH", os.defpath))


@functools.lru_cache(maxsize=8)
def _found(name: str, path: str) -> str | None:
    for folder in map(Path, path.split(os.pathsep)):
        program = folder / name
        if folder.is_absolute() and os.access(program, os.X_OK) and _is_safe(program):
            return str(program)
    return None


def _is_safe(program: Path) -> bool:
    """Whether only root and this user can change a program, and the folders above it."""
    try:
        real = program.resolve()
        parts = {program.parent, *program.parent.parents, real, *real.parents}
        return all(_is_closed(part.stat()) for part in parts)
    except (OSError, RuntimeError):  # a loop of links, or a folder that is hidden
        return False


def _is_closed(status: os.stat_result) -> bool:
    is_open = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
    return not is_open and status.st_uid in (0, os.geteuid())
