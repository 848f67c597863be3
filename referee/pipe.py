"""The pipe between a director and its referee: jobs one way, the ends of matches the other.

To the referee goes one JSON value a line: an object is a job, a text the key of a job to give back.
The director sends the next jobs before the running match ends, so that a referee never waits; a job
may be taken back before its begin. A fault or a void match may decide who plays at all, so after
one the referee gives back every job up to a line `null`: the director has seen all ends. For each
job the referee answers, in order, with a line of a number and JSON, followed by as many bytes of a
packed record as the number says:

    2114 {"key": ..., "match": {"termination": ..., ...}} and 2114 bytes
    0 {"key": ..., "void": "the reason", "suspect": ..., "is_exhausted": ...}
    0 {"key": ..., "is_returned": true}
"""

import json
import os
import select
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from referee.job import Absence, Job
from referee.record import JOBS
from referee.result import Finished

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEnd:
    """The end of a job: a finished match, or the reason for a void one."""

    key: str
    match: Finished | None = None
    void: str | None = None
    suspect: Absence | None = None
    """The seat suspected of making the match void, and its fault in a repetition."""
    is_exhausted: bool = False
    """Whether the match is void because the machine lacked resources to start a bot."""
    is_short: bool = False
    """Whether the match is void because the machine had too little for running bots."""
    is_absent: bool = False
    """Whether the match did not begin because the suspect, a remote bot, was out of reach."""
    is_returned: bool = False
    """Whether the job was taken back before its begin."""

    def __post_init__(self) -> None:
        if (self.match is not None) + (self.void is not None) + self.is_returned != 1:
            raise ValueError("a job ends with a match, void or returned")

    @property
    def stops(self) -> bool:
        """Whether no job behind it may begin before the director has seen this end."""
        return self.void is not None or (self.match is not None and self.match.has_fault)


class JobReader:
    """The referee's end: yields jobs to play."""

    def __init__(self, descriptor: int, rest: Callable[[], None]) -> None:
        """Read jobs from a pipe; `rest` is called when the director has to be waited for."""
        self._descriptor = descriptor
        self._rest = rest
        self._buffer = bytearray()
        self._jobs: deque[Job | None] = deque()
        """The jobs to play; None is the line that ends a stop."""
        self._taken_back: set[str] = set()
        self._is_open = True
        self._is_stopped = False

    def __iter__(self) -> Iterator[tuple[Job, bool]]:
        """Yield each job, and whether to return it, until the director closes the pipe."""
        while self._jobs or self._is_open:
            self._read_all()
            if self._is_open and not self._jobs:
                self._rest()
                self._is_readable(None)
            if not self._jobs:
                continue
            job = self._jobs.popleft()
            if job is None:
                self._is_stopped = False
                continue
            yield job, self._is_stopped or job.key in self._taken_back
            self._taken_back.discard(job.key)

    def stop(self) -> None:
        """Have all jobs returned that the director sent before it saw the last end."""
        self._is_stopped = True

    def following(self) -> Job | None:
        """Return the job after the one yielded last, if it is known by now and to be played."""
        self._read_all()
        job = self._jobs[0] if self._jobs else None
        return None if self._is_stopped or job is None or job.key in self._taken_back else job

    def _read_all(self) -> None:
        while self._is_open and self._is_readable(0):
            self._read()

    def _is_readable(self, wait_s: float | None) -> bool:
        return bool(select.select([self._descriptor], [], [], wait_s)[0])

    def _read(self) -> None:
        data = os.read(self._descriptor, _CHUNK)
        self._is_open = bool(data)
        self._buffer += data
        *lines, self._buffer = self._buffer.split(b"\n")
        for line in lines:
            if line.startswith(b'"'):
                self._taken_back.add(json.loads(line))
            elif line == GO_ON_LINE.strip():
                self._jobs.append(None)
            else:
                self._jobs.append(JOBS.validate_json(bytes(line)))


class BadAnswerError(Exception):
    """Output of a referee other than the result of its match; end this referee."""


class JobEndReader:
    """The director's end: takes bytes and yields the ends of jobs."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._head: bytearray | None = None
        """JSON of an end whose record is incomplete."""
        self._size = 0
        """Bytes of this record."""

    def feed(self, data: bytes) -> Iterator[JobEnd]:
        """Add received bytes and yield the completed ends; raises ValueError for anything else."""
        self._buffer += data
        while True:
            if self._head is None:
                if b"\n" not in self._buffer:
                    return
                line, _, self._buffer = self._buffer.partition(b"\n")
                size, _, self._head = line.partition(b" ")
                if not size.isdigit():
                    raise ValueError("a line without a number")
                self._size = int(size)
            if len(self._buffer) < self._size:
                return
            end = _ENDS.validate_json(self._head)
            body = bytes(self._buffer[: self._size])
            del self._buffer[: self._size]
            self._head = None
            yield end if end.match is None else replace(end, match=replace(end.match, body=body))


def job_line(job: Job) -> bytes:
    """Encode a job for the referee."""
    return JOBS.dump_json(job) + b"\n"


GO_ON_LINE = b"null\n"
"""Says that the director has seen all ends: the jobs after it may begin."""


def take_back_line(key: str) -> bytes:
    """Encode the request to give a job back."""
    return json.dumps(key).encode() + b"\n"


def end_bytes(end: JobEnd) -> bytes:
    """Encode the end of a job for the director."""
    body = b""
    if end.match is not None:
        body = end.match.body
        end = replace(end, match=replace(end.match, body=b""))
    head = json.dumps(_ENDS.dump_python(end, mode="json", exclude_defaults=True))
    return b"%d %s\n%s" % (len(body), head.encode(), body)


_ENDS = TypeAdapter(JobEnd)
