"""Start a bot's process with its limits, read its CPU time, and end its whole process tree.

Linux only: pidfds report the end of a process, the referee is the subreaper of all its bots
(`orphans.py`), and the kernel ends the bots when the referee ends.
"""

import contextlib
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path

from referee.sandbox.cgroup import Group
from referee.sandbox.child import Child, Command, PrepareError
from referee.sandbox.errors import EXHAUSTED, ExhaustedError, NoStartError, SandboxError
from referee.sandbox.isolation import Access
from referee.sandbox.kept_output import KeptOutput
from referee.sandbox.limits import Limits
from referee.sandbox.printable import printable
from referee.sandbox.proctree import (
    cpu_clock,
    descendants,
    kill_all,
    live_place,
    pin_all,
    stop_all,
    tree_cpu_ns,
)
from referee.sandbox.program import Program
from referee.sandbox.queued import queued_ns
from referee.sandbox.shortage import REFUSED, Lack, Use, shortage_text
from referee.sandbox.surrounding_tasks import task_room_here
from referee.sandbox.tiers import TIERS
from referee.sandbox.uncounted import Watch, was_refused
from referee.sandbox.visible_paths import without_shims

STOP_NS = 1_000_000_000
CPU_TIME_AGE_NS = 500_000
"""Age in ns up to which the CPU time of a bot's children is not read again."""
OUTSIDE_LOOK_NS = 20_000_000
"""Age in ns up to which the CPU time outside the control group is not read again."""
OUTSIDE_LEAST_NS = 20_000_000
"""Largest excess in ns of a tree's CPU time over its group's to ignore as rounding."""
TAIL_READS = 16
"""Number of reads that empty a full pipe."""
SIGNALS = range(1, 65)


class Process:
    """A running bot."""

    _cpu_clock: int | None = None
    """Clock of the bot itself, once its PID is known: finding it takes time."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        env: Mapping[str, str],
        group: Group | None,
        access: Access,
    ) -> None:
        """Start the bot; `confirm` and `stop` must follow. Raises OSError without resources."""
        self._isolation = isolation = TIERS[program.tier](program, limits, group, access)
        self.in_force: Mapping[str, str] = isolation.in_force
        """Mechanism of each limit in force."""
        self.started_ns = time.monotonic_ns()
        self._limits, self._group, self._watch = limits, group, Watch(isolation.watched())
        self.has_exact_clock = isolation.has_exact_clock
        """Whether the CPU time includes children that ended between two reads: only for a bot that
        cannot leave its control group, or can start no children."""
        self._status, self._disk = isolation.status, isolation.shared_disk()
        self._program = program
        self._others_ns = group.cpu_ns() if group else 0  # CPU time of earlier bots in the group
        self._is_ended_for_memory = self._is_suspended = False
        command = Command(
            argv=isolation.command,
            folder=program.folder,
            env=env,
            descriptors=isolation.descriptors,
            steps=isolation.steps(),
            groups=group.all_procs if group else (),
        )
        try:
            isolation.hand_over()
            self._child = Child(command, group.take_standby() if group else None)
        except BaseException:
            self._close_status()
            raise
        finally:
            isolation.close()
        self.pid = self._child.pid
        """PID of our direct child: the bot itself, or its bubblewrap wrapper."""
        self._bot_pid = self.pid if isolation.status is None else None
        self.pidfd, self.output = self._child.pidfd, self._child.output
        self.kept = KeptOutput(limits.output_bytes)
        """What it has printed."""
        self._cpu_ns = self._looked_ns = self._children_ns = 0
        self._looked_outside_ns = self._outside_ns = 0

    def confirm(self) -> None:
        """Wait until the program runs; raises NoStartError, or OSError if resources are lacking."""
        isolation = self._isolation
        try:
            self._child.confirm()
        except OSError as error:
            is_wrapper = isolation.status is not None and error.filename == isolation.command[0]
            if error.errno in EXHAUSTED or is_wrapper:
                raise
            raise NoStartError(f"{error.strerror}: {error.filename}") from error
        except PrepareError as error:
            raise _sandbox_error(str(error)) from error
        isolation.keep(self.pid)

    @property
    def output_bytes(self) -> int:
        """Bytes read from the bot's stdout and stderr."""
        return self.kept.total

    @property
    def dropped_bytes(self) -> int:
        """Bytes of the output that are not in `tail`."""
        return self.kept.total - len(self.kept.tail())

    @property
    def has_hit_memory_limit(self) -> bool:
        """Whether the kernel has killed a process of the bot at the memory limit of its group."""
        if self._watch.excess:
            return True
        if self._group is None:
            return False
        is_over = self._is_ended_for_memory or self._group.has_killed
        return is_over and self._group.has_reached_limit

    @property
    def lack(self) -> Lack | None:
        """What the machine lacked for the bot below the bot's own limit; None for nothing."""
        if self._group is not None and (lack := self._group.lack) is not None:
            return lack
        if not self._child.wait(0):
            return None  # what follows is counted nowhere, so that only a failed bot tells of it
        if REFUSED.search(self.tail()) and task_room_here().left < self._limits.processes:
            return "pids"
        return "disk" if self._disk is not None and self._disk.denies(self.tail()) else None

    @property
    def shortage(self) -> str | None:
        """The lack in words, with the use of the bot and what is around it; None for nothing."""
        if (lack := self.lack) is None:
            return None
        use = self.use(lack)
        return shortage_text(lack, self._program.name, self._limits, use, self._around(lack, use))

    def _around(self, lack: Lack, use: Use | None) -> str:
        if lack == "disk":
            return str(self._disk)
        group = self._group
        return str(task_room_here()) if use is None or group is None else group.around(lack)

    def use(self, kind: Lack) -> Use | None:
        """Return the largest use of the bot, of the disk that of now; None if unknown."""
        if kind == "disk":
            return None if self._disk is None else self._disk.use(self._pids())
        return self._group.use(kind) if self._group is not None else None

    @property
    def memory_alarm(self) -> int | None:
        """Descriptor that becomes readable when `end_for_memory` must be called; None if never."""
        return self._group.memory_alarm if self._group is not None else None

    def end_for_memory(self) -> bool:
        """Kill the whole group at its own limit, where the kernel kills only one of its processes.

        Return whether it was: the alarm is also that of every group above.
        """
        if self._group is None or not self._group.has_reached_limit:
            return False
        self._is_ended_for_memory = True
        self._group.kill()
        return True

    def silence(self) -> None:
        """Clear the memory alarm."""
        if self._group is not None:
            self._group.silence()

    @property
    def bot_pid(self) -> int:
        """PID of the bot itself; before its start and after its end, that of bubblewrap."""
        if self._bot_pid is None and self._status is not None:
            self._bot_pid = self._status.bot_pid()
        return self._bot_pid or self.pid

    def seen_from_inside(self, path: Path) -> Path | None:
        """Return a path of the bot's as seen by the referee; None unless the bot runs.

        Through bubblewrap's own process the path would lead to files of the machine.
        """
        if self._status is None:
            return path
        pid = self._status.bot_pid()
        return None if pid is None else Path(live_place(pid), "root", path.relative_to("/"))

    def cpu_ns(self) -> int:
        """Return the CPU time in ns of the whole process tree since the start.

        The clock of the main process is read each time. The children's part is read at most once
        in `CPU_TIME_AGE_NS`, as it takes several times as long; the next read includes all of it. A
        clock that ends with its process takes nothing back.
        """
        try:
            own_ns = time.clock_gettime_ns(self._cpu_clock or self._find_cpu_clock())
        except OSError:
            own_ns = 0  # reaped
        now_ns = time.monotonic_ns()
        if now_ns - self._looked_ns > CPU_TIME_AGE_NS:
            self._looked_ns = now_ns
            self._children_ns = max(self._children_ns, self._tree_cpu_ns(now_ns) - own_ns)
            if self._watch.look(now_ns, self._root, self._pids):
                self._kill()
        total_ns = own_ns + self._children_ns
        if total_ns > self._cpu_ns:  # noqa: PLR1730 - `max` takes four times as long
            self._cpu_ns = total_ns
        return self._cpu_ns

    def _root(self) -> Path | None:
        return self.seen_from_inside(Path("/"))

    def _pids(self) -> list[int]:
        return self._group.pids() if self._group else [self.pid, *descendants(self.pid)]

    def _find_cpu_clock(self) -> int:
        clock = cpu_clock(self.bot_pid)
        if self._bot_pid is not None:
            self._cpu_clock = clock
        return clock

    def _tree_cpu_ns(self, now_ns: int) -> int:
        if self._group is None:
            return tree_cpu_ns(self.pid)
        if not self.has_exact_clock and now_ns - self._looked_outside_ns > OUTSIDE_LOOK_NS:
            self._looked_outside_ns = now_ns
            self._look_outside(self._group)
        return self._group.cpu_ns() - self._others_ns + self._outside_ns

    def _look_outside(self, group: Group) -> None:
        """Find the CPU time of processes of the tree that have moved to another group."""
        tree_ns = tree_cpu_ns(self.pid)
        missing_ns = tree_ns - (group.cpu_ns() - self._others_ns)
        if missing_ns > OUTSIDE_LEAST_NS:
            self._outside_ns = max(self._outside_ns, missing_ns)

    def queued_ns(self) -> Mapping[int, int]:
        """Return the time in ns that each thread not of lower priority has waited for a core."""
        return queued_ns(self._pids(), nice=os.getpriority(os.PRIO_PROCESS, 0))

    def drain(self) -> bool:
        """Read part of the output; return False once all writers have closed it."""
        return self._read_output() != b""

    def _read_output(self) -> bytes | None:
        """Return the next part of the output; None if there is none now, empty at its end."""
        try:
            data = os.read(self.output, 1 << 16)
        except BlockingIOError:
            return None
        self.kept.add(data)
        return data

    def tail(self) -> str:
        """Return the last output as text without control characters."""
        for _ in range(TAIL_READS):
            if not self._read_output():
                break
        return printable(self.kept.tail().decode(errors="replace"))

    def wait_end(self, wait_ns: int) -> str | None:
        """Return how the bot ended ("exit code 3", "signal SIGSEGV"), or None if it is running.

        In namespaces an exit code of 128 + n is reported as signal n, as shells do.
        Raises SandboxError if bubblewrap could not sandbox the bot, so it never started. That
        its program cannot be executed is its own fault, as without a sandbox.
        """
        if (code := self._child.wait(wait_ns)) is None:
            return None
        if self._status is not None and code >= 0:
            if not self._status.read_whether_begun():
                text = self.tail().strip()
                if f": execvp {printable(self._program.argv[0])}: " not in text:
                    raise _sandbox_error(text)
                return f"its program cannot be executed: {text}"
            code = 128 - code if code - 128 in SIGNALS else code
        return ending(code) + self._cause_of(code)

    def _cause_of(self, code: int) -> str:
        """Return the likely cause of its end, to be added to its exit code."""
        if self.has_hit_memory_limit or self.lack == "memory":
            return ", out of memory" + (f": {self._watch.excess}" if self._watch.excess else "")
        if code <= 0 or self._isolation.may_start_processes:
            return ""
        return self._program.advice if was_refused(self.tail()) else ""

    def suspend(self) -> None:
        """Suspend the whole tree, including processes being forked, until `resume`.

        Does nothing while bubblewrap starts the bot: suspended there, it would not end with its
        referee.
        """
        if self._is_suspended or (self._status is not None and self._status.bot_pid() is None):
            return
        self._is_suspended = True
        if self._group is not None:
            self._group.freeze()
        else:
            stop_all(self.pid)

    def pin(self, cores: set[int]) -> None:
        """Suspend the whole tree, and have it run on these cores alone from `resume` on."""
        self.suspend()
        pin_all(self._pids, cores)

    def resume(self) -> None:
        """Resume a suspended tree."""
        if self._is_suspended:
            self._is_suspended = False
            if self._group is not None:
                self._group.thaw()
            else:
                self._resume_tree()

    def stop(self) -> None:
        """Kill the whole tree, and reap the main process."""
        self._kill()
        if self._group is not None:
            self._group.thaw()  # for the next bot in this group
        self._child.wait(STOP_NS)
        self._close_status()
        self._child.close()

    def _kill(self) -> None:
        if self._group is not None:
            self._group.kill()
            self._child.kill()  # the bot may have left its group
        else:
            kill_all(self.pid)

    def _resume_tree(self) -> None:
        for pid in (self.pid, *descendants(self.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def _close_status(self) -> None:
        if self._status is not None:
            self._status.close()


def _sandbox_error(text: str) -> SandboxError:
    is_exhausted = any(os.strerror(number) in text for number in EXHAUSTED)
    kind = ExhaustedError if is_exhausted else SandboxError
    return kind(f"a bot cannot be sandboxed: {text}")


def ending(code: int) -> str:
    """Return how a process with this exit code ended; a negative code is that of a signal."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def environment(program: Program, access: Access) -> dict[str, str]:
    """Return the environment of a program; only PATH is from that of this process.

    Add a variable `ARENA_...` with the path of its sandbox directory, by which `leftovers.py` finds
    its processes.
    """
    home = str(TIERS[program.tier].home(access))
    return {
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PATH": without_shims(os.environ.get("PATH", os.defpath)),
    }
