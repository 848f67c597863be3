"""A bot that runs from its author's files instead of their copies, for a debugger.

A traceback or a debugger then names the files that the author edits.
"""

import filecmp
import os
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from arena.bots.compiled_bridges import SUFFIX
from referee.job import Player


def with_own_files(entry: Player) -> tuple[Player, str]:
    """Return the bot in its author's folder, and the variables for it as words of a shell.

    Modules of Python that come from elsewhere, like a kit, are still imported from the copy. A bot
    with other files of this kind, like the results of a build, stays in the copy.
    """
    copy, own = Path(entry.folder), Path(entry.source)
    foreign = [name for name in _files(copy) if not _is_same(copy / name, own / name)]
    if not entry.source or any(name.suffix not in (".py", SUFFIX) for name in foreign):
        return entry, ""
    argv = tuple(str(copy / word) if Path(word) in foreign else word for word in entry.argv)
    path = f"PYTHONPATH={shlex.quote(entry.folder)} " if foreign else ""
    return replace(entry, argv=argv, folder=entry.source), f"{path}PYTHONDONTWRITEBYTECODE=1"


def _files(folder: Path) -> Iterator[Path]:
    """Yield the relative paths of all files but compiled modules."""
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            yield Path(root, name).relative_to(folder)


def _is_same(copy: Path, own: Path) -> bool:
    return own.is_file() and filecmp.cmp(copy, own, shallow=False)
