"""The pipe between a director and its referee: jobs one way, the ends of matches the other.

To the referee goes one JSON value a line: an object is a job, a text the key of a job to give back.
The director sends the next jobs before the running match ends, so that a referee never waits; a job
may be taken back before its begin. A fault or a void match may decide who plays at all, so after
one the referee gives back every job up to a line `null`: the director has seen all ends. For each
job the referee answers, in order, with a line of a number and JSON, followed by as many bytes of a
packed record as the number says:

    2114 {"key": ..., "match": {"termination": ..., ...}} and 2114 bytes
    0 {"key": ..., "void": "the reason", "suspect": ..., "is_exhausted": ...}
    923 {"key": ..., "void": "an error of the rules", ...} and 923 bytes
    0 {"key": ..., "is_returned": true}
"""

import json
import os
import select
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Required, cast

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from protocol.wording import quoted, shown
from referee.job import Absence, Job
from referee.records.match_end import MatchEnd
from referee.records.record import JOBS, RECORD_BYTES
from referee.records.result import Finished
from referee.records.void_record import MAX_VOID_BYTES

MAX_HEAD_BYTES = 1 << 20
"""Limit of the line before a record."""
_CHUNK = 1 << 20


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


class BadAnswerError(ValueError):
    """Output of a referee other than the end of its match; do not trust this referee."""


class EndSplitter:
    """Divides the output of a referee into the ends of matches, unread."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._size: int | None = None
        """Bytes of the first end in the buffer; None before its line is complete."""

    @property
    def is_empty(self) -> bool:
        """Whether no part of an end is left."""
        return not self._buffer

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Add received bytes and yield the completed ends; raises BadAnswerError."""
        self._buffer += data
        while (size := self._first_size()) is not None and len(self._buffer) >= size:
            end = bytes(self._buffer[:size])
            del self._buffer[:size]
            self._size = None
            yield end

    def _first_size(self) -> int | None:
        if self._size is None:
            self._size = self._said_size()
        return self._size

    def _said_size(self) -> int | None:
        line_end = self._buffer.find(b"\n", 0, MAX_HEAD_BYTES)
        if line_end < 0:
            if len(self._buffer) < MAX_HEAD_BYTES:
                return None
            raise _bad_answer(self._buffer)
        number = self._buffer[:line_end].partition(b" ")[0]
        if not number.isdigit() or len(number) > _DIGITS:
            raise _bad_answer(self._buffer)
        return line_end + 1 + int(number)


def read_end(said: bytes, job: Job) -> MatchEnd:
    """Return the end of a match as its referee wrote it; raises BadAnswerError for any other.

    Nothing is believed about another match, since bots may have taken over the referee.
    """
    line, _, body = said.partition(b"\n")
    try:
        head: dict[str, Any] = dict(_HEADS.validate_json(line.partition(b" ")[2]))
        if (key := head.pop("key")) == job.key:
            if match := head.get("match"):
                head["match"] = replace(match, body=body)
            elif len(body) <= MAX_VOID_BYTES:
                head["void_record"] = body
            end = MatchEnd(job, **head)
            _check_end(end)
            return end
    except ValueError:
        raise _bad_answer(said) from None
    raise BadAnswerError(f"the referee answered for {quoted(key)}, which is not its match")


def _check_end(end: MatchEnd) -> None:
    """Raise ValueError unless an end is about the match and players of its job."""
    job, match = end.job, end.match
    if end.suspect is not None and end.suspect.seat not in job.seats():
        raise ValueError("a suspect without a seat")
    if end.void_record and end.void is None:
        raise ValueError("the record of a void match for another end")
    if match is None:
        return
    players = tuple((player.name, player.content) for player in job.players)
    names = [seat.player for seat in match.seats]
    if match.key != job.key or tuple(zip(names, match.contents, strict=True)) != players:
        raise ValueError("a match of others")
    numbers = (value for seat in match.seats for value in seat if isinstance(value, int))
    if not all(-_HIGHEST <= number < _HIGHEST for number in (match.plies, *numbers)):
        raise ValueError("a number that no database keeps")


def _bad_answer(said: bytes | bytearray) -> BadAnswerError:
    first = bytes(said[:100]).partition(b"\n")[0]
    return BadAnswerError(f"the referee sent {shown(first, 120)}")


def job_line(job: Job) -> bytes:
    """Encode a job for the referee."""
    return JOBS.dump_json(job) + b"\n"


GO_ON_LINE = b"null\n"
"""Says that the director has seen all ends: the jobs after it may begin."""


def take_back_line(key: str) -> bytes:
    """Encode the request to give a job back."""
    return json.dumps(key).encode() + b"\n"


def end_bytes(end: MatchEnd) -> bytes:
    """Encode the end of a match for the director."""
    head: dict[str, Any] = {name: True for name in _FLAGS if getattr(end, name)}
    head |= {"key": end.job.key, "void": end.void, "suspect": end.suspect}
    body = end.void_record
    if end.match is not None:
        body = end.match.body
        head["match"] = replace(end.match, body=b"")
    text = json.dumps(_HEADS.dump_python(cast("_Head", head), mode="json", exclude_none=True))
    return b"%d %s\n%s" % (len(body), text.encode(), body)


class _Head(TypedDict, total=False):
    """What a referee says of the end of a match; its job and the rest is the director's."""

    key: Required[str]
    match: Finished | None
    void: str | None
    suspect: Absence | None
    is_exhausted: bool
    is_short: bool
    is_absent: bool
    is_returned: bool


_HEADS = TypeAdapter(_Head)
_DIGITS = len(str(RECORD_BYTES))
_HIGHEST = 1 << 63
_FLAGS = ("is_exhausted", "is_short", "is_absent", "is_returned")
