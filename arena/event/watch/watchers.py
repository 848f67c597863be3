"""Watchers of an event: other processes of the same user, to show its running matches.

The director listens on a socket in a directory named after the database and the event. It never
waits for a watcher: a slow reader is dropped, and without watchers the referees report nothing. To
a watcher goes one JSON object a line:

    {"running": [{"key": ..., "game": ..., ...}], "next": [["ann", "bob"], ...], "left": 12,
     "total": 30}
    {"key": ..., "run": 71, "first": 4, "calls": [{"seat": 0, "call": "move", ...}]}

The second is a report of a referee: calls of a running match, numbered from `first`. Another
attempt at the match has another `run`.
"""

import json
import os
import socket
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from arena.event.slots.contract import Reporting
from arena.schedule.pairing import Pairing
from referee.job import Job
from referee.sandbox import make_locked, remove_directory

MAX_WATCHERS = 8
MAX_BEHIND = 4_000_000
"""Limit of bytes not yet read by a watcher; one with more is dropped."""
STEP_S = 0.1
"""Least time between two steps of work for watchers, in seconds."""
IDLE_S = 1.0
NEXT = 24
"""Number of the next matches that are sent."""


class Watchers:
    """The watchers of one event."""

    def __init__(
        self, db: Path, event: int, *, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        """Listen for watchers; an event is played without them if that is impossible."""
        self._now_s = now_s
        self._stepped_s = -STEP_S
        self._watchers: list[_Watcher] = []
        self._audience = 0
        """Number of the last audience: referees report a match again only to another number."""
        self._told: dict[str, Any] = {}
        self._home: tuple[Path, int] | None = None
        self._door: socket.socket | None = None
        with suppress(OSError):
            self._listen(socket_name(db, event))

    def _listen(self, name: str) -> None:
        _, lock = self._home = make_locked(Path(tempfile.gettempdir()))
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._door.settimeout(0)
        address = f"/proc/self/fd/{lock}/{name}"  # the path itself may be too long
        self._door.bind(address)
        os.chmod(address, 0o600)  # noqa: PTH101 - the directory is open to its owner only anyway
        self._door.listen(MAX_WATCHERS)

    @property
    def step_s(self) -> float:
        """Time in seconds until the next step has work to do; long if nobody watches."""
        return STEP_S if self._watchers else IDLE_S

    def step(
        self,
        slots: Reporting,
        running: Sequence[Job],
        coming: Iterable[Pairing | Job],
        *,
        left: int,
        total: int,
    ) -> None:
        """Serve watchers without waiting; `left` of the `total` matches are unfinished."""
        if self._door is None or self._now_s() < self._stepped_s + STEP_S:
            return
        self._stepped_s = self._now_s()
        newcomers, was_watched = self._accept(), bool(self._watchers)
        self._watchers = [watcher for watcher in self._watchers if watcher.keep()]
        if newcomers:
            from referee.play.reporter import AUDIENCES  # slow import, for watched events only

            self._audience = self._audience % AUDIENCES + 1
            self._watchers += newcomers
            self._told = {}
        if newcomers or (was_watched and not self._watchers):
            slots.report_to(self._audience if self._watchers else 0)
        if not self._watchers:
            return
        state = {
            "running": [description(job) for job in running],
            "next": [_names(each) for each in islice(coming, NEXT)],
            "left": left,
            "total": total,
        }
        lines = [b"%s\n" % report for report in slots.reports()]
        if state != self._told:
            self._told = state
            lines.insert(0, json.dumps(state).encode() + b"\n")
        for watcher in self._watchers:
            watcher.send(b"".join(lines))

    def close(self) -> None:
        """Send the watchers away and remove the directory."""
        for watcher in self._watchers:
            watcher.close()
        if self._door is not None:
            self._door.close()
        if self._home is not None:
            folder, lock = self._home
            self._home = None
            remove_directory(folder)
            os.close(lock)

    def _accept(self) -> "list[_Watcher]":
        found: list[_Watcher] = []
        with suppress(OSError):
            while self._door is not None:
                link, _ = self._door.accept()
                if len(self._watchers) + len(found) < MAX_WATCHERS:
                    found.append(_Watcher(link))
                else:
                    link.close()
        return found


class _Watcher:
    """A connected watcher and the bytes still to be sent."""

    def __init__(self, link: socket.socket) -> None:
        link.settimeout(0)
        self._link = link
        self._behind = bytearray()

    def keep(self) -> bool:
        """Whether it is connected; the rest of its input is ignored."""
        try:
            is_there = bool(self._link.recv(1024))
        except BlockingIOError:
            is_there = True
        except OSError:
            is_there = False
        if not is_there:
            self.close()
        return is_there

    def send(self, data: bytes) -> None:
        """Send as much as the watcher takes now; drop a watcher with too much left."""
        self._behind += data
        try:
            while self._behind:
                del self._behind[: self._link.send(self._behind)]
        except BlockingIOError:
            if len(self._behind) > MAX_BEHIND:
                self._drop()
        except OSError:
            self._drop()

    def _drop(self) -> None:
        self._behind.clear()
        with suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._link.close()


def socket_name(db: Path, event: int) -> str:
    """Return the name of the socket of an event: a database has one, whatever its path."""
    stat = db.stat()
    return f"{stat.st_dev}-{stat.st_ino}-{event}"


def description(job: Job) -> dict[str, Any]:
    """Return what a watcher needs to show a match."""
    return {
        "key": job.key,
        "game": job.game,
        "options": job.options,
        "players": job.names(),
        "board_seed": job.board_seed,
        "history": job.history,
        "times": [asdict(job.time_of(seat)) for seat in job.seats()],
    }


def _names(match: Pairing | Job) -> list[str]:
    return list(match.names() if isinstance(match, Job) else match.players)
