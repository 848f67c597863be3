"""One running bot: process, link and cost of null calls. A bot may outlive a match."""

import contextlib
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from protocol.link import MAX_CALLERS, Link, Listener, RefusedHelloError
from protocol.messages import Hello
from protocol.vocabulary import Seat, Termination
from referee.errors import NO_BLAME, ShortageError
from referee.job import Job, Player
from referee.records.record import NullCost, Printed
from referee.sandbox.cgroup import Groups
from referee.sandbox.directory import SandboxDirectory
from referee.sandbox.isolation import Access
from referee.sandbox.printable import printable
from referee.sandbox.process import Process, environment
from referee.sandbox.scratch import Scratch
from referee.sandbox.shortage import Lack
from referee.sandbox.tiers import TIERS, process_limit
from referee.sandbox.unprivileged import NOBODY
from referee.sandbox.users import Users
from referee.seats.dialog_log import DialogLog
from referee.seats.program import program_of
from referee.seats.remote_process import RemoteProcess

EXCEEDED = "it exceeded its memory limit"
FILLED: Mapping[Lack, tuple[Termination, str]] = MappingProxyType(
    {
        "memory": (
            Termination.MEMORY,
            "it used most of the memory while the machine had too little",
        ),
        "pids": (
            Termination.CRASH,
            "it used most of the processes and threads while the machine had too few",
        ),
        "disk": (Termination.CRASH, "it used most of the disk while the machine had too little"),
    }
)
"""The faults of a bot that has probably filled the machine."""
EXIT_NS = 50_000_000
"""How long a bot may take to exit by itself, after its last bye or the notice of its fault."""

REMOVAL_NS = 500_000_000
"""Time in nanoseconds to remove a sandbox directory; the rest is abandoned."""


class Bot:
    """A bot from its start to its end."""

    def __init__(
        self,
        player: Player,
        job: Job,
        groups: Groups | None,
        users: Users | None = None,
        first: SandboxDirectory | None = None,
    ) -> None:
        """Start the bot; `confirm` must follow, and `stop` at the end.

        Its sandbox directory is created beside `first`, faster than in a new place.
        """
        self.player = player
        self.link: Link | None = None
        self.hello: Hello | None = None
        self.refusal: str | None = None
        """Reason for the refusal of a hello with the right token."""
        self.is_output_closed = False
        self.null: NullCost | None = None
        self.last_id = 0
        """Id of the last call of its last match."""
        self.cpu_seen_ns: int | None = None
        """CPU time at the end of its last match; what follows belongs to the next one."""
        self.log: DialogLog | None = None
        """The file of its present match; None without one."""
        self.warning: str | None = None
        """A defect at its end, without a penalty."""
        self._tier = TIERS[player.tier]
        self._scratch: Scratch | None = None
        self._is_over: Callable[[], bool] = lambda: True
        """Whether news on the process's pidfd are its end."""
        self.process: Process | RemoteProcess
        with contextlib.ExitStack() as clear:
            directory = SandboxDirectory(first)
            clear.callback(directory.remove, REMOVAL_NS)
            self._start(job, groups, users, directory, clear)
            self._clear = clear.pop_all()

    def _start(
        self,
        job: Job,
        groups: Groups | None,
        users: Users | None,
        directory: SandboxDirectory,
        clear: contextlib.ExitStack,
    ) -> None:
        """Start the process; `clear` receives the removal of everything made for it."""
        player, limits = self.player, job.limits
        token = secrets.token_hex(16)
        if player.door is not None:
            self._order(job, directory, token, clear)
            return
        program = program_of(player)
        user, group = NOBODY, None
        if users:
            user = users.take()
            clear.callback(users.give_back, user)
        if groups:
            group = groups.take(limits.memory_bytes, process_limit(program, limits))
            clear.callback(groups.give_back, group)
        self.listener = Listener(token, directory.path / "s" if job.transport == "ipc" else None)
        clear.callback(self.listener.close)
        access = Access(directory=directory.path, port=self.listener.port, user=user)
        self._place = self._tier.scratch(access)
        if player.scratch:
            self._scratch = Scratch(Path(player.scratch), limits.scratch_bytes)
            clear.callback(self._scratch.drop)
            self._scratch.give(access.scratch_copy)
            if not self._tier.own_scratch:
                self._scratch.hold(access.scratch_copy)
        shown = {} if job.dialog is None else {"ARENA_DEBUG": "1"}  # a bridge shows each line
        env = environment(program, access) | shown
        env |= {"ARENA_ENDPOINT": self.listener.endpoint, "ARENA_TOKEN": token}
        if program.has_scratch:
            env["ARENA_SCRATCH"] = str(self._place)
        self.process = Process(program, limits, env, group, access)

    def _order(
        self, job: Job, directory: SandboxDirectory, token: str, clear: contextlib.ExitStack
    ) -> None:
        """Have the bot started on its owner's machine; its messages come to the same socket."""
        self.listener = Listener(token, directory.path / "s")
        clear.callback(self.listener.close)
        self.is_output_closed = True
        self.process = process = RemoteProcess(self.player, job, self.listener.endpoint, token)
        self._is_over = process.look

    def confirm(self) -> None:
        """Wait until its program is executed; raises NoStartError on failure."""
        self.process.confirm()

    def on_readable(self, descriptor: int) -> None:
        """Serve the listener; afterwards `hello` or `refusal` may be set."""
        try:
            opened = self.listener.on_readable(descriptor)
        except RefusedHelloError as error:
            self.refusal = str(error)
            return
        if opened is not None:
            self.link, self.hello = opened
            self.link.watch(self.process.pidfd, self._is_over)
            if self._scratch is not None and self._tier.own_scratch:
                place = self.process.seen_from_inside(self._place)
                if place is not None:  # otherwise it has ended already
                    self._scratch.hold(place)
            if (alarm := self.process.memory_alarm) is not None:
                self.link.watch(alarm, self._on_memory_alarm)
            if not self.is_output_closed:
                self.link.watch(self.process.output, self._on_output)

    def drain(self) -> None:
        """Read some of its output."""
        self.is_output_closed = not self.process.drain()

    def begin_log(self, job: Job, seat: Seat) -> None:
        """Begin the file of a match, if one is wanted; a remote bot's output is its owner's."""
        if job.dialog is not None and isinstance(self.process, Process):
            self.log = DialogLog(job, seat)
            self.process.kept.copy = self.log.add

    def end_log(self) -> None:
        """Close the file of a match, if any."""
        if self.log is not None:
            self.log.close()

    def output_tail(self) -> str:
        """Return the end of its output, with the author's files in place of their copies."""
        return self._with_own_paths(self.process.tail())

    def printed(self) -> list[Printed]:
        """Return its output by the calls of its match, as far as it has been read and kept."""
        return [
            Printed(part.number, self._with_own_paths(printable(text)), part.dropped)
            for part in self.process.kept.parts()
            if (text := part.data.decode(errors="replace"))
        ]

    def _with_own_paths(self, text: str) -> str:
        source = self.player.source
        return text.replace(f"{self.player.folder}/", f"{source}/") if source else text

    def hang_up(self) -> None:
        """Close the link and give the bot a moment to print its notice and exit."""
        if self.link is not None:
            self.link.close()
            self.wait_exit()

    def wait_exit(self, wait_ns: int = EXIT_NS) -> None:
        """Give the bot a moment to exit; a line lost now changes no result."""
        with contextlib.suppress(*NO_BLAME):
            self.process.wait_end(wait_ns)

    def suspicion(self, filled: Lack | None = None) -> tuple[Termination, str] | None:
        """Return the bot's reason to void a match, as a fault; None without one.

        `filled` is what the bot has probably filled, so that the machine had too little of it.
        """
        if isinstance(self.process, RemoteProcess):
            lost = self.process.lost
            return None if lost is None else (Termination.NO_SHOW, f"its line was lost: {lost}")
        if self.process.has_hit_memory_limit:
            return Termination.MEMORY, EXCEEDED
        if filled is not None:
            return FILLED[filled]
        if len(self.listener.refused) < MAX_CALLERS:
            return None
        what = f"too many connections: {MAX_CALLERS} or more without a valid hello"
        return Termination.MALFORMED, what

    def refuse_shortage(self) -> None:
        """Raise ShortageError if the machine denied it something below its own limits."""
        if (shortage := self.process.shortage) is not None:
            raise ShortageError(shortage)

    def stop(self) -> str | None:
        """End it and remove what was made for it; return how it ended by itself."""
        ended = self.end()
        self.clear()
        return ended

    def end(self) -> str | None:
        """End its process tree; `clear` must follow. Return how it ended by itself."""
        ended = None
        with contextlib.suppress(*NO_BLAME):  # reported by the wait for its end
            ended = self.process.wait_end(0)
        self.process.stop()
        if self._scratch is not None and self.hello is not None:
            self.warning = self._scratch.keep()
        if self.link is not None:
            self.link.close()
        self.end_log()
        return ended

    def clear(self) -> None:
        """Remove its sandbox directory; wait for its last process, and give its group back."""
        self._clear.close()

    def _on_memory_alarm(self) -> bool:
        """End a bot at its memory limit; its pidfd reports the end."""
        alarm = self.process.memory_alarm
        if not self.process.end_for_memory():
            self.process.silence()  # a group above had no memory
        elif self.link is not None and alarm is not None:
            self.link.forget(alarm)
        return False

    def _on_output(self) -> bool:
        self.drain()
        if self.is_output_closed and self.link is not None:
            self.link.forget(self.process.output)
        return False
