"""Mounts of root in a new process, unseen by all others. It imports little (`steps.py`)."""

from __future__ import annotations

import ctypes
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

KINDS = {"mnt": 0x20000, "net": 0x40000000}
"""Kinds of namespaces: CLONE_NEWNS and CLONE_NEWNET."""
_MNT_DETACH = 2
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 1, 2, 4, 8, 32
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_libc = ctypes.CDLL(None, use_errno=True)


def separate_mounts() -> None:
    """Give this process its own mounts: later ones are seen by its children alone."""
    check(_libc.unshare(KINDS["mnt"]))
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)


def separate_network() -> None:
    """Give this process a network of its own, with nothing in it."""
    check(_libc.unshare(KINDS["net"]))


def enter(descriptor: int, kind: str) -> bool:
    """Enter an open namespace and close its file; return whether the machine allows this."""
    is_inside: bool = _libc.setns(descriptor, KINDS[kind]) == 0
    os.close(descriptor)
    return is_inside


def detach(path: str) -> None:
    """Remove a mount, if there is one, with all mounts inside it."""
    _libc.umount2(os.fsencode(path), _MNT_DETACH)


def detach_others(needed: Collection[str]) -> None:
    """Remove all mounts that neither contain one of these paths nor lie in one."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
        places = [line.split(" ")[4] for line in table]
    for place in places:
        # the table has other names for some characters: such a mount stays
        if not any(_is_in(path, place) or _is_in(place, path) for path in needed):
            detach(place)


def _is_in(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")


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
    """Mount an opened file or directory, with all mounts inside it, on another one."""
    _mount(f"/proc/self/fd/{descriptor}", path, None, _MS_BIND | _MS_REC)


def mount_terminals(directory: str) -> None:
    """Mount a new file system of terminals, with none in it, on a directory."""
    options = "newinstance,ptmxmode=0666,mode=620"
    _mount("devpts", directory, "devpts", _MS_NOSUID | _MS_NOEXEC, options)


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
