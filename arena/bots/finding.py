"""The bot.yaml in a folder or unpacked archive of an author."""

import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.bots.archives import OTHER_SUFFIXES, SUFFIXES
from arena.bots.shipped import MANIFEST
from arena.errors import BotError
from protocol.wording import quoted

MAX_LOOKED_AT: Final = 1000
"""Limit of the entries of a folder without a bot.yaml."""


def manifest_in(folder: Path, reference: str, *, where: str, choose: str) -> Path:
    """Return the path of the only bot.yaml in a folder, or in the folder in it.

    Raises BotError for `reference`; its text names the folder by `where`, and says to `choose` one
    of several bots.
    """
    if (folder / MANIFEST).exists():
        return folder / MANIFEST
    inside = _bots_in(folder)
    if len(inside) > 1:
        *first, last = (quoted(path.relative_to(folder).as_posix()) for path in inside)
        names = f"{', '.join(first)} and {last}"
        raise BotError(reference, f"{where} has {len(inside)} bots, in {names}; {choose}")
    if not inside:
        raise BotError(reference, f"{where} has no {MANIFEST}{_near(folder)}")
    return inside[0] / MANIFEST


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(itertools.islice(entries, MAX_LOOKED_AT), key=lambda entry: entry.name)


def _bots_in(folder: Path, levels: int = 3) -> Sequence[Path]:
    """Return the folders in this one with a bot.yaml, as an unpacked archive has.

    A folder alone is searched too. Neither links nor names that are no text, or that would end a
    line of a message.
    """
    folders = [
        Path(entry.path)
        for entry in _entries(folder)
        if entry.is_dir(follow_symlinks=False)
        and entry.name.isprintable()
        and entry.name != "__MACOSX"
    ]
    bots = [inner for inner in folders if (inner / MANIFEST).is_file()]
    if bots or len(folders) != 1 or levels == 1:
        return bots
    return _bots_in(folders[0], levels - 1)


def _near(folder: Path) -> str:
    """Return where the bot.yaml of a folder without one may be, or how to write it."""
    for name in (entry.name for entry in _entries(folder)):
        if name.lower() in (MANIFEST, "bot.yml", f"{MANIFEST}.txt"):
            return f", but {quoted(name)}; rename it"
        if (folder / name / MANIFEST).is_file():
            return f", but the folder {quoted(name)} in it has one; give its path"
        if name.lower().endswith((*SUFFIXES, *OTHER_SUFFIXES)):
            return f", but {quoted(name)}; unpack it"
    return """; write one, like `run: ["{python}", main.py]`; `arena init` writes a first bot"""
