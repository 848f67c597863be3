"""A file with all that a bot prints in its matches, each line with its time.

The bridge of an engine prints every line to and from the engine if ARENA_DEBUG is set. The times
are those at which the referee has read a line: while a bot is asked, at once.
"""

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from protocol.vocabulary import Seat
from referee.job import SECOND_NS, Job
from referee.sandbox.printable import printable

MOST_BYTES = 16 << 20
"""Limit of the bytes of one file."""
MOST_IN_FOLDER = 1 << 30
"""Size of all files of a folder in bytes from which on no new one is begun."""
LEAST_BYTES = 64 << 10
"""What a file counts at least, so that a folder has 16,384 files at most."""
MOST_OF_LINE = 64 << 10
"""Limit of the bytes of a line; the rest of it is the next line."""
LONGEST_NAME = 180
CUT = "the rest is not kept: a file has at most 16 MiB"


class DialogLog:
    """The file of one seat of one match.

    Nothing here may end a match: a disk that is full ends the file.
    """

    def __init__(self, job: Job, seat: Seat, *, now_ns: Callable[[], int] = time.monotonic_ns):
        """Begin the file, or continue it for another attempt at the match."""
        self._now_ns = now_ns
        self._began_ns = now_ns()
        self._line = b""
        self._left: int
        """Bytes that the file may still have."""
        self._file: int | None = None
        with suppress(OSError):
            self._open(job, seat)

    def _open(self, job: Job, seat: Seat) -> None:
        folder = Path(job.dialog or "")
        sizes = (entry.stat(follow_symlinks=False).st_size for entry in os.scandir(folder))
        if sum(max(size, LEAST_BYTES) for size in sizes) >= MOST_IN_FOLDER:
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.open(folder / file_name(job, seat), flags, 0o600)
        self._left = MOST_BYTES - os.fstat(self._file).st_size
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        self._write(f"match {job.key}, seat {seat}, {job.player(seat).name}, {when} UTC")

    def add(self, data: bytes) -> None:
        """Add what has been read of the output."""
        if self._file is None:
            return
        *lines, self._line = (self._line + data).split(b"\n")
        while len(self._line) > MOST_OF_LINE:
            lines.append(self._line[:MOST_OF_LINE])
            self._line = self._line[MOST_OF_LINE:]
        for line in lines:
            self._write_line(line)

    def close(self) -> None:
        """Add a last line without an end, and close the file."""
        if self._line:
            self._write_line(self._line)
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write_line(self, line: bytes) -> None:
        text = printable(line.decode(errors="backslashreplace").rstrip("\r"))
        self._write(f"{(self._now_ns() - self._began_ns) / SECOND_NS:10.3f} {text}")

    def _write(self, text: str) -> None:
        if self._file is None:
            return
        data = f"{text}\n".encode()
        is_full = len(data) > self._left
        try:
            os.write(self._file, f"{CUT}\n".encode() if is_full else data)
        except OSError:
            is_full = True
        self._left -= len(data)
        if is_full:
            os.close(self._file)
            self._file = None


def file_name(job: Job, seat: Seat) -> str:
    """Return the name of the file, of characters that need no quotes in a shell."""
    plain = re.sub(r"[^A-Za-z0-9_.,@+/-]+", "_", job.key).lstrip(".-/")
    digest = ""
    if plain != job.key or len(plain) > LONGEST_NAME:
        made = blake2b(job.key.encode(errors="surrogatepass"), digest_size=4).hexdigest()
        digest = f"-{made}"  # another key may have the same plain name
    return f"{plain[:LONGEST_NAME].replace('/', '~')}{digest}.seat-{seat}.log"
