"""The director's side of examinations: a child process for each lane, read without waiting."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from protocol.wording import escaped

LONGEST_S = 3600.0
"""Limit of an examination: only a hang takes longer than a build and some 500 moves."""
_CHUNK = 1 << 16
_MOST = 4_000_000
"""Limit of the bytes that an examination may report."""


@dataclass(frozen=True)
class Outcome:
    """The end of an examination."""

    end: Literal["accepted", "refused", "machine"]
    tree: str = ""
    reason: str = ""
    log: str = ""
    notice: str = ""
    """What staff can do about it; empty for nothing."""


class Examiner:
    """A process that examines one hand-in after the other."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        """Start the process."""
        self._now_s = now_s
        self._until_s = 0.0
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.league.hand_ins.examine"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        os.set_blocking(self._process.stdout.fileno(), False)
        self._unread = b""
        self._size = 0
        self.lines: list[str] = []
        """What was found so far of this hand-in."""

    def begin(self, order: Mapping[str, Any]) -> None:
        """Have a hand-in examined, the one before having its outcome."""
        self._until_s = self._now_s() + LONGEST_S
        self._unread, self._size, self.lines = b"", 0, []
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        with contextlib.suppress(BrokenPipeError):  # `look` tells of its end
            self._process.stdin.write(json.dumps(order).encode() + b"\n")

    @property
    def pid(self) -> int:
        """PID of the process."""
        return self._process.pid

    def look(self) -> Outcome | None:
        """Read what has arrived; return the outcome at the end, None before.

        The process has ended with the outcome "machine", and examines nothing more.
        """
        is_over = self._now_s() > self._until_s
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        try:
            while data := os.read(self._process.stdout.fileno(), _CHUNK):
                self._size += len(data)
                if (outcome := self._read(data)) is not None:
                    if outcome.end == "machine":
                        self.close()
                    return outcome
                if self._size > _MOST:
                    break
        except BlockingIOError:
            if not is_over:
                return None
        self.close()
        why = "took too long" if is_over else f"ended with exit code {self._process.returncode}"
        return Outcome("machine", reason=f"the examination {why}")

    def close(self) -> None:
        """End the process and all that it has started, if it has not ended."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.close()
        try:
            self._process.wait(3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _read(self, data: bytes) -> Outcome | None:
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            try:
                said = json.loads(line)
                is_end = "end" in said
            except (ValueError, TypeError):
                return Outcome("machine", reason="the examination wrote no JSON")
            if is_end:
                texts = {
                    key: escaped(said.get(key, ""), "\n") for key in ("reason", "log", "notice")
                }
                return Outcome(said["end"], said.get("tree", ""), **texts)
            self.lines.append(escaped(said["line"], "\n"))
        return None
