"""Files kept by the hash of their bytes: written and on disk before any row names them.

A file is written under a temporary name, synced and then renamed, so that a file with a name is
whole. Nothing is ever overwritten. Temporary files of killed processes are removed at the start.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena.errors import MachineError, UsageError
from arena.new_files import sync

FREE_BYTES = 512 * 1024 * 1024
"""Free disk below which nothing is accepted and no match begins."""
LONGEST_S = 3600
"""Time in seconds in which every hand-in has arrived."""
_PART = ".part."


class TooLargeError(UsageError):
    """More bytes than allowed."""


@dataclass(frozen=True)
class Kept:
    """A file on disk."""

    digest: str
    size: int


def keep(folder: Path, chunks: Iterable[bytes], most: int) -> Kept:
    """Write the bytes and return them once they are on disk; raises TooLargeError, MachineError."""
    require_room(folder)
    digest, size = hashlib.sha256(), 0
    descriptor, name = tempfile.mkstemp(prefix=_PART, dir=folder)
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for chunk in chunks:
                if (size := size + len(chunk)) > most:
                    raise TooLargeError(f"has more than {most // 1_000_000} MB")
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        part.rename(_made(place(folder, digest.hexdigest())))
        sync(place(folder, digest.hexdigest()).parent)
    except OSError as error:
        raise MachineError(f"{folder}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            part.unlink()
    return Kept(digest.hexdigest(), size)


def place(folder: Path, digest: str) -> Path:
    """Return the path of a kept file."""
    return folder / digest[:2] / digest[2:]


def require_room(folder: Path) -> None:
    """Raise MachineError while the disk has too little free space."""
    if shutil.disk_usage(folder).free < FREE_BYTES:
        raise MachineError(
            f"the disk of {folder} has less than {FREE_BYTES >> 20} MB free; remove files from it,"
            " or move the league to a larger disk"
        )


def sweep_parts(folder: Path) -> None:
    """Remove what killed processes have left half written, and nothing that still arrives."""
    since_s = time.time() - LONGEST_S
    for part in folder.glob(f"{_PART}*"):
        with suppress(OSError):
            if part.stat().st_mtime < since_s:
                part.unlink()


def _made(path: Path) -> Path:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    sync(path.parent.parent)  # also of a folder that a process made which was killed before this
    return path
