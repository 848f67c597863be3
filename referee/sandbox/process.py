"""One bot's process: start it with its limits, read its clock, hear its end, leave nothing of it.

Everything here is Linux: pidfds tell of a death at once, the referee is the subreaper of all its
bots, and the kernel ends the bots when the referee ends.
"""

import contextlib
import ctypes
import errno
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from referee.errors import BrokenMatchError, ExhaustedError, NoStartError
from referee.job import Limits, Player
from referee.sandbox.cgroup import Group
from referee.sandbox.isolation import Cell, Isolation
from referee.sandbox.proctree import (
    descendants,
    kill_all,
    live_children,
    process_cpu_ns,
    stop_all,
    tree_cpu_ns,
)
from referee.sandbox.queued import queued_ns

TAIL_BYTES = 8192
"""How much of a bot's last output is kept for the record."""
STOP_NS = 1_000_000_000
LOOK_NS = 100_000
"""How old the CPU time of a bot's children may be."""
OUTSIDE_LOOK_NS = 20_000_000
"""How old the CPU time may be that was spent outside of the control group."""
OUTSIDE_LEAST_NS = 20_000_000
"""What the tree must have spent above its group for that to be more than rounding."""
TAIL_READS = 16
"""A pipe holds no more than this many reads of what was printed last."""
EXHAUSTED = frozenset({errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC})
"""Why a program may not start although nothing is wrong with it: the machine has no more."""

SIGNALS = range(1, 65)

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)


def become_subreaper() -> None:
    """Make this process the parent of every orphan below it, so that none gets away."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_parent(how: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send `how` to this process when its parent ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, how, 0, 0, 0)


class Process:
    """A running bot."""

    def __init__(
        self,
        player: Player,
        limits: Limits,
        env: Mapping[str, str],
        group: Group | None,
        cell: Cell | None = None,
    ) -> None:
        """Start it; raises NoStartError when the program cannot be executed.

        Any other OSError is the machine's, which has nothing left to start a process with.
        """
        isolation = Isolation(player, limits, group, cell)
        self.in_force: Mapping[str, str] = isolation.in_force
        """What holds it to each of its limits."""
        self.started_ns = time.monotonic_ns()
        self._limits = limits
        self._group = group
        self.has_exact_clock = group is not None and not isolation.can_leave_group
        """Whether the CPU time counts children that came and went unseen. It does not for a bot
        that may leave its control group, whether it has done so or not."""
        self._report = isolation.report
        self._kills = group.memory_kills() if group else 0
        self._others_ns = group.cpu_ns() if group else 0  # of bots that had the group before
        self._is_ended_for_memory = self._is_suspended = False
        self._bot_pid: int | None = None
        try:
            self._popen = _started(isolation, player, env)
        except BaseException:
            self._close_report()
            raise
        finally:
            isolation.close()
        self.pid = self._popen.pid
        """Of the child of this process: the bot, or what has shut it in."""
        self.pidfd = os.pidfd_open(self.pid)
        assert self._popen.stdout is not None  # noqa: S101 - a pipe was asked for
        self.output = self._popen.stdout.fileno()
        os.set_blocking(self.output, False)
        self._tail, self._output_bytes = b"", 0
        self._looked_ns = self._children_ns = self._looked_outside_ns = self._outside_ns = 0

    @property
    def output_bytes(self) -> int:
        """How much it has written to stdout and stderr so far, as far as was read."""
        return self._output_bytes

    @property
    def has_hit_memory_limit(self) -> bool:
        """Whether the kernel has killed a process of it since all together had too much memory."""
        if self._group is None:
            return False
        return self._is_ended_for_memory or self._group.memory_kills() > self._kills

    @property
    def memory_alarm(self) -> int | None:
        """What becomes readable when it is to be ended by `end_for_memory`; None: never."""
        return self._group.memory_alarm if self._group is not None else None

    def end_for_memory(self) -> None:
        """End all of it, as one of it is about to be, since all together had too much memory."""
        if self._group is not None:
            self._is_ended_for_memory = True
            self._group.kill()

    @property
    def bot_pid(self) -> int:
        """The pid of the bot itself; that of what has shut it in, until and unless it is there."""
        if self._report is None:
            return self.pid
        if self._bot_pid is None:
            self._bot_pid = self._report.bot_pid()
        return self._bot_pid or self.pid

    def seen_from_inside(self, path: Path) -> Path:
        """Return where a path of the bot's is to be found from here, while the bot runs."""
        if self._report is None:
            return path
        return Path(f"/proc/{self.bot_pid}/root", path.relative_to("/"))

    def cpu_ns(self) -> int:
        """Return the CPU time of its whole process tree since it was started.

        The process's own clock is read each time; what its children add is looked up only so often,
        since that takes several times as long. Nothing escapes: it is counted at the next look.
        """
        own_ns = process_cpu_ns(self.bot_pid)
        now_ns = time.monotonic_ns()
        if now_ns - self._looked_ns > LOOK_NS:
            self._looked_ns = now_ns
            total_ns = self._tree_cpu_ns(now_ns)
            self._children_ns = max(self._children_ns, total_ns - own_ns)
        return own_ns + self._children_ns

    def _tree_cpu_ns(self, now_ns: int) -> int:
        if self._group is None:
            return tree_cpu_ns(self.pid)
        if not self.has_exact_clock and now_ns - self._looked_outside_ns > OUTSIDE_LOOK_NS:
            self._looked_outside_ns = now_ns
            self._look_outside(self._group)
        return self._group.cpu_ns() - self._others_ns + self._outside_ns

    def _look_outside(self, group: Group) -> None:
        """Find what its tree has spent that its group did not count, since it was in another."""
        tree_ns = tree_cpu_ns(self.pid)
        missing_ns = tree_ns - (group.cpu_ns() - self._others_ns)
        if missing_ns > OUTSIDE_LEAST_NS:
            self._outside_ns = max(self._outside_ns, missing_ns)

    def queued_ns(self) -> Mapping[int, int]:
        """Return for how long each of its threads has stood ready to run and did not.

        A thread with less priority than this process is left out.
        """
        pids = self._group.pids() if self._group else [self.pid, *descendants(self.pid)]
        return queued_ns(pids, nice=os.getpriority(os.PRIO_PROCESS, 0))

    def drain(self) -> bool:
        """Read some of what it printed and keep the end; False once nobody can print any more."""
        try:
            data = os.read(self.output, 1 << 16)
        except BlockingIOError:
            return True
        self._keep(data)
        return bool(data)

    def tail(self) -> str:
        """Return the last output as harmless text."""
        for _ in range(TAIL_READS):
            if not self.drain():
                break
        text = self._tail.decode(errors="replace")
        return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)

    def wait_end(self, wait_ns: int) -> str | None:
        """Return how it ended ("exit code 3", "signal SIGSEGV"), or None if it runs on.

        Of a bot in namespaces an exit code of 128 + n is told as signal n, as shells do.
        Raises BrokenMatchError when it was never started, since it could not be shut in.
        """
        if not select.select([self.pidfd], [], [], wait_ns / 1e9)[0]:
            return None
        code = self._popen.wait()
        if self._report is not None and code >= 0:
            if not self._report.is_begun():
                raise _not_shut_in(self.tail().strip())
            code = 128 - code if code - 128 in SIGNALS else code
        return _ending(code) + (", out of memory" if self.has_hit_memory_limit else "")

    def suspend(self) -> None:
        """Stop the whole tree until `resume`; what it forks meanwhile does not get away.

        While it is still being shut in it goes on: stopped there it would not end with its referee.
        """
        if self._is_suspended or (self._report is not None and self._report.bot_pid() is None):
            return
        self._is_suspended = True
        if self._group is not None:
            self._group.freeze()
        else:
            stop_all(self.pid)

    def resume(self) -> None:
        """Let a suspended tree go on."""
        if self._is_suspended:
            self._is_suspended = False
            if self._group is not None:
                self._group.thaw()
            else:
                self._resume_tree()

    def stop(self) -> None:
        """End the process and everything it has started, and reap it."""
        if self._group is not None:
            self._group.kill()
            self._popen.kill()  # it may have moved itself out of its group
            self._group.thaw()  # which the next bot is to find as any other
        else:
            kill_all(self.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(STOP_NS / 1e9)
        os.close(self.pidfd)
        self._close_report()
        if self._popen.stdout is not None:
            self._popen.stdout.close()

    def _keep(self, data: bytes) -> None:
        room = self._limits.output_bytes - self._output_bytes
        self._output_bytes += len(data)
        if room > 0:
            self._tail = (self._tail + data[:room])[-TAIL_BYTES:]

    def _resume_tree(self) -> None:
        for pid in (self.pid, *descendants(self.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def _close_report(self) -> None:
        if self._report is not None:
            self._report.close()


def _started(
    isolation: Isolation, player: Player, env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            isolation.command,
            cwd=player.folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
            pass_fds=isolation.descriptors,
            preexec_fn=isolation.prepare,  # noqa: PLW1509 - one thread
        )
    except OSError as error:
        is_ours = isolation.report is not None and error.filename == isolation.command[0]
        if error.errno in EXHAUSTED or is_ours:
            raise
        raise NoStartError(f"{error.strerror}: {error.filename or player.argv[0]}") from error
    except subprocess.SubprocessError as error:
        raise _not_shut_in(isolation.trouble()) from error


def _not_shut_in(said: str) -> BrokenMatchError:
    is_exhausted = any(os.strerror(number) in said for number in EXHAUSTED)
    kind = ExhaustedError if is_exhausted else BrokenMatchError
    return kind(f"a bot cannot be shut in: {said}")


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def sweep(spare: set[int]) -> None:
    """Kill and reap every process below this one except the trees of `spare`.

    What is orphaned meanwhile becomes a child of this process, so it looks again until there is
    nothing, for at most a second.
    """
    until_ns = time.monotonic_ns() + STOP_NS
    while found := set(live_children(os.getpid())) - spare:
        for pid in found:
            kill_all(pid)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        if time.monotonic_ns() > until_ns:
            return


def environment(
    endpoint: str, token: str, home: Path, scratch: Path | None = None
) -> dict[str, str]:
    """Return the whole environment of a bot: nothing of ours leaks into it."""
    lasting = {} if scratch is None else {"ARENA_SCRATCH": str(scratch)}
    return {
        **lasting,
        "ARENA_ENDPOINT": endpoint,
        "ARENA_TOKEN": token,
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "PATH": os.environ.get("PATH", os.defpath),
    }
