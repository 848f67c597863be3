"""Mounts of root in a new process, unseen by all others. It imports little (`steps.py`)."""

from __future__ import annotations

import ctypes
import os
import stat

_CLONE_NEWNS = 0x20000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 1, 2, 4, 32
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_libc = ctypes.CDLL(None, use_errno=True)


def separate_mounts() -> None:
    """Give this process its own mounts: later ones are seen by its children alone."""
    check(_libc.unshare(_CLONE_NEWNS))
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)


def cover(directory: str) -> None:
    """Mount a small empty file system on a directory."""
    _mount("tmpfs", directory, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=1m")


def close_cover(directory: str) -> None:
    """Make a cover read-only."""
    flags = _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV
    _mount(None, directory, None, flags)


def make_place(path: str, descriptor: int) -> None:
    """Make an empty file or directory to mount on, as is the opened one."""
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.makedirs(path, exist_ok=True)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))


def mount_opened(descriptor: int, path: str) -> None:
    """Mount an opened file or directory on another one, with all that is mounted in it."""
    _mount(f"/proc/self/fd/{descriptor}", path, None, _MS_BIND | _MS_REC)


def check(result: int) -> None:
    """Raise OSError if a call of the C library has failed."""
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    words = [os.fsencode(word) if word is not None else None for word in (source, target, kind)]
    options = data.encode() if data is not None else None
    check(_libc.mount(*words, ctypes.c_ulong(flags), options))
