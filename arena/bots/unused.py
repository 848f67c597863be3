"""Prepared bots and unpacked archives that nothing has used for a long time are removed."""

import contextlib
import os
import shutil
import tempfile
import time
from pathlib import Path

UNUSED_S = 90 * 24 * 3600
"""Age in seconds of the last use from which a folder is removed. An event that runs for longer than
this without a restart may lose its bots."""


def mark_used(folder: Path) -> None:
    """Note that a kept folder is used now; not where another user owns it."""
    with contextlib.suppress(OSError):
        os.utime(folder)


def remove_unused(kept: Path) -> None:
    """Remove the folders in `kept` that nobody has used for UNUSED_S, half-made ones included.

    A folder is moved aside first, so that no other arena finds a part of it. What cannot be
    removed stays: it costs disk space alone.
    """
    now_s = time.time()
    for folder in _folders(kept):
        with contextlib.suppress(OSError):
            if now_s - folder.stat().st_mtime > UNUSED_S:
                aside = Path(tempfile.mkdtemp(prefix=".unused.", dir=kept))
                folder.rename(aside / "files")
                shutil.rmtree(aside, ignore_errors=True)


def _folders(kept: Path) -> list[Path]:
    try:
        return [Path(entry) for entry in os.scandir(kept) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
