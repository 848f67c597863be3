"""Change of a process from root to an ordinary user (`users.py`).

The interpreter or a bot may lie in a directory closed to other users, such as root's home. For
this bot only, such a directory is then covered by an empty one with just the files it needs.
"""

from __future__ import annotations

import ctypes
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

NOBODY = 65534

_CLONE_NEWNS = 0x20000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 1, 2, 4, 32
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_CAP_SYS_ADMIN = 21
_PR_CAPBSET_DROP = 24
_VERSION_3 = 0x20080522
_libc = ctypes.CDLL(None, use_errno=True)


def is_root() -> bool:
    """Return whether this process is root, so its bots must run as another user."""
    return os.geteuid() == 0


def can_become_another(paths: Iterable[Path]) -> bool:
    """Return whether another user can reach these paths, or `become` can make them reachable."""
    return _has_admin() or not hidden(paths)


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
        _check(_libc.unshare(_CLONE_NEWNS))
        _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
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
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()))


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


def _has_admin() -> bool:
    try:
        with open("/proc/self/status", encoding="utf-8") as status:
            lines = status.read().splitlines()
    except OSError:
        return False
    effective = next((line for line in lines if line.startswith("CapEff:")), "CapEff: 0")
    return bool(int(effective.split()[1], 16) >> _CAP_SYS_ADMIN & 1)


def _cover(barrier: str, paths: Sequence[str]) -> None:
    """Cover the barrier by an empty directory with only these paths."""
    kept = [
        (path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in paths if os.path.exists(path)
    ]
    _mount("tmpfs", barrier, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=1m")
    for path, descriptor in kept:
        source = f"/proc/self/fd/{descriptor}"
        if not os.path.exists(path):
            _make_place(path, is_folder=stat.S_ISDIR(os.fstat(descriptor).st_mode))
            _mount(source, path, None, _MS_BIND | _MS_REC)
        os.close(descriptor)
    flags = _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV
    _mount(None, barrier, None, flags)


def _make_place(path: str, *, is_folder: bool) -> None:
    os.makedirs(path if is_folder else os.path.dirname(path), exist_ok=True)
    if not is_folder:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    words = [word.encode() if word is not None else None for word in (source, target, kind, data)]
    _check(_libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[3]))


def _check(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
