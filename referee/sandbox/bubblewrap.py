"""bubblewrap: the program that starts a bot in namespaces of its own.

In them the bot sees its own folder and what it needs of the system, all read only, and a `/tmp` of
bounded size. There is no network, no other process and no way to make namespaces in turn.
"""

import fcntl
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.sandbox.proctree import live_children
from referee.sandbox.unprivileged import NOBODY

PROGRAM = "bwrap"
HOME = Path("/tmp")  # noqa: S108 - it is nobody else's
SCRATCH = Path("/scratch")
"""Where a bot finds the folder that lasts."""
OWN_PROCESSES = 2
"""bubblewrap itself, outside and inside the namespaces, counts among the bot's processes."""

_LIMITER = "prlimit"
_SHARED_MEMORY_BYTES = 1024 * 1024
_ALWAYS = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"),
    *("--new-session", "--cap-drop", "ALL"),
)
_COPY = f'cp -R "$0/." {SCRATCH}; exec "$@"'
_INIT = re.compile(rb'"child-pid": *(\d+)')
_BEGUN = b'"exit-code"'
_MAX_REPORT = 4096


@dataclass(frozen=True, kw_only=True)
class Walls:
    """What is inside."""

    system: Sequence[Path]
    shown: Sequence[Path]
    """Read only, at the paths they have outside."""
    writable: Sequence[Path]
    """What can be written to, at the paths they have outside."""
    folder: str
    disk_bytes: int
    scratch: Path | None
    """What the folder that lasts begins with: copied just before the bot starts."""
    scratch_bytes: int
    has_network: bool
    is_renamed: bool
    """Whether the bot sees itself as nobody, whoever it is."""


class Report:
    """What bubblewrap tells of its start and its end."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._text = b""

    def bot_pid(self) -> int | None:
        """Return the pid of the bot itself; None while there is none, or none any more."""
        self._read()
        if (found := _INIT.search(self._text)) is None:
            return None
        return next(iter(live_children(int(found[1]))), None)

    def is_begun(self) -> bool:
        """Whether the bot was started, asked after bubblewrap has ended by itself."""
        self._read()
        return _BEGUN in self._text

    def close(self) -> None:
        """Hear no more."""
        os.close(self._descriptor)

    def _read(self) -> None:
        try:
            self._text += os.read(self._descriptor, _MAX_REPORT)
        except BlockingIOError:
            return


def is_installed() -> bool:
    """Whether there is such a program; that it may do its work is another question."""
    return shutil.which(PROGRAM) is not None


def has_process_limit() -> bool:
    """Whether a bot can be held to a number of processes where no control group does it."""
    return shutil.which(_LIMITER) is not None


def wrapped(
    command: Sequence[str], walls: Walls, program: bytes, processes: int | None
) -> tuple[list[str], list[int], Report]:
    """Return the command that starts `command` inside, its descriptors, and what it will report.

    `program` is a seccomp filter. `processes` is how many the bot may have where no control group
    says so; None leaves that open.
    """
    reader, writer = os.pipe()
    filtered = _in_memory(program)
    arguments = [
        *_arguments(walls),
        *("--seccomp", str(filtered), "--json-status-fd", str(writer)),
    ]
    listed = _in_memory(b"".join(os.fsencode(argument) + b"\0" for argument in arguments))
    before: list[str] = []
    if walls.scratch:
        before += ["/bin/sh", "-c", _COPY, str(walls.scratch)]
    if processes is not None:
        # counted by user in the namespace, where there is but one and its first process
        before += [_LIMITER, f"--nproc={processes + 1}", "--"]
    outside = [PROGRAM, "--args", str(listed), "--", *before, *command]
    return outside, [filtered, listed, writer], Report(reader)


def _arguments(walls: Walls) -> list[str]:
    """Return where everything comes from; what is put on a folder must come after that folder."""
    parts: list[str] = [*_ALWAYS]
    if walls.has_network:
        parts.append("--share-net")
    if walls.is_renamed:
        parts += ["--uid", str(NOBODY), "--gid", str(NOBODY)]
    for path in walls.system:
        if path.is_symlink() and path.parent == Path("/"):
            parts += ["--symlink", str(path.readlink()), str(path)]
        else:
            parts += ["--ro-bind", str(path), str(path)]
    # nothing to be written there: what a bot sets by it is its weight when a core is shared out
    parts += ["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]
    parts += [*_bounded(_SHARED_MEMORY_BYTES, Path("/dev/shm")), "--remount-ro", "/dev"]  # noqa: S108
    parts += _bounded(walls.disk_bytes, HOME)
    if walls.scratch:
        parts += _bounded(walls.scratch_bytes, SCRATCH)
    parts += _read_only(walls.shown)
    parts += [part for path in walls.writable for part in ("--bind", str(path), str(path))]
    return [*parts, "--remount-ro", "/", "--chdir", walls.folder]


def _bounded(size: int, path: Path) -> list[str]:
    return ["--size", str(size), "--tmpfs", str(path)]


def _read_only(paths: Iterable[Path]) -> list[str]:
    return [part for path in paths for part in ("--ro-bind", str(path), str(path))]


def _in_memory(data: bytes) -> int:
    """Return a descriptor that reads as these bytes."""
    descriptor = os.memfd_create("arena", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW)
    return descriptor
