"""Slots: one referee process each, on separate cores, playing one match at a time."""

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
    """Outcome of a job: its record, or the reason for a void match."""

    job: Job
    record: Record | None
    void: str | None = None
    suspect: Absence | None = None
    """The seat suspected of making the match void, and its fault if it does so again."""
    is_exhausted: bool = False
    """Whether the match is void because the machine lacked resources to start a bot."""


class BadAnswerError(Exception):
    """Output of a referee other than the result of its match; end this referee."""


class Slot:
    """A referee process and the match it is playing."""

    def __init__(self, cores: tuple[int, ...]) -> None:
        """Start a referee pinned to these cores; unpinned for an empty tuple."""
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
        """PID of the child process: the warden of the referee."""
        return self._process.pid

    def fileno(self) -> int:
        """Return the descriptor of the referee's output, for a selector."""
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        return self._process.stdout.fileno()

    def submit(self, job: Job) -> None:
        """Send the referee its next match; if it has died, `read` raises EOFError."""
        self.job = job
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        line = memoryview(_JOBS.dump_json(job) + b"\n")
        try:
            while line:
                line = line[self._process.stdin.write(line) :]
        except BrokenPipeError:
            return

    def read(self) -> Result | None:
        """Read available output; return the result once it is complete, otherwise None.

        Raises EOFError after the last output of a dead referee, BadAnswerError for invalid output.
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
        """End the referee; return its match, if any, as void with the reason `why`.

        The default reason is the exit code or signal of the referee.
        """
        self.end()
        code = self.wait()
        how = f"exit code {code}" if code >= 0 else f"signal {_signal_name(-code)}"
        job, self.job = self.job, None
        return Result(job, None, why or f"the referee ended: {how}") if job else None

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
        return code


_JOBS = TypeAdapter(Job)
_SUSPECTS: TypeAdapter[Absence | None] = TypeAdapter(Absence | None)


def _result(job: Job | None, line: bytes | bytearray) -> Result:
    """Parse a referee's answer to a job; raise BadAnswerError if it is invalid."""
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
    """All slots of an event: waits for results and replaces dead referees."""

    def __init__(self, cores: Sequence[tuple[int, ...]]) -> None:
        """Remove the leftovers of killed referees, then start a slot for each set of cores."""
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
        """Return the running matches."""
        return [slot.job for slot in self._slots if slot.job is not None]

    def wait(self, seconds: float) -> list[Result]:
        """Return the complete results; wait at most `seconds` for output of a referee."""
        results = []
        for key, _ in self._selector.select(seconds):
            slot = key.fileobj
            assert isinstance(slot, Slot)  # noqa: S101 - only slots are registered
            if (result := self._read(slot)) is not None:
                results.append(result)
        return results

    def close(self) -> None:
        """End all referees, and remove their remaining processes and files."""
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
        """Replace a dead or untrusted referee by a new one; return its match, if any, as void."""
        self._selector.unregister(slot)
        number = self._slots.pop(slot)
        result = slot.lost(why)
        sweep({other.pid for other in self._slots})
        remove_leftovers()
        self._start(number)
        return result
