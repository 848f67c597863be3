"""What a bot that is shut in may see of the machine: programs and libraries, and nothing of people.

Its interpreter may lie anywhere, in a home folder too; then the installation it belongs to is
shown, but never a whole home.
"""

import sys
from pathlib import Path

from referee.job import Player

SYSTEM = tuple(
    Path(path)
    for path in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
)
"""Programs and libraries of the system; some are links to others."""
_SETTINGS = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "java*"),
    "ssl/openssl.cnf",  # node does not start if it is there and cannot be read
)
_PROGRAM_FOLDERS = frozenset({"bin", "sbin"})
_SHARED = frozenset(
    Path("/", name) for name in ("", "etc", "home", "mnt", "opt", "root", "srv", "tmp", "var")
)


def system_paths() -> list[Path]:
    """Return the system's own folders, and the settings that programs do not start without."""
    settings = [path for pattern in _SETTINGS for path in Path("/etc").glob(pattern)]
    return [path for path in (*SYSTEM, *sorted(settings)) if path.exists()]


def own_paths(player: Player) -> list[Path]:
    """Return what this bot needs beside the system: its folder, its program, its interpreter."""
    wanted = [
        Path(player.folder),
        *(Path(prefix) for prefix in (sys.base_prefix, sys.prefix)),
        *_installation(player.argv[0] if player.argv else ""),
    ]
    both = sorted({*wanted, *(path.resolve() for path in wanted)})
    shown: list[Path] = []
    for path in both:
        above = (*SYSTEM, *shown)
        if path.exists() and not any(path.is_relative_to(folder) for folder in above):
            shown.append(path)
    return shown


def _installation(program: str) -> list[Path]:
    """Return the folder that an installed program belongs to, or the program alone."""
    path = Path(program)
    if not path.is_absolute():
        return []
    return [_prefix(path), _prefix(path.resolve())]


def _prefix(program: Path) -> Path:
    prefix = program.parent.parent
    is_shared = prefix in _SHARED or Path.home().is_relative_to(prefix)
    return program if is_shared or program.parent.name not in _PROGRAM_FOLDERS else prefix
