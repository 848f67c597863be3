"""Slots: one referee process each, on its own core, that plays one match at a time."""

import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from arena.errors import HostError
from referee.job import Absence, Job
from referee.record import Record
from referee.sandbox.leftovers import remove_leftovers
from referee.sandbox.process import sweep

STOP_S = 3.0
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a job: its record, or why the match is void."""

    job: Job
    record: Record | None
    void: str | None = None
    suspect: Absence | None = None
    """Whose bot seems to have made the match void, and how it is judged if it does so again."""
    is_exhausted: bool = False
    """Whether it is void since the machine had nothing left to start a bot with."""


class BadAnswerError(Exception):
    """A referee has said something that is no result of its match. It cannot be trusted further."""


class Slot:
    """A referee process and the match it is playing."""

    def __init__(self, cores: tuple[int, ...]) -> None:
        """Start a referee on these cores; an empty tuple pins it nowhere."""
        self.job: Job | None = None
        self._buffer = bytearray()
        command = [sys.executable, "-m", "referee", "--cores", ",".join(map(str, cores))]
        try:
            self._process = subprocess.Popen(
                [*command, "--director", str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise HostError(f"a referee cannot be started: {error.strerror}") from None

    @property
    def pid(self) -> int:
        """The process that was started: the referee's warden."""
        return self._process.pid

    def fileno(self) -> int:
        """Return what becomes readable when the referee has something to say."""
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        return self._process.stdout.fileno()

    def submit(self, job: Job) -> None:
        """Hand the referee its next match; a referee that is gone is told by `read`."""
        self.job = job
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        line = memoryview(_JOBS.dump_json(job) + b"\n")
        try:
            while line:
                line = line[self._process.stdin.write(line) :]
        except BrokenPipeError:
            return

    def read(self) -> Result | None:
        """Read some of what is there; return the result once it is there as a whole.

        Raises EOFError once the referee is gone and all it said has been read, and BadAnswerError.
        """
        data = os.read(self.fileno(), _CHUNK)
        if not data:
            raise EOFError
        self._buffer += data
        if b"\n" not in data:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        result = _result(self.job, line)
        self.job = None
        return result

    def lost(self, why: str | None = None) -> Result | None:
        """End the referee and return what became of its match, if it had one: void, for `why`."""
        self.end()
        code = self.wait()
        how = f"exit code {code}" if code >= 0 else f"signal {_signal_name(-code)}"
        job, self.job = self.job, None
        return Result(job, None, why or f"the referee ended: {how}") if job else None

    def end(self) -> None:
        """Ask the referee to end, and its bots with it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.terminate()

    def wait(self) -> int:
        """Wait until the referee has ended and return its exit code; kill it if it hangs."""
        try:
            code = self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        return code


_JOBS = TypeAdapter(Job)
_SUSPECTS: TypeAdapter[Absence | None] = TypeAdapter(Absence | None)


def _result(job: Job | None, line: bytes | bytearray) -> Result:
    """Read a referee's answer to a job."""
    try:
        answer = json.loads(line)
        key, stored, void = answer["key"], answer.get("record"), answer.get("void")
        if job is None or key != job.key or (stored is None) == (void is None):
            raise BadAnswerError(f"the referee answered for {key!r}, which it was not to play")
        record = None if stored is None else Record.from_json(stored)
        suspect = _SUSPECTS.validate_python(answer.get("suspect"))
        is_exhausted = answer.get("is_exhausted") is True
    except (ValueError, LookupError, TypeError, AttributeError):
        raise BadAnswerError(f"the referee said {bytes(line[:100])!r}") from None
    return Result(job, record, void, suspect, is_exhausted)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


class Slots:
    """All slots of an event: hand out jobs, wait for results, replace referees that die."""

    def __init__(self, cores: Sequence[tuple[int, ...]]) -> None:
        """Start a slot for each set of cores; what killed referees left behind goes first."""
        remove_leftovers()
        self._cores = cores
        self._selector = selectors.DefaultSelector()
        self._slots: dict[Slot, int] = {}
        try:
            for number in range(len(cores)):
                self._start(number)
        except HostError:
            self.close()
            raise

    def free(self) -> list[Slot]:
        """Return the slots without a match."""
        return [slot for slot in self._slots if slot.job is None]

    def running(self) -> list[Job]:
        """Return the matches that are being played."""
        return [slot.job for slot in self._slots if slot.job is not None]

    def wait(self, seconds: float) -> list[Result]:
        """Return the results that arrive within so many seconds; at once if there are some."""
        results = []
        for key, _ in self._selector.select(seconds):
            slot = key.fileobj
            assert isinstance(slot, Slot)  # noqa: S101 - only slots are registered
            if (result := self._read(slot)) is not None:
                results.append(result)
        return results

    def close(self) -> None:
        """End all referees and whatever they left behind."""
        for slot in self._slots:
            self._selector.unregister(slot)
            slot.end()
        for slot in self._slots:
            slot.wait()
        self._slots.clear()
        self._selector.close()
        sweep(set())
        remove_leftovers()

    def _read(self, slot: Slot) -> Result | None:
        try:
            return slot.read()
        except EOFError:
            return self._replace(slot)
        except BadAnswerError as error:
            return self._replace(slot, str(error))

    def _start(self, number: int) -> None:
        slot = Slot(self._cores[number])
        self._slots[slot] = number
        self._selector.register(slot, selectors.EVENT_READ)

    def _replace(self, slot: Slot, why: str | None = None) -> Result | None:
        """Start another referee in the place of one that is gone or to be; return its match."""
        self._selector.unregister(slot)
        number = self._slots.pop(slot)
        result = slot.lost(why)
        sweep({other.pid for other in self._slots})
        remove_leftovers()
        self._start(number)
        return result
