"""Build one bot in a sandbox: an order as JSON on stdin, the result as JSON on stdout.

    python -m referee.sandbox.builder

The builder is a separate process that inherits and kills every orphan of the build: a build is over
when its command has ended. The builder ends with the process that started it. A warden above ends
the build if the builder is killed.
"""

import contextlib
import errno
import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from referee.sandbox.cgroup import Groups
from referee.sandbox.directory import SandboxDirectory, remove_directory
from referee.sandbox.disk import NO_SPACE, Disk, has_room
from referee.sandbox.errors import EXHAUSTED, ExhaustedError, NoStartError
from referee.sandbox.isolation import Access
from referee.sandbox.limits import Limits, Tier
from referee.sandbox.orphans import sweep
from referee.sandbox.process import Process, environment
from referee.sandbox.program import Program
from referee.sandbox.steps import end_with_parent
from referee.sandbox.tiers import process_limit
from referee.sandbox.unprivileged import NOBODY
from referee.sandbox.users import Users
from referee.sandbox.warden import ignore, start_warden

SECOND_NS = 1_000_000_000
BETWEEN_LOOKS_NS = SECOND_NS // 20
SIZE_LOOK_NS = 2 * SECOND_NS
MAX_OUTPUT = 64 << 20
"""Limit of a build's output in bytes; only the end is kept."""
MAX_ENTRIES = 200_000
_LEFT_LITTLE = "MB free on its disk"
BUILD_LEVELS = 100
"""Limit of folders inside each other; the next build changes the owner of all of them."""


@dataclass(frozen=True, kw_only=True)
class BuildOrder:
    """A build: its command, directories, network and limits."""

    director: int
    """PID of the ordering process; the build ends with it."""
    argv: tuple[str, ...]
    folder: str
    """Working directory of the build, writable."""
    home: str
    """HOME and caches, writable, kept between builds of the same bot."""
    env: dict[str, str]
    """Further environment variables."""
    tier: Tier
    has_network: bool
    installations: tuple[str, ...] = ()
    cache: Path | None = None
    limits: Limits
    """`disk_bytes` limits both folders and temporary files together, checked periodically."""
    wall_ns: int


@dataclass(frozen=True, kw_only=True)
class Built:
    """Result of a build."""

    fault: str | None
    """Reason of the failure, like "took longer than 600 s", or None."""
    output: str
    """End of the output."""
    lack: str | None = None
    """What the machine lacked, like "No space left on device", if no bot is at fault."""


def main() -> None:
    """Carry out one order."""
    end_with_parent(signal.SIGTERM)
    order = TypeAdapter(BuildOrder).validate_json(sys.stdin.buffer.readline())
    if os.getppid() != order.director:
        raise SystemExit(1)  # the director ended before prctl took effect
    start_warden(signal.SIGTERM)
    os.setsid()  # a separate session, so that killing it spares the warden
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    groups, users = Groups.probe(), Users.probe()
    try:
        result = _built(order, groups, users.take() if users is not None else NOBODY)
    finally:
        signal.signal(signal.SIGTERM, ignore)
        sweep(set())
        if groups is not None:
            groups.close()
    sys.stdout.write(json.dumps(asdict(result)) + "\n")


def _built(order: BuildOrder, groups: Groups | None, user: int) -> Built:
    """Like `build`, with a result for a machine that lacks the resources to start it."""
    try:
        return build(order, groups, user)
    except (ExhaustedError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in EXHAUSTED:
            raise
        return Built(fault="cannot be started", output="", lack=str(error))


def _allowed(limits: Limits) -> Limits:
    """Return the limits of a build with no more open files than this machine allows its user."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return (
        limits if most == resource.RLIM_INFINITY else replace(limits, files=min(limits.files, most))
    )


def build(order: BuildOrder, groups: Groups | None, user: int) -> Built:
    """Run the command as this user if root, until its end, or kill it at a limit."""
    directory = SandboxDirectory()
    is_crowded = not all(has_room(place) for place in (order.folder, directory.path))
    disks = (Disk(order.folder), Disk(directory.path))
    writable = (Path(order.folder), Path(order.home))
    access = Access(
        directory=directory.path, user=user, writable=writable, has_network=order.has_network
    )
    program = Program(
        name="build",
        argv=order.argv,
        folder=order.folder,
        tier=order.tier,
        installations=order.installations,
        cache=order.cache,
    )
    mark = {"ARENA_SANDBOX": str(directory.path)}
    env = {**environment(program, access), **mark, **order.env}
    limits = _allowed(order.limits)
    group = groups.take(limits.memory_bytes, process_limit(program, limits)) if groups else None
    try:
        process = Process(program, limits, env, group, access)
        try:
            process.confirm()
            built = _wait(process, order, (*writable, directory.path), disks)
            if built.fault:
                built = replace(built, lack=process.shortage)
        except NoStartError as error:
            built = Built(fault=f"cannot be started: {error}", output="")
        finally:
            process.stop()
            sweep(set())
    finally:
        if groups is not None and group is not None:
            groups.give_back(group)
        directory.remove()
    return _judged(built, order, disks, is_crowded=is_crowded)


def _judged(built: Built, order: BuildOrder, disks: Sequence[Disk], *, is_crowded: bool) -> Built:
    """Return the result of a build with what it has left on the disks; remove too much of it.

    The first of `disks` is that of its folder; `is_crowded` is whether there was little space
    before.
    """
    writable = (Path(order.folder), Path(order.home))
    excess = _excess(writable, order.limits.disk_bytes)
    shortage = None if excess else _shortage(disks[0])
    if excess or shortage:
        built = replace(built, fault=built.fault or excess or shortage)
        for folder in writable:
            remove_directory(folder)  # kept, it would fail later builds, too
    if not built.fault:
        return built
    is_said = _LEFT_LITTLE in built.fault or NO_SPACE.search(built.output)
    is_lacking = is_crowded and is_said
    if is_lacking or (not excess and any(disk.is_filled_by_others() for disk in disks)):
        return replace(built, lack=os.strerror(errno.ENOSPC))
    return built


def _wait(
    process: Process, order: BuildOrder, writable: tuple[Path, ...], disks: Sequence[Disk]
) -> Built:
    """Wait for the end of a build or a limit."""
    until_ns = time.monotonic_ns() + order.wall_ns
    looked_ns = time.monotonic_ns()
    fault: str | None = None
    while fault is None and not _wait_for_end(process):
        for disk in disks:
            disk.look()
        now_ns = time.monotonic_ns()
        if now_ns > until_ns:
            fault = f"took longer than {order.wall_ns / SECOND_NS:g} s"
        elif short := [disk for disk in disks if disk.is_short]:
            # files that are open and removed count here only
            fault = f"left less than {short[0].reserve >> 20} {_LEFT_LITTLE}"
        elif now_ns - looked_ns > SIZE_LOOK_NS:
            looked_ns = now_ns
            fault = _excess(writable, order.limits.disk_bytes)
    return Built(fault=fault or _fault_at_end(process), output=process.tail())


def _wait_for_end(process: Process) -> bool:
    """Read output for BETWEEN_LOOKS_NS; return whether the build ended or printed too much."""
    until_ns = time.monotonic_ns() + BETWEEN_LOOKS_NS
    news = select.poll()
    news.register(process.pidfd, select.POLLIN)
    news.register(process.output, select.POLLIN)
    while process.output_bytes <= MAX_OUTPUT:
        left_ns = max(0, until_ns - time.monotonic_ns())
        ready = {descriptor for descriptor, _ in news.poll(left_ns / 1_000_000)}
        if process.output in ready:
            if not process.drain():
                news.unregister(process.output)  # all writers have closed it
        elif ready:
            return True
        if not left_ns:
            return False
    return True


def _fault_at_end(process: Process) -> str | None:
    if process.output_bytes > MAX_OUTPUT:
        return f"printed more than {MAX_OUTPUT >> 20} MB"
    ended = process.wait_end(BETWEEN_LOOKS_NS)
    return None if ended == "exit code 0" else f"ended with {ended}"


def _shortage(disk: Disk) -> str | None:
    """Return in words that the disk has no room for a copy of the result, or None."""
    folder = disk.folder
    disk.look(
        sum(
            Path(root, name).lstat().st_size for root, _, names in os.walk(folder) for name in names
        )
    )
    if not disk.is_short:
        return None
    return f"left less than {disk.reserve >> 20} {_LEFT_LITTLE}, with a copy of its result"


def _excess(folders: tuple[Path, ...], limit: int) -> str | None:
    """Return the exceeded limit of the folders in words, or None. Stops at the first excess."""
    try:
        return _excess_seen(folders, limit)
    except OSError:  # no permission, or a path too long for the kernel: it may hold anything
        return "made a folder that cannot be read"


def _excess_seen(folders: tuple[Path, ...], limit: int) -> str | None:
    """Do the work of `_excess`; raises OSError for an unreadable folder."""
    total = entries = 0
    waiting = [(os.fspath(folder), 1) for folder in folders]
    while waiting:
        path, depth = waiting.pop()
        if depth > BUILD_LEVELS:
            return f"made folders more than {BUILD_LEVELS} deep"
        with (
            contextlib.suppress(FileNotFoundError, NotADirectoryError),
            os.scandir(path) as found,
        ):
            for entry in found:
                entries += 1
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    # a hole takes no block here, but does in the copy of the result
                    total += max(status.st_size, status.st_blocks * 512)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, depth + 1))
                if total > limit:
                    return f"wrote more than {limit >> 20} MB"
                if entries > MAX_ENTRIES:
                    return f"made more than {MAX_ENTRIES} files"
    return None


if __name__ == "__main__":
    main()
