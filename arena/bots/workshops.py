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
from referee.sandbox.directory import remove_directory

MAX_WORKSHOPS = 50
"""Maximum number of workshops to keep."""


@contextlib.contextmanager
def workshop(manifest: Manifest, command: Sequence[str], place: Path) -> Iterator[Path]:
    """Lock the bot's workshop: a folder owned by the director; contains the build's home."""
    toolchain = shutil.which(command[0]) or command[0]
    key = "\0".join([str(manifest.path.resolve()), manifest.name, toolchain])
    shop = place / hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()[:32]
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = os.open(place / f"{shop.name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.utime(lock)
        shop.mkdir(exist_ok=True, mode=0o700)
        (shop / "home").mkdir(exist_ok=True, mode=0o700)
        yield shop
    finally:
        os.close(lock)
        with contextlib.suppress(OSError):
            _forget_old(place)


def _forget_old(place: Path) -> None:
    """Remove the longest unused workshops above `MAX_WORKSHOPS`, except locked ones."""
    locks = sorted(place.glob("*.lock"), key=lambda path: path.stat().st_mtime_ns)
    for path in locks[:-MAX_WORKSHOPS]:
        with path.open() as lock, contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_directory(place / path.stem)
            path.unlink()
