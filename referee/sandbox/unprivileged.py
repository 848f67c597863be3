"""Becoming an ordinary user: a bot of a referee that is root runs as one (`users.py`).

The interpreter or a bot may lie where nobody may go, as in root's home. Such a folder is then
covered, for this bot alone, by an empty one in which there is nothing but what the bot needs.
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
    """Whether this process is root, so that its bots are to be somebody else."""
    return os.geteuid() == 0


def can_become_another(paths: Iterable[Path]) -> bool:
    """Whether another user can reach these paths: they are open to all, or can be made so."""
    return _has_admin() or not any(map(_barrier, paths))


def become(user: int, paths: Sequence[Path]) -> None:
    """Make this process that user, and the paths reachable for it; where it is, it goes again."""
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
    """Make this process a root that may no more than anybody, for good."""
    for capability in range(64):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()))


def _barrier(path: Path) -> Path | None:
    """Return the topmost folder on the way that is not open to everybody, if there is one."""
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
    """Put an empty folder over the barrier, with these paths of what is below it in it."""
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
