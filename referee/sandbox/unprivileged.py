"""Change of a process from root to an ordinary user (`users.py`).

The interpreter or a bot may lie in a directory closed to other users, such as root's home. For
this bot only, such a directory is then covered by an empty one with just the files it needs.
"""

import ctypes
import os
import stat
from collections.abc import Iterable, Sequence
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
    return _has_admin() or not any(map(_barrier, paths))


def become(user: int, paths: Sequence[Path]) -> None:
    """Change to this user, make the paths reachable for it, and re-enter the current directory."""
    hidden: dict[Path, list[Path]] = {}
    for path in paths:
        if barrier := _barrier(path):
            hidden.setdefault(barrier, []).append(path)
    if hidden:
        _check(_libc.unshare(_CLONE_NEWNS))
        _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
        for barrier in sorted(hidden):
            _cover(barrier, hidden[barrier])
        os.chdir(Path.cwd())
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def give_up_capabilities() -> None:
    """Drop all capabilities of root, permanently."""
    for capability in range(64):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()))


def _barrier(path: Path) -> Path | None:
    """Return the topmost parent closed to other users, or None."""
    for folder in reversed(path.parents):
        try:
            if not folder.stat().st_mode & stat.S_IXOTH:
                return folder
        except OSError:
            return None
    return None


def _has_admin() -> bool:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return False
    effective = next((line for line in lines if line.startswith("CapEff:")), "CapEff: 0")
    return bool(int(effective.split()[1], 16) >> _CAP_SYS_ADMIN & 1)


def _cover(barrier: Path, paths: Sequence[Path]) -> None:
    """Cover the barrier by an empty directory with only these paths."""
    kept = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in paths if path.exists()]
    _mount("tmpfs", str(barrier), "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=1m")
    for path, descriptor in kept:
        source = f"/proc/self/fd/{descriptor}"
        if not path.exists():
            _make_place(path, is_folder=stat.S_ISDIR(os.fstat(descriptor).st_mode))
            _mount(source, str(path), None, _MS_BIND | _MS_REC)
        os.close(descriptor)
    flags = _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV
    _mount(None, str(barrier), None, flags)


def _make_place(path: Path, *, is_folder: bool) -> None:
    (path if is_folder else path.parent).mkdir(parents=True, exist_ok=True)
    if not is_folder:
        path.touch()


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    words = [word.encode() if word is not None else None for word in (source, target, kind, data)]
    _check(_libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[3]))


def _check(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
