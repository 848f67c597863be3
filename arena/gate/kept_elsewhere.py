"""Parts of a revision that git keeps elsewhere: the content of files of Git LFS, and submodules.

Without them a bot of that revision is another one than its author's, and a gate against it decides
nothing. Content that is stored beside the repository is filled in, after a comparison of its hash;
no program of Git LFS runs.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.bots.lfs_pointers import files_below, pointer_of
from arena.bots.sources import BOT_BYTES
from arena.reading.safe_open import open_without_links

_POINTER: Final = re.compile(rb"[^\n]+\noid sha256:([0-9a-f]{64})\nsize ([0-9]{1,12})\n")
_CHUNK: Final = 1024 * 1024


def fill_pointers(root: Path, stored: Path, own: Path) -> Iterator[Path]:
    """Fill in the content of pointers of Git LFS in a file or folder, from its stored objects.

    Yields those without content, unless the same file at `own`, of the compared bot, is a pointer
    as well. The content of all together is as large as a bot may be at most: a small commit can
    name one large object many times.
    """
    left = BOT_BYTES
    for file in list(files_below(root)):
        if (head := pointer_of(file)) is None:
            continue
        found = _POINTER.fullmatch(head)
        size = int(found[2]) if found else 0
        if found and size <= left and _fill(file, found[1].decode(), size, stored):
            left -= size
            continue
        place = file.relative_to(root)
        if pointer_of(own / place if place.parts else own) is None:
            yield place


def is_left_empty(own: Path) -> bool:
    """Whether the folder of a submodule was never filled, so that no bot there uses it."""
    return own.is_dir() and not any(own.iterdir())


def _fill(file: Path, name: str, size: int, stored: Path) -> bool:
    """Write the stored content over a pointer; return whether it is the one that is meant."""
    copy = file.with_name(f".{name}")
    digest = hashlib.sha256()
    left = size + 1  # one byte more than is meant shows that it is another content
    try:
        source = open_without_links((stored / name[:2] / name[2:4] / name).resolve())
        with os.fdopen(source, "rb") as content, copy.open("xb") as filled:
            while chunk := content.read(min(left, _CHUNK)):
                left -= len(chunk)
                digest.update(chunk)
                filled.write(chunk)
    except OSError:
        copy.unlink(missing_ok=True)
        return False
    if digest.hexdigest() != name:
        copy.unlink()
        return False
    copy.chmod(file.stat().st_mode)
    copy.replace(file)
    return True
