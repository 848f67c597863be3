"""The slots of this machine: one referee process each, on separate cores."""

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from time import sleep
from typing import TypeVar

from arena.errors import MachineError
from arena.event.slots.batching import LOOK_S, LOOKS, MatchPace
from arena.event.slots.flag import Flag
from referee.job import Job
from referee.records.match_end import MatchEnd
from referee.sandbox import ending, remove_leftovers, sweep
from referee.service.pipe import (
    GO_ON_LINE,
    BadAnswerError,
    EndSplitter,
    end_bytes,
    job_line,
    read_end,
    take_back_line,
)

End = TypeVar("End", MatchEnd, bytes)
STOP_S = 3.0
"""Time in s for a referee to end before it is killed."""
_CHUNK = 1 << 20
_MOST_BYTES = 24 * 1024
"""Most bytes of matches in a pipe, far below its capacity: no write may wait for the referee, since
the referee may be waiting for a reader of its end.
"""


class Slot:
    """A referee process, the match it is playing, and the next ones."""

    def __init__(self, cores: Sequence[int], audience: int | None = None) -> None:
        """Start a referee pinned to these cores, unpinned without any.

        `audience` is the descriptor of a flag: the referee reports its running match while the
        flag is set. Without it, the referee never reports.
        """
        self.jobs: deque[Job] = deque()
        """The running match; behind it those in the referee's pipe, then those held back."""
        self._sent: deque[int] = deque()
        """Bytes of each match that was sent."""
        self._held: deque[bytes] = deque()
        self._taken_back: set[str] = set()
        self._splitter = EndSplitter()
        self._pace = MatchPace()
        command = [sys.executable, "-P", "-m", "referee", "--director", str(os.getpid())]
        command += ["--cores", ",".join(map(str, cores))]
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError as error:
            raise MachineError(f"a referee cannot be started: {error.strerror}") from None
        try:
            with theirs:
                passed = () if audience is None else (audience, theirs.fileno())
                if passed:
                    command += ["--reports", ",".join(map(str, passed))]
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                    bufsize=0,
                    pass_fds=passed,
                )
        except OSError as error:
            ours.close()
            raise MachineError(f"a referee cannot be started: {error.strerror}") from None
        self._reports = ours

    @property
    def pid(self) -> int:
        """PID of the child process: the warden of the referee."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the referee has been waited for."""
        return self._process.returncode is not None

    def fileno(self) -> int:
        """Return the descriptor of the referee's output, for a selector."""
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        return self._process.stdout.fileno()

    def submit(self, job: Job) -> None:
        """Send the referee a match to play; if it has died, `read` raises EOFError."""
        if not self.jobs:
            self._pace.begin()
        self._held.append(job_line(job) if self.jobs else GO_ON_LINE + job_line(job))
        self.jobs.append(job)
        self._fill_pipe()

    def wanted(self) -> int:
        """Return the wanted number of matches: the running one and the next ones."""
        return self._pace.wanted()

    def rest_s(self) -> float:
        """Return for how long in s it surely has something to play."""
        return self._pace.rest_s(len(self.jobs))

    def take_back(self) -> None:
        """Ask for the matches that have not begun; their ends are `is_returned`, or played."""
        for job in islice(self.jobs, 1, None):
            if job.key not in self._taken_back:
                self._taken_back.add(job.key)
                self._send(take_back_line(job.key))

    def read(self) -> list[MatchEnd]:
        """Return the ends that the referee has completed.

        Once it is dead, or has sent anything else, it is ended: `has_ended`, its match is void and
        the matches behind it are returned.
        """
        return self._ends(read_end, lambda end: end)

    def unread(self) -> list[bytes]:
        """Return the ends of `read` as the referee wrote them, for a director elsewhere."""
        return self._ends(lambda said, _: said, end_bytes)

    def reports(self) -> list[bytes]:
        """Return what the referee has reported of its running match, as JSON."""
        found: list[bytes] = []
        with contextlib.suppress(OSError):  # nothing more to read, or the referee has ended
            while report := self._reports.recv(_CHUNK, socket.MSG_DONTWAIT):
                found.append(report)
        return found

    def lost(self, why: str = "") -> list[MatchEnd]:
        """End the referee; return its match, if any, as void: `why`, or its exit code or signal."""
        self.end()
        code = self.wait()
        is_late = code == -signal.SIGVTALRM
        how = ending(code) + (": its game continued after its time limit" if is_late else "")
        void = why or f"the referee ended: {how}"
        ends = [MatchEnd(job, is_returned=True) for job in islice(self.jobs, 1, None)]
        if self.jobs:
            ends.insert(0, MatchEnd(self.jobs[0], void=void))
        self.jobs.clear()
        return ends

    def end(self) -> None:
        """Ask the referee to end together with its bots."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.terminate()

    def wait(self) -> int:
        """Return the exit code of the referee once it ends; kill it after STOP_S seconds."""
        try:
            code = self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._reports.close()
        return code

    def _fill_pipe(self) -> None:
        """Send as many matches as fit, or the next one to a waiting referee."""
        while self._held and (not self._sent or sum(self._sent, len(self._held[0])) <= _MOST_BYTES):
            self._sent.append(len(self._held[0]))
            self._send(self._held.popleft())

    def _send(self, line: bytes) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        left = memoryview(line)
        with contextlib.suppress(BrokenPipeError):
            while left:
                left = left[self._process.stdin.write(left) :]

    def _ends(
        self, referees: Callable[[bytes, Job], End], own: Callable[[MatchEnd], End]
    ) -> list[End]:
        """Return the completed ends of the referee, and the slot's own once it is ended."""
        ends: list[End] = []
        try:
            for said in self._received():
                ends.append(referees(said, self.jobs[0]))
                self._begin_next()
        except (EOFError, BadAnswerError) as error:
            ends += map(own, self.lost(str(error)))
        self._pace.add(len(ends))
        return ends

    def _received(self) -> Iterator[bytes]:
        """Yield the ends completed by what the referee has sent, unread."""
        data = os.read(self.fileno(), _CHUNK)
        if not data:
            raise EOFError
        for said in self._splitter.feed(data):
            if not self.jobs:
                raise BadAnswerError("the referee answered without a match")
            yield said

    def _begin_next(self) -> None:
        """Follow the referee to its next match: the running one has ended."""
        self._taken_back.discard(self.jobs.popleft().key)
        self._sent.popleft()
        self._fill_pipe()


class LocalSlots:
    """Slots of this machine: waits for ends and replaces dead referees."""

    def __init__(
        self, cores: Sequence[tuple[int, ...]], spared: Callable[[], set[int]] = set
    ) -> None:
        """Remove the leftovers of killed referees, then start a slot for each set of cores.

        `spared` returns the PIDs of child processes that are no bots.
        """
        remove_leftovers()
        self._cores = cores
        self._spared = spared
        self._audience = Flag()
        self._selector = selectors.DefaultSelector()
        self._slots: dict[Slot, int] = {}
        try:
            for number in range(len(cores)):
                self._start(number)
        except MachineError:
            self.close()
            raise

    def free(self) -> list[Slot]:
        """Return the slots without a match."""
        return [slot for slot in self._slots if not slot.jobs]

    def ahead(self) -> list[Slot]:
        """Return the slots for the next matches, the second match of each slot first.

        Of these, the free slots come last: they have just received their first.
        """
        waiting = [
            (number, not slot.jobs, slot)
            for slot in self._slots
            for number in range(max(len(slot.jobs), 1), slot.wanted())
        ]
        return [slot for *_, slot in sorted(waiting, key=itemgetter(0, 1))]

    def queues(self) -> list[Slot]:
        """Return the slots with a match that has not begun."""
        return [slot for slot in self._slots if len(slot.jobs) > 1]

    def running(self) -> list[Job]:
        """Return the running matches."""
        return [slot.jobs[0] for slot in self._slots if slot.jobs]

    def wait(self, seconds: float) -> list[MatchEnd]:
        """Return the complete ends; wait at most `seconds` for output of a referee.

        The first ends wait for others while all referees have something to play.
        """
        ends = self._ready(seconds)
        for _ in range(LOOKS):
            rest_s = min(slot.rest_s() for slot in self._slots)
            if rest_s <= 0 or not ends or not all(end.is_played for end in ends):
                break
            sleep(min(rest_s, LOOK_S))  # a wake-up for every end would cost more than the end
            ends += self._ready(0)
        return ends

    def _ready(self, seconds: float) -> list[MatchEnd]:
        ends: list[MatchEnd] = []
        for key, _ in self._selector.select(seconds):
            slot = key.fileobj
            assert isinstance(slot, Slot)  # noqa: S101 - only slots are registered
            ends += slot.read()
            if slot.has_ended:
                self._replace(slot)
        return ends

    def report_to(self, audience: int) -> None:
        """Have the referees report their matches from the start to a new audience; 0 is nobody."""
        self._audience.set(audience)

    def reports(self) -> list[bytes]:
        """Return the reports of all referees that have arrived."""
        return [report for slot in self._slots for report in slot.reports()]

    def notices(self) -> list[str]:
        """Return nothing: this machine is there as long as the director is."""
        return []

    def close(self) -> None:
        """End all referees, and remove their remaining processes and files."""
        for slot in self._slots:
            slot.end()
        for slot in self._slots:
            slot.wait()
        self._slots.clear()
        self._selector.close()
        self._audience.close()
        sweep(self._spared())
        remove_leftovers()

    def _start(self, number: int) -> None:
        slot = Slot(self._cores[number], self._audience.descriptor)
        self._slots[slot] = number
        self._selector.register(slot, selectors.EVENT_READ)

    def _replace(self, slot: Slot) -> None:
        """Start a new referee in place of one that has ended."""
        self._selector.unregister(slot)
        number = self._slots.pop(slot)
        sweep({other.pid for other in self._slots} | self._spared())
        remove_leftovers()
        self._start(number)
