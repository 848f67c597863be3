"""`arena host`: the door between bots of other machines and the seats of matches.

A process of its own. It lets in the entrants of the organiser's list, and copies messages between
each of their bots and the socket of its seat. It decides nothing: rules, times and blame are the
referee's, and to the referee a remote bot looks like any other bot on its socket.
"""

import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.reading.names import name_objection
from arena.remote import wire
from arena.remote.caller import Caller
from arena.remote.door_port import DoorPort
from arena.remote.entrants import EntrantList
from arena.remote.keys import KeyPair
from arena.remote.limited import Limited
from arena.remote.line_watch import LineWatch
from arena.remote.poller import Poller
from arena.remote.referee_socket import RefereeConnection, RefereeSocket
from arena.remote.seat_link import SeatLink
from protocol.codec import decode, encode_fields
from protocol.errors import WireError
from protocol.wording import escaped

LONGEST_WAIT_S = 0.5
LOOK_S = 0.25
"""Least time in seconds between two looks at the list for unknown keys: each may read a database,
and anybody can ask with keys of their own.
"""
AWAIT_S = 5.0
"""Limit in seconds of the wait for an absent entrant, such as one coming back."""
MAX_WRONG = 64
"""Limit of messages for seats that are not its own, between two starts of a match; an entrant above
it is put out.

Some are usual: messages of a bot during the end of its match, and the news of its own end.
"""
MAX_SEATS = 64
"""Limit of seats of one entrant at a time."""
MAX_JOINS = 20
"""Limit of joins of one entrant in a minute."""


@dataclass
class JoinedEntrant:
    """A joined entrant."""

    caller: Caller
    bot: str
    games: tuple[str, ...] | None
    matches: int
    """Limit of matches at a time, by its owner."""
    line: LineWatch
    wrong: int = 0


@dataclass
class RemoteSeat:
    """A seat of a match, played by a remote bot."""

    number: str
    referee: RefereeConnection
    fields: Mapping[str, Any]
    since: float
    entrant: JoinedEntrant | None = None
    link: SeatLink | None = None
    round_trip_ns: int = -1
    is_measured: bool = False
    """Whether the line was measured since the last call."""
    proof: tuple[int, float] | None = None
    """Number of the beat that proves the line to the referee, and since when it must have held."""

    @property
    def player(self) -> str:
        """Name of the entrant."""
        return str(self.fields["player"])


class DoorProcess:
    """The door: its port, its entrants and the seats they play."""

    def __init__(
        self, pair: KeyPair, entrants: EntrantList, path: Path, say: Callable[[str], None]
    ) -> None:
        """Listen for referees at the socket `path`; the port stays closed until `listen`."""
        self._entrants, self._say = entrants, say
        self._limited = Limited(say)
        self._poller = Poller()
        self.joined: dict[str, JoinedEntrant] = {}
        """Connected entrants by name."""
        self.seats: dict[str, RemoteSeat] = {}
        """Seats that wait for their bot or have one, by the number in messages about them."""
        self._joins: dict[str, list[float]] = {}
        """Times of the joins of each entrant within a minute, on a monotonic clock."""
        self._look_at = self._look_for_key_at = 0.0
        with ExitStack() as stack:
            referees = RefereeSocket(path, self._poller, self._take)
            stack.callback(referees.close)
            port = self.port = DoorPort(self._poller, pair, say)
            stack.callback(port.close)
            self._stack = stack.pop_all()
        port.name_of = self._name_of
        port.receive = self._receive
        port.lost = self._lose

    def listen(self, host: str, port: int, setting: str = "--listen") -> str:
        """Open the port and return its endpoint; raises UsageError about the user's setting."""
        return self.port.listen(host, port, setting)

    def serve(self, seconds: float = LONGEST_WAIT_S) -> None:
        """Wait for events for at most this time, and handle them; to be called in a loop."""
        self._poller.wait(seconds)
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + LONGEST_WAIT_S
            self._look_around()

    def close(self) -> None:
        """Close the port, all connections, and the socket."""
        for seat in list(self.seats.values()):
            self._end(seat)
        self._stack.close()

    def _name_of(self, key: bytes) -> str | None:
        """Return the entrant with a key; the list is read again for one that may be new in it."""
        name = self._entrants.now.name_of(key)
        if name is None and time.monotonic() >= self._look_for_key_at:
            self._look_for_key_at = time.monotonic() + LOOK_S
            self._refresh()
            name = self._entrants.now.name_of(key)
        return name

    def _look_around(self) -> None:
        """Close late callers and seats, and apply a changed list."""
        self.port.expire()
        for seat in list(self.seats.values()):
            if seat.entrant is None and time.monotonic() - seat.since > AWAIT_S:
                self._end(seat, lost=f"{seat.player} is not connected")
        self._refresh()
        if not self._entrants.is_valid:
            return
        for name, joined in list(self.joined.items()):
            joined.line.look()
            key = joined.caller.key
            if key is None or self._entrants.now.name_of(key) != name:
                self.port.refuse(joined.caller, "its key is no longer in the list")

    def _refresh(self) -> None:
        detail = self._entrants.refresh()
        if detail is not None:
            self._say(f"nobody may join until the list is right again: {detail}")

    def _receive(self, caller: Caller, frames: list[bytes]) -> None:
        if caller.is_refused:
            self.port.refuse(caller, "it was refused and sent another message")
            return
        try:
            head, payload = wire.read(frames)
            if caller.name is None:
                self._join(caller, head)
            else:
                self._obey(self.joined[caller.name], head, payload)
        except wire.BadMessageError as error:
            self.port.refuse(caller, f"sent a wrong message: {error}")

    def _join(self, caller: Caller, head: wire.Head) -> None:
        name = self._entrants.now.name_of(caller.key or b"")
        version, bot, games = head.get("version"), head.get("bot"), head.get("games")
        if head["do"] != "join" or name is None or not isinstance(bot, str):
            raise wire.BadMessageError("the first message of an entrant is `join`")
        if name_objection(bot) is not None or not _is_names(games):
            raise wire.BadMessageError("`join` names a bot and its games")
        self._make_way(name)
        why = self._join_objection(name, version)
        if why is not None:
            caller.is_refused = True
            caller.send(wire.pack({"do": "leave", "why": why}))
            self._limited.say(name or caller.address, f"refused: {caller.address}: {why}")
            return  # it leaves by itself, or is closed as one that has not signed in
        self.port.admit(caller, name)
        played, matches = None if games is None else tuple(games), _at_once(head.get("matches"))
        joined = JoinedEntrant(caller, bot, played, matches, _watch(caller))
        self.joined[name] = joined
        caller.send(wire.pack({"do": "welcome", "name": name}))
        self._limited.say(name, f"joined: {name} from {caller.address} with {bot}")
        for seat in list(self.seats.values()):  # to start one may end it, or its entrant
            if seat.entrant is None and seat.player == name and name in self.joined:
                self._start(seat, joined)

    def _make_way(self, name: str) -> None:
        """Close a silent line of an entrant that is back by another one: the key is the same."""
        before = self.joined.get(name)
        if before is not None and before.line.is_silent():
            self.port.refuse(before.caller, "it was silent, and its owner has joined again")

    def _join_objection(self, name: str, version: object) -> str | None:
        if version != wire.VERSION:
            return f"this host speaks version {wire.VERSION} of `arena join`; use the same Arena"
        if name in self.joined:
            return (
                f"{name} has joined already from {self.joined[name].caller.address}; end that"
                " `arena join`, or wait 10 s after a lost line"
            )
        if self._count_join(name):
            return f"{name} has joined {MAX_JOINS} times within a minute; try again in a minute"
        return None

    def _count_join(self, name: str) -> bool:
        """Count a join; each costs this process far more than the entrant."""
        now_s = time.monotonic()
        joins = [joined_s for joined_s in self._joins.get(name, ()) if joined_s > now_s - 60]
        self._joins[name] = joins if len(joins) >= MAX_JOINS else [*joins, now_s]
        return len(joins) >= MAX_JOINS

    def _lose(self, caller: Caller, why: str) -> None:
        name = caller.name or ""
        joined = self.joined.pop(name, None)
        self._limited.say(name, f"left: {name}: {why}")
        for seat in list(self.seats.values()):
            if seat.entrant is joined and joined is not None:
                self._end(seat, lost=why)

    def _obey(self, joined: JoinedEntrant, head: wire.Head, payload: bytes) -> None:
        if head["do"] == "beat" and joined.line.answer(head.get("number")):
            self._prove(joined, head["number"])
            return
        seat = self.seats.get(str(head.get("seat")))
        if seat is None or seat.entrant is not joined:
            joined.wrong += 1
            if joined.wrong > MAX_WRONG:
                raise wire.BadMessageError("too many messages for seats that are not its own")
            return
        match head["do"]:
            case "hello":
                self._greet(seat, payload)
            case "reply":
                self._reply(seat, payload)
            case "ended":
                self._end(seat, ended=escaped(str(head.get("how")))[:200])
            case _:
                raise wire.BadMessageError("unknown message")

    def _greet(self, seat: RemoteSeat, payload: bytes) -> None:
        """Bring a bot to the socket of its seat, with the referee's token."""
        if seat.link is not None:
            raise wire.BadMessageError("a second hello of the same bot")
        try:
            fields = {**decode(payload), "token": seat.fields["token"]}
            hello = encode_fields(fields)
        except (WireError, ValueError, TypeError):
            self._end(seat, ended="its hello cannot be read")
            return
        joined = seat.entrant
        assert joined is not None  # noqa: S101 - `_obey` has compared it

        def call(payload: bytes) -> None:
            seat.is_measured = False
            joined.caller.send(wire.pack({"do": "call", "seat": seat.number}, payload))

        path = str(seat.fields["endpoint"]).removeprefix("ipc://")
        try:
            seat.link = SeatLink(path, self._poller, call)
        except OSError:
            return  # the referee has given up, and the end of its connection follows
        self._measure(seat)
        seat.link.send(hello)

    def _reply(self, seat: RemoteSeat, payload: bytes) -> None:
        self._measure(seat)
        if seat.link is not None and not seat.link.send(payload):
            self._end(seat, ended="it sent more than the referee reads")

    def _measure(self, seat: RemoteSeat) -> None:
        """Send the referee the shortest round trip after a change, once a call.

        The referee reads news only while it waits for this bot: an entrant whose line changed with
        each unrequested message would fill its socket, and keep this process from serving others.
        """
        if seat.is_measured:
            return
        seat.is_measured = True
        assert seat.entrant is not None  # noqa: S101 - it has just sent a message
        found_ns = seat.entrant.caller.round_trip_ns()
        if found_ns != seat.round_trip_ns:
            seat.round_trip_ns = found_ns
            seat.referee.tell(round_trip_ns=found_ns)

    def _prove(self, joined: JoinedEntrant, number: int) -> None:
        """Tell the referees that wait for this beat, or one before, whether the line has held."""
        for seat in self.seats.values():
            if seat.entrant is joined and seat.proof is not None and seat.proof[0] <= number:
                seat.referee.tell(has_line=joined.line.has_held(seat.proof[1]))
                seat.proof = None

    def _ask_for_proof(self, seat: RemoteSeat, since_ns: int) -> None:
        """Send a beat for a referee that holds a verdict until the line is known to work.

        The referee runs on this machine, so its monotonic clock is the same.
        """
        if seat.entrant is None:
            seat.referee.tell(has_line=False)
        else:
            seat.proof = seat.entrant.line.beat(), since_ns / 1e9

    def _take(self, referee: RefereeConnection) -> None:
        def receive(fields: dict[str, Any]) -> None:
            if "order" in fields:
                self._begin(referee, fields["order"])
            elif "prove_ns" in fields:
                for seat in [seat for seat in self.seats.values() if seat.referee is referee]:
                    self._ask_for_proof(seat, fields["prove_ns"])
            else:
                for name, facts in self._present().items():
                    referee.tell(entrant=name, facts=facts)
                referee.tell(entrant=None)  # the last line

        referee.receive = receive

    def _present(self) -> dict[str, Any]:
        found = {}
        for name in self._entrants.now.keys:
            joined = self.joined.get(name)
            found[name] = {
                "content": self._entrants.now.content(name),
                "bot": joined and joined.bot,
                "games": joined and joined.games,
                "matches": joined and joined.matches,
                "is_silent": joined is not None and joined.line.is_silent(),
            }
        return found

    def _begin(self, referee: RefereeConnection, fields: dict[str, Any]) -> None:
        seat = RemoteSeat(secrets.token_hex(8), referee, fields, time.monotonic())
        self.seats[seat.number] = seat
        referee.closed = lambda: self._end(seat)
        joined = self.joined.get(seat.player)
        if joined is not None:
            self._start(seat, joined)

    def _start(self, seat: RemoteSeat, joined: JoinedEntrant) -> None:
        if sum(other.entrant is joined for other in self.seats.values()) >= MAX_SEATS:
            self._end(seat, ended=f"its owner's machine plays {MAX_SEATS} matches already")
            return
        seat.entrant, joined.wrong = joined, 0
        terms = {key: seat.fields.get(key) for key in ("game", "start_ms")}
        joined.caller.send(wire.pack({"do": "start", "seat": seat.number, **terms}))

    def _end(self, seat: RemoteSeat, **news: str) -> None:
        """End a seat: with news for the referee, or by the referee."""
        if self.seats.pop(seat.number, None) is None:
            return
        if seat.link is not None:
            seat.link.drain()
        if news:
            seat.referee.tell(**news)
        if seat.link is not None:
            seat.link.close()
        seat.referee.close()
        if seat.entrant is not None and seat.entrant.caller.name in self.joined:
            seat.entrant.caller.send(wire.pack({"do": "stop", "seat": seat.number}))


def _watch(caller: Caller) -> LineWatch:
    return LineWatch(lambda number: caller.send(wire.pack({"do": "beat", "number": number})))


def _at_once(matches: object) -> int:
    """Return an entrant's limit of matches at a time."""
    return min(matches, MAX_SEATS) if type(matches) is int and matches > 0 else MAX_SEATS


def _is_names(games: object) -> bool:
    if games is None:
        return True
    return (
        isinstance(games, list)
        and len(games) <= 100
        and all(isinstance(game, str) and len(game) <= 100 for game in games)
    )
