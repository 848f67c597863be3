"""Change of a process from root to an ordinary user (`users.py`).

The interpreter or a bot may lie in a directory closed to other users, such as root's home. For
this bot only, such a directory is then covered by an empty one with just the files it needs.
"""

from __future__ import annotations

import ctypes
import functools
import os
import stat

from referee.sandbox.mounting import (
    check,
    close_cover,
    cover,
    make_place,
    mount_opened,
    separate_mounts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

NOBODY = 65534

_CAP_SYS_ADMIN = 21
_CAP_SYS_NICE = 23
_TO_CHANGE_USER = (0, 6, 7)
"""Capabilities to change the owner of files, and the group and user of a process."""
_PR_CAPBSET_DROP = 24
_VERSION_3 = 0x20080522
_libc = ctypes.CDLL(None, use_errno=True)


def is_root() -> bool:
    """Return whether this process is root, so its bots must run as another user."""
    return os.geteuid() == 0


def can_become(user: int, paths: Iterable[Path]) -> bool:
    """Return whether this process may become a user that reaches these paths.

    Root of a container may lack the capabilities, and a user namespace may have one id only.
    """
    if not all(map(_has, _TO_CHANGE_USER)):
        return False
    if not (is_mapped("uid_map", user) and is_mapped("gid_map", user)):
        return False
    return has_admin() or not hidden(paths)


@functools.cache
def is_mapped(name: str, number: int) -> bool:
    """Return whether this process's user namespace has this id, which never changes."""
    with open(f"/proc/self/{name}", encoding="utf-8") as lines:
        ranges = [tuple(map(int, line.split())) for line in lines]
    return any(first <= number < first + count for first, _, count in ranges)


def hidden(paths: Iterable[Path]) -> dict[str, list[str]]:
    """Return the paths that another user cannot reach, by their topmost closed parent."""
    found: dict[str, list[str]] = {}
    known: dict[str, bool | None] = {}
    for path in map(os.fspath, paths):
        if barrier := _barrier(path, known):
            found.setdefault(barrier, []).append(path)
    return found


def become(user: int, hidden: Mapping[str, Sequence[str]]) -> None:
    """Change to this user, make the hidden paths reachable, and re-enter the current directory."""
    if hidden:
        separate_mounts()
        for barrier in sorted(hidden):
            _cover(barrier, hidden[barrier])
        os.chdir(os.getcwd())
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def give_up_capabilities() -> None:
    """Drop all capabilities of root, permanently."""
    for capability in range(64):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    check(_libc.capset(header, (ctypes.c_uint32 * 6)()))


def _barrier(path: str, known: dict[str, bool | None]) -> str | None:
    """Return the topmost parent closed to other users, or None; `known` keeps what was seen."""
    folder = ""
    for part in path.split("/")[:-1]:
        folder += part + "/"
        if folder not in known:
            known[folder] = _is_closed(folder)
        if known[folder] is not False:
            return folder.rstrip("/") or "/" if known[folder] else None
    return None


def _is_closed(folder: str) -> bool | None:
    """Return whether other users cannot enter the folder; None if it cannot be looked at."""
    try:
        return not os.stat(folder).st_mode & stat.S_IXOTH
    except OSError:
        return None


def has_admin() -> bool:
    """Return whether this process may mount."""
    return _has(_CAP_SYS_ADMIN)


def can_set_cores() -> bool:
    """Return whether this process may set the cores of a running bot, if of another user."""
    try:
        os.sched_setaffinity(0, os.sched_getaffinity(0))
    except OSError:
        return False
    has_other_user = is_root() and all(map(_has, _TO_CHANGE_USER))
    return not has_other_user or _has(_CAP_SYS_NICE)


def _has(capability: int) -> bool:
    return bool(_capabilities() >> capability & 1)


@functools.cache
def _capabilities() -> int:
    """Return the capabilities of this process, which never change, as bits."""
    try:
        with open("/proc/self/status", encoding="utf-8") as status:
            lines = status.read().splitlines()
    except OSError:
        return 0
    effective = next((line for line in lines if line.startswith("CapEff:")), "CapEff: 0")
    return int(effective.split()[1], 16)


def _cover(barrier: str, paths: Sequence[str]) -> None:
    """Cover the barrier by an empty directory with only these paths."""
    kept = [
        (path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in paths if os.path.exists(path)
    ]
    cover(barrier)
    for path, descriptor in kept:
        if not os.path.exists(path):
            make_place(path, descriptor)
            mount_opened(descriptor, path)
        os.close(descriptor)
    close_cover(barrier)
