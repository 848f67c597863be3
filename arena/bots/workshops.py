"""Workshops: folders in which bots are built, kept from build to build.

The toolchain of a bot reuses fetched packages and compiled files there, so that a small change is
built fast. A workshop belongs to the path of a bot.yaml. Builds of other bots can neither read nor
write it, so files of a hostile build affect its own bot only.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.bots.manifest import Manifest
from referee.sandbox import remove_directory

MAX_WORKSHOPS = 50
"""Maximum number of workshops to keep."""
ROOM = 1 << 30
"""Bytes to have free on the disk before a build, if the removal of workshops can free them."""


@contextlib.contextmanager
def workshop(manifest: Manifest, command: Sequence[str], place: Path) -> Iterator[Path]:
    """Lock the bot's workshop: a folder owned by the director; contains the build's home."""
    toolchain = shutil.which(command[0]) or command[0]
    key = "\0".join([str(manifest.path.resolve()), manifest.name, toolchain])
    shop = place / hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()[:32]
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    _make_room(place)
    lock = _lock(place / f"{shop.name}.lock")
    try:
        os.utime(lock)
        shop.mkdir(exist_ok=True, mode=0o700)
        (shop / "home").mkdir(exist_ok=True, mode=0o700)
        yield shop
    finally:
        os.close(lock)
        with contextlib.suppress(OSError):
            _forget_old(place)


def _lock(path: Path) -> int:
    """Lock a file; return its descriptor."""
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.fstat(lock).st_nlink:
            return lock
        os.close(lock)  # another director has removed the file meanwhile


def _make_room(place: Path) -> None:
    """Remove the largest workshops if the disk is nearly full, so that no build starves others."""
    if _has_room(place):
        return
    locks = sorted(place.glob("*.lock"), key=lambda lock: _size(lock.with_suffix("")), reverse=True)
    for lock in locks:
        _forget(lock)
        if _has_room(place):
            return


def _has_room(place: Path) -> bool:
    return shutil.disk_usage(place).free >= ROOM


def _size(folder: Path) -> int:
    """Return the bytes that a folder takes on its disk."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):  # another director builds there
                total += Path(root, name).lstat().st_blocks * 512
    return total


def _forget_old(place: Path) -> None:
    """Remove the longest unused workshops above `MAX_WORKSHOPS`."""
    locks = sorted(place.glob("*.lock"), key=lambda path: path.stat().st_mtime_ns)
    for path in locks[:-MAX_WORKSHOPS]:
        _forget(path)


def _forget(path: Path) -> None:
    """Remove the workshop of a lock file, unless it is in use."""
    with contextlib.suppress(OSError), path.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_directory(path.with_suffix(""))
        path.unlink()
