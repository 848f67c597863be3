"""Pointers of Git LFS: small files that stand for large ones until git-lfs fetches these."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.reading.safe_open import open_without_links

POINTER: Final = b"version https://git-lfs.github.com/spec/"
"""The beginning of each pointer."""
_MAX_BYTES: Final = 1024
"""Limit of a pointer, by its specification."""


def pointer_of(file: Path) -> bytes | None:
    """Return the text of an ordinary file if it is a pointer."""
    try:
        if file.lstat().st_size > _MAX_BYTES:
            return None
        with os.fdopen(open_without_links(file.resolve()), "rb") as opened:
            head = opened.read(_MAX_BYTES)
    except (OSError, RuntimeError):
        return None
    return head if head.startswith(POINTER) else None


def files_below(root: Path) -> Iterator[Path]:
    """Yield the ordinary files at or below a path, no links."""
    if not root.is_dir():
        yield root
        return
    for folder, _, names in os.walk(root):
        for path in (Path(folder, name) for name in names):
            if stat.S_ISREG(path.lstat().st_mode):
                yield path
