"""Start a bot in Linux namespaces with the program bubblewrap.

Inside, the bot sees its own folder and the system's programs, all read only, and a `/tmp` of
bounded size. It has no network, sees no other process and cannot make further namespaces.
"""

import contextlib
import fcntl
import functools
import os
import re
import sys
import time
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from referee.sandbox import safe_programs
from referee.sandbox.new_process import FIRST
from referee.sandbox.proctree import live_children
from referee.sandbox.root import DEVICES, PLACE, ROOT_NAME
from referee.sandbox.safe_programs import safe_program
from referee.sandbox.steps import Step
from referee.sandbox.unprivileged import NOBODY

PROGRAM = "bwrap"
NOT_INSTALLED = "bubblewrap is not installed"
HOME = Path("/tmp")  # noqa: S108 - no other process shares it
"""Writable directory of the bot, as the bot sees it."""
SCRATCH = Path("/scratch")
"""Scratch directory, as the bot sees it."""
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - no other process shares it
OWN_PROCESSES = 2
"""Processes of bubblewrap, outside and inside the namespaces, which count among the bot's."""

_LIMITER = "prlimit"
_SHARED_MEMORY_BYTES = 1024 * 1024
_ALWAYS = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"),
    *("--new-session", "--cap-drop", "ALL"),
)
_COPY = f'cp -R "$0/." {SCRATCH}; exec "$@"'
_COPY_ALONE = f"""
import os, shutil, sys
shutil.copytree(sys.argv[1], "{SCRATCH}", symlinks=True, dirs_exist_ok=True)
os.execvp(sys.argv[2], sys.argv[2:])
"""
"""The same by one process, slower, where no other may be started."""
_INIT = re.compile(rb'"child-pid": *(\d+)')
_BEGUN = b'"exit-code"'
_MAX_STATUS = 4096
_MADE = (str(HOME), str(SCRATCH), "/dev", "/proc")
"""Directories that bubblewrap makes: what lies below is mounted afterwards."""


class Root(NamedTuple):
    """What to mount before bubblewrap starts (`root.py`)."""

    binds: Sequence[tuple[str, str]]
    """The visible paths, and where they are mounted in `root.PLACE`."""
    step: Step
    """The step that mounts them."""
    shown: Sequence[str]
    """Arguments of bubblewrap for the paths that are not in the root directory."""

    def key(self) -> Hashable:
        """Return what two equal roots have in common: no path of theirs was replaced meanwhile."""
        return self.step, *map(_identity, self.binds)


@dataclass(frozen=True, kw_only=True)
class Inside:
    """Files, sizes and network inside the namespaces."""

    system: Sequence[Path]
    visible: Sequence[Path]
    """Read-only paths, the same as outside."""
    writable: Sequence[Path]
    """Writable paths, the same as outside."""
    folder: str
    disk_bytes: int
    scratch: Path | None
    """Initial content of the scratch directory, copied before the bot starts."""
    scratch_bytes: int
    may_start_processes: bool
    directory: Path
    """Sandbox directory, with the bot's socket."""
    keeps_network: bool
    """Whether the network is that of the process that executes bubblewrap."""
    is_renamed: bool
    """Whether the bot sees its user as `nobody`."""
    has_zero: bool
    """Whether there is a /dev/zero: to map it makes shared memory."""

    def root(self) -> Root | None:
        """Return the root to mount in advance for all bots with the same view; None if nothing."""
        if self.writable or not _is_below(str(self.directory), _MADE):
            return None
        empty = ("/proc", "/dev", str(HOME), *([str(SCRATCH)] if self.scratch else []))
        parent = self.directory.parent
        return _root(self.system, self.visible, empty, parent, int(time.monotonic()))


@functools.lru_cache(maxsize=32)
def _root(
    system: Sequence[Path], visible: Sequence[Path], empty: Sequence[str], parent: Path, second: int
) -> Root:
    """Return the root for bots with sandbox directories in `parent`, found again each second."""
    del second
    links = {str(path): str(path.readlink()) for path in system if _is_link(path)}
    paths = [str(path) for path in (*system, *visible)]
    binds = {
        path: f"/{number}" if _is_below(path, _MADE) else f"/{ROOT_NAME}{path}"
        for number, path in enumerate(paths)
        if path not in links and not _is_below(path, paths)
    }
    program = Path(safe_program(PROGRAM) or "/").resolve()
    needed = (str(parent.resolve()), *program.parts[:2], "/proc")
    targets = tuple((target, path) for path, target in links.items())
    step = ("make root", tuple(binds.items()), targets, empty, needed)
    below = [
        (path, place) for path, place in binds.items() if not place.startswith(f"/{ROOT_NAME}/")
    ]
    shown = [word for path, place in below for word in ("--ro-bind", PLACE + place, path)]
    return Root(step[1], step, shown)


class Status:
    """Status messages of bubblewrap: its start and its end."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._text = b""

    def bot_pid(self) -> int | None:
        """Return the PID of the bot; None before its start and after its end."""
        self._read()
        if (found := _INIT.search(self._text)) is None:
            return None
        return next(iter(live_children(int(found[1]))), None)

    def read_whether_begun(self) -> bool:
        """Return whether the bot was started; valid after bubblewrap has ended by itself."""
        self._read()
        return _BEGUN in self._text

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)

    def _read(self) -> None:
        """Read what is there."""
        with contextlib.suppress(BlockingIOError):
            self._text += os.read(self._descriptor, _MAX_STATUS)


def why_missing() -> str | None:
    """Return why bubblewrap cannot be started. The machine may refuse it all the same."""
    return safe_programs.why_missing(PROGRAM, "bubblewrap")


def has_limits_inside() -> bool:
    """Return whether limits can be set inside, where each bot has its own count."""
    return safe_program(_LIMITER) is not None


def wrap(
    command: Sequence[str],
    inside: Inside,
    program: bytes,
    bounds: Mapping[str, int],
    root: Root | None = None,
) -> tuple[list[str], list[int], Status]:
    """Return the command that starts `command` inside, its descriptors, and its status.

    `program` is a seccomp filter. `bounds` are limits set inside, by their options of prlimit(1):
    the kernel counts them by user and namespace. With `root`, the new process must take its step
    before.
    """
    reader, writer = os.pipe()
    seccomp, status, args = map(str, range(FIRST, FIRST + 3))
    arguments = [*_arguments(inside, root), "--seccomp", seccomp, "--json-status-fd", status]
    listed = _in_memory(os.fsencode("\0".join(arguments)) + b"\0")
    before: list[str] = []
    if inside.scratch:
        if inside.may_start_processes:
            before += ["/bin/sh", "-c", _COPY, str(inside.scratch)]
        else:
            before += [sys.executable, "-I", "-S", "-c", _COPY_ALONE, str(inside.scratch)]
    if bounds:
        options = (f"--{name}={bound}" for name, bound in bounds.items())
        before += [safe_program(_LIMITER) or f"/usr/bin/{_LIMITER}", *options, "--"]
    outside = [
        safe_program(PROGRAM) or f"/usr/bin/{PROGRAM}",
        "--args",
        args,
        "--",
        *before,
        *command,
    ]
    return outside, [_in_memory(program), writer, listed], Status(reader)


def _arguments(inside: Inside, root: Root | None) -> list[str]:
    """Return the arguments in order: a mount inside a directory follows that directory."""
    parts: list[str] = [*_ALWAYS]
    if inside.keeps_network:
        parts.append("--share-net")
    if inside.is_renamed:
        parts += ["--uid", str(NOBODY), "--gid", str(NOBODY)]
    parts += ["--ro-bind", f"{PLACE}/{ROOT_NAME}", "/"] if root else _system(inside.system)
    # read only, since /proc/self/autogroup would set the bot's share of a core
    parts += ["--proc", "/proc", "--remount-ro", "/proc"]
    parts += ["--dev-bind", DEVICES, "/dev"] if root else ["--dev", "/dev"]
    if not inside.has_zero:
        parts += ["--dev-bind", f"{DEVICES if root else '/dev'}/null", "/dev/zero"]
    parts += _bounded(_SHARED_MEMORY_BYTES, SHARED_MEMORY)
    if root is None:
        parts += ["--remount-ro", "/dev"]
    parts += _bounded(inside.disk_bytes, HOME)
    if inside.scratch:
        parts += _bounded(inside.scratch_bytes, SCRATCH)
    parts += root.shown if root else _bind("--ro-bind", inside.visible)
    parts += _bind("--ro-bind", [inside.directory])
    parts += _bind("--bind", inside.writable)
    return [*parts, *(() if root else ("--remount-ro", "/")), "--chdir", inside.folder]


def _bind(how: str, paths: Iterable[Path]) -> list[str]:
    return [word for path in paths for word in (how, str(path), str(path))]


def _system(paths: Iterable[Path]) -> list[str]:
    parts: list[str] = []
    for path in paths:
        if _is_link(path):
            parts += ["--symlink", str(path.readlink()), str(path)]
        else:
            parts += ["--ro-bind", str(path), str(path)]
    return parts


def _is_link(path: Path) -> bool:
    return path.parent == Path("/") and path.is_symlink()


def _identity(bind: tuple[str, str]) -> Hashable:
    """Return a path, its place, and the file that has the path now."""
    try:
        status = os.stat(bind[0])  # noqa: PTH116 - Path takes longer, and there are many
    except OSError:
        return bind  # reported by the step
    return *bind, status.st_dev, status.st_ino


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


def _bounded(size: int, path: Path) -> list[str]:
    return ["--size", str(size), "--tmpfs", str(path)]


def _in_memory(data: bytes) -> int:
    """Return a descriptor of a sealed file in memory with this content."""
    descriptor = os.memfd_create("arena", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW)
    return descriptor
