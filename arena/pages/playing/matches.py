"""The running matches with people, each in a process of its own, and their messages to pages."""

import asyncio
import contextlib
import json
import os
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.pages.playing.kept import KeptMatches
from protocol.vocabulary import Seat

MAX_RUNNING = 4
"""Limit of matches with people at once."""
MAX_KEPT = 16
"""Limit of matches, finished ones included; the oldest finished one is forgotten first."""
MAX_LINE = 1 << 25
"""Limit of a message of a match's process, in bytes."""
MAX_SEATS = 16
MAX_SAID = 50
MAX_LISTENERS = 12
"""Limit of open pages of a match."""
MAX_OF_A_LINK = 2
"""Limit of open pages of a link, so that a guest cannot shut out everybody else."""
MAX_WAITING = 300
"""Limit of unread messages of a slow page; then its stream ends."""
STOP_S = 5.0
ABSENCE_S = 120.0
"""Time without an open page before a match is left."""

Message = dict[str, Any]


class RefusedError(Exception):
    """An order refused now."""


@dataclass(eq=False)
class Listener:
    """An open page: receives the messages of some seats."""

    seats: Collection[Seat]
    link: Seat | None = None
    """The seat of the link to this page; None for the starting page."""
    queue: "asyncio.Queue[Message | None]" = field(
        default_factory=lambda: asyncio.Queue(MAX_WAITING)
    )

    def hear(self, message: Message | None) -> None:
        """Queue a message; None ends the stream, as does a full queue."""
        if self.queue.full():
            while not self.queue.empty():
                self.queue.get_nowait()
            message = None
        self.queue.put_nowait(message)


class PeopleMatch:
    """A match with people: its process, and the newest message of each kind and seat."""

    def __init__(
        self,
        number: int,
        linked: Collection[Seat],
        note: Callable[["PeopleMatch"], None] = lambda _: None,
    ) -> None:
        """`note` is called after each turn, and at the end."""
        self.number = number
        self.is_over = False
        self.keys = {seat: secrets.token_urlsafe(24) for seat in linked}
        """Keys of links, by seat."""
        self.ordered: dict[str, Any] = {}
        """The order to play it, with the moves so far."""
        self.can_resume = True
        """Whether the moves so far suffice to resume it."""
        self._note = note
        self.listeners: list[Listener] = []
        self._people: tuple[Seat, ...] = ()
        self._process: Process | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self._has_closed = False
        """Whether the process has closed its output: it ends by itself, and needs no signal.

        A signal to a just ended process makes asyncio complain.
        """
        self._asked: dict[Seat, int] = {}
        self._newest: dict[tuple[str, Seat | None], Message] = {}
        self._said: deque[Message] = deque(maxlen=MAX_SAID)

    async def start(self, order: Mapping[str, Any]) -> None:
        """Start the process; raises RefusedError on a full machine."""
        self.ordered = dict(order)
        try:
            self._process = await self._new_process()
        except OSError as error:
            self.is_over = True
            raise RefusedError(f"the match cannot be started: {error.strerror}") from None
        self._send(order)

    async def _new_process(self) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-P", "-m", "arena.pages.playing.process", str(os.getpid())),
            stdin=PIPE,
            stdout=PIPE,
            start_new_session=True,
            limit=MAX_LINE,
        )

    async def follow(self) -> None:
        """Hand on the messages of the process until its end; end it after anything else."""
        assert self._process is not None  # noqa: S101 - it was started
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        try:
            async for line in self._process.stdout:
                self._hear(json.loads(line))
        except (ValueError, LookupError):
            self._hear({"kind": "failed", "seat": None, "text": "the match sent no message"})
            self.leave()
        self._has_closed = True
        self._end()
        await self._wait()

    @property
    def seats_here(self) -> tuple[Seat, ...]:
        """Return the seats of people on the starting page."""
        return tuple(seat for seat in self._people if seat not in self.keys)

    def has_room(self, seat: Seat | None) -> bool:
        """Whether a further page of this link, or of the start of the match, may listen."""
        same = sum(listener.link == seat for listener in self.listeners)
        is_own = seat is None or same < MAX_OF_A_LINK
        return is_own and len(self.listeners) < MAX_LISTENERS

    def listen(self, seat: Seat | None) -> Listener:
        """Return a listener for a seat with a link or the starting page, at the present state."""
        seats = set(range(MAX_SEATS)) - set(self.keys) if seat is None else {seat}
        listener = Listener(seats, seat)
        keys = self.keys if seat is None else {}
        listener.hear({"kind": "own", "seats": sorted(seats), "keys": keys})
        for message in [*self._newest.values(), *self._said]:
            if self._is_for(message, seats):
                listener.hear(message)
        if self.is_over:
            listener.hear(None)
        self.listeners.append(listener)
        if self._leaving is not None:
            self._leaving.cancel()
        return listener

    def forget(self, listener: Listener) -> None:
        """Remove a listener; after the last one, leave the match unless another page opens."""
        self.listeners.remove(listener)
        if not self.listeners and not self.is_over:
            self.leave_later()

    def leave_later(self) -> None:
        """Leave the match unless a page opens within some time."""
        self._leaving = asyncio.get_running_loop().call_later(ABSENCE_S, self.leave)

    def leave(self) -> None:
        """End the match without a result."""
        if self._process is not None and not self._has_closed:
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()

    def order(self, seat: Seat, shown: int, what: Mapping[str, Any]) -> None:
        """Hand on an order of the person to move; raises RefusedError."""
        if self.is_over:
            raise RefusedError("this match is over")
        if self._asked.get(seat) != shown:
            raise RefusedError("it is not your turn, or the board has changed")
        del self._asked[seat]
        self._send({"seat": seat, "shown": shown, **what})

    async def end(self, why: str) -> None:
        """End the match for a reason that its pages show, and wait for the end of its process."""
        self._hear({"kind": "failed", "seat": None, "text": why})
        await self.stop()

    async def stop(self) -> None:
        """End the process and its bots, and wait for their end."""
        self.leave()
        await self._wait()

    async def _wait(self) -> None:
        """Wait for the end of the process, and kill after STOP_S seconds."""
        if (process := self._process) is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), STOP_S)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    def _send(self, order: Mapping[str, Any]) -> None:
        assert self._process is not None  # noqa: S101 - it was started
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        self._process.stdin.write(f"{json.dumps(order)}\n".encode())

    def _hear(self, message: Message) -> None:
        kind, seat = message["kind"], message["seat"]
        if kind == "kept":
            self._take_moves(message["before"])
            return
        if kind == "asked":
            self._asked[seat] = message["shown"]
        if kind == "seated":
            self._people = tuple(message["people"])
        if kind == "said":
            self._said.append(message)
        else:
            self._newest.pop((kind, seat), None)  # to the end: a page hears them in this order
            self._newest[kind, seat] = message
        if kind in ("ended", "failed"):
            self.is_over = True
            self._note(self)
        for listener in self.listeners:
            if self._is_for(message, listener.seats):
                listener.hear(message)

    def _take_moves(self, before: Message | None) -> None:
        self.can_resume = before is not None
        self.ordered["before"] = before or {}
        self._note(self)

    @property
    def names(self) -> list[str]:
        """Return the names of the players, as far as they are known."""
        seated = self._newest.get(("seated", None), {})
        return list(seated.get("names", ()))

    @property
    def game(self) -> str:
        """Return the name of its game; empty before it is known."""
        return str(self._newest.get(("seated", None), self.ordered).get("game", ""))

    def _end(self) -> None:
        if not self.is_over:
            self._hear({"kind": "failed", "seat": None, "text": "left; nothing is kept"})
        for listener in self.listeners:
            listener.hear(None)

    @staticmethod
    def _is_for(message: Message, seats: Collection[Seat]) -> bool:
        return message["seat"] is None or message["seat"] in seats


class PeopleMatches:
    """The matches of one server."""

    def __init__(self, kept: KeptMatches | None = None) -> None:
        """Unfinished matches are `kept` for the next server; None keeps none."""
        self._matches: dict[int, PeopleMatch] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._started = 0
        self._kept = kept
        self._files: dict[int, str] = {}
        """Names of the files of kept matches, by number."""

    @property
    def running(self) -> list[PeopleMatch]:
        """Return the matches that are not over, the oldest first."""
        return [match for match in self._matches.values() if not match.is_over]

    async def start(self, order: Mapping[str, Any], linked: Collection[Seat]) -> PeopleMatch:
        """Start a match, with links for some seats; raises RefusedError if too many are running."""
        if len(self.running) >= MAX_RUNNING:
            raise RefusedError(f"{MAX_RUNNING} matches are running; leave one of them first")
        self._forget()
        return await self._begin(PeopleMatch(self._started + 1, linked, self._note), order)

    async def resume(self) -> None:
        """Start the matches that another server has kept, under their numbers and with their keys.

        A match whose process cannot be started stays kept.
        """
        for name, kept in () if self._kept is None else list(self._kept.read())[:MAX_RUNNING]:
            match = PeopleMatch(kept.number, (), self._note)
            match.keys = dict(kept.keys)
            if kept.number not in self._matches:
                self._files[kept.number] = name
                with contextlib.suppress(RefusedError):
                    await self._begin(match, kept.order)

    async def _begin(self, match: PeopleMatch, order: Mapping[str, Any]) -> PeopleMatch:
        self._started = max(self._started, match.number)
        self._matches[match.number] = match
        await match.start(order)
        match.leave_later()
        task = asyncio.create_task(match.follow())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return match

    def _note(self, match: PeopleMatch) -> None:
        """Keep a match after a turn, and no longer once it is over."""
        if self._kept is None:
            return
        if match.is_over or not match.can_resume:
            if name := self._files.pop(match.number, ""):
                self._kept.remove(name)
            return
        name = self._files.setdefault(match.number, self._kept.new_name())
        self._kept.write(name, match.number, match.keys, match.ordered)

    def find(self, number: int) -> PeopleMatch:
        """Return a match; raises LookupError."""
        if number not in self._matches:
            raise LookupError(f"no match {number} is played here")
        return self._matches[number]

    def place(self, key: str) -> tuple[PeopleMatch, Seat] | None:
        """Return the match and the seat of a key; None for an unknown one."""
        for match in self._matches.values():
            for seat, known in match.keys.items():
                if secrets.compare_digest(known.encode(), key.encode()):
                    return match, seat
        return None

    async def close(self) -> None:
        """End all matches; those that are kept stay so."""
        self._kept = None
        await asyncio.gather(*(match.stop() for match in self._matches.values()))
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _forget(self) -> None:
        over = [number for number, match in self._matches.items() if match.is_over]
        for number in over[: max(0, len(self._matches) - MAX_KEPT + 1)]:
            del self._matches[number]
