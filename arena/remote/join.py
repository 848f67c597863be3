"""`arena join`: plays a bot of this machine in the matches of an organiser's.

It connects outwards, so the owner needs no open port. For each seat wanted by the door a process
starts the bot, and messages between the two are copied. Games are unknown here: the referee sees a
bot like any other.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import zmq
from pydantic import TypeAdapter
from zmq.utils.monitor import recv_monitor_message

from arena.bot_output import last_lines
from arena.errors import ArenaError, MachineError, UsageError
from arena.exit_codes import ExitCode
from arena.remote import wire
from arena.remote.keys import KeyPair
from arena.remote.limited import Limited
from arena.remote.poller import Poller
from arena.remote.seat_process import SeatProcess
from arena.text import plural
from protocol.codec import MAX_CALL_BYTES, decode
from protocol.errors import WireError
from protocol.link import FRAME_LIMIT
from protocol.wording import escaped
from referee.job import Player
from referee.sandbox import Limits

FIRST_S = 10.0
"""Limit in seconds of the first connection."""
REJOIN_S = 1.0
"""Seconds between two attempts after the line was lost."""
SILENT_MS = 10_000
MATCHES = 16
"""Default of the limit of matches at a time: each may take the memory of a bot."""
TAIL_LINES = 10
MAX_MESSAGES = 1000
"""Limit of messages to the owner in a minute: a host decides on their number."""
_MAX_NAME = 100
"""Limit of the characters of a name or game in these messages."""
_LINE_CHARACTERS = 200
"""Limit of the characters of a line about a match, and of a host's reason to leave."""
_LONGEST_WAIT_S = 0.5


class JoinRefusedError(ArenaError):
    """The host does not let this entrant in."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True, kw_only=True)
class JoinTerms:
    """The contribution of this machine to the matches."""

    endpoint: str
    server: str
    """Public key of the host."""
    pair: KeyPair
    player: Player
    """The bot, built and with its sandbox."""
    limits: Limits
    games: tuple[str, ...] | None
    matches: int = MATCHES
    """Limit of matches at a time."""


@dataclass
class _Connection:
    """One connection to the door."""

    socket: Any
    monitor: Any
    begun: float = field(default_factory=time.monotonic)


class Join:
    """The owner's side of one bot."""

    def __init__(self, terms: JoinTerms, say: Callable[[str], None]) -> None:
        limited = Limited(say, MAX_MESSAGES)
        self._terms, self._say = terms, partial(limited.say, terms.endpoint)
        self._poller = Poller()
        self._context: zmq.Context[Any] = zmq.Context()
        self._line: _Connection | None = None
        self._name: str | None = None
        """Name of this entrant at the host; None before the welcome."""
        self._has_joined = False
        """Whether it has ever joined: then a lost line is worth waiting for."""
        self._is_trial = self._is_known = False
        self._again_at = 0.0
        self._why = ""
        self._failure: ArenaError | None = None
        self._processes: list[SeatProcess] = []

    def run(self) -> None:
        """Play until the process is ended; raises JoinRefusedError or another ArenaError."""
        try:
            self._processes.append(self._new_process())  # ready before the first match
            while self._failure is None:
                if self._line is None and time.monotonic() >= self._again_at:
                    self._connect()
                self._poller.wait(_LONGEST_WAIT_S)
                self._look_around()
            raise self._failure
        finally:
            self._hang_up()
            for process in self._processes:
                self._poller.forget(process.fileno())
                process.end()
            self._context.destroy(0)

    def try_host(self) -> None:
        """Return if the host is there and knows this key; raises JoinRefusedError, UsageError."""
        self._is_trial = True
        try:
            self._connect()
            while self._failure is None and not self._is_known:
                self._poller.wait(_LONGEST_WAIT_S)
                self._look_around()
        finally:
            self._hang_up()
            self._context.destroy(0)
        if self._failure is not None:
            raise self._failure

    def _look_around(self) -> None:
        line = self._line
        if line is not None and self._name is None and time.monotonic() - line.begun > FIRST_S:
            self._lose(self._why or "no answer")

    def _connect(self) -> None:
        terms = self._terms
        socket = self._context.socket(zmq.DEALER)
        socket.linger = 0
        socket.immediate = True
        socket.maxmsgsize = 8 * FRAME_LIMIT
        socket.reconnect_ivl = -1
        socket.heartbeat_ivl = SILENT_MS // 2
        socket.heartbeat_timeout = SILENT_MS
        socket.connect_timeout = SILENT_MS
        socket.curve_serverkey = terms.server.encode()
        socket.curve_publickey = terms.pair.public.encode()
        socket.curve_secretkey = terms.pair.secret.encode()
        monitor = socket.get_monitor_socket()
        self._line = _Connection(socket, monitor)
        self._why = ""
        self._poller.watch(monitor, self._on_monitor)
        self._poller.watch(socket, self._on_message)
        try:
            socket.connect(terms.endpoint)
        except zmq.ZMQError as error:
            raise UsageError(f"{terms.endpoint} is no address: {error.strerror}") from None

    def _on_monitor(self, flags: int) -> None:
        line = self._line
        while line is not None and line is self._line:
            try:
                event = recv_monitor_message(line.monitor, zmq.NOBLOCK)
            except zmq.Again:
                return
            self._note(event["event"], event["value"])

    def _note(self, event: int, value: int) -> None:
        if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            self._greet()
        elif event == zmq.EVENT_HANDSHAKE_FAILED_AUTH and value == 400:
            self._failure = JoinRefusedError(
                f"the host at {self._terms.endpoint} does not know this key: send its organiser"
                f' the public key {self._terms.pair.public}, or set it on the page "My bots" of a'
                " league, where a new key of a bot ends the one before"
            )
        elif event in (zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL, zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL):
            self._why = "it ended the handshake; is --server its public key?"
            self._lose(self._why)
        elif event == zmq.EVENT_DISCONNECTED:
            self._lose("the connection was closed")
        elif event in (zmq.EVENT_CLOSED, zmq.EVENT_CONNECT_RETRIED):
            self._lose("nothing listens there; is `arena host`, or the league, running?")

    def _greet(self) -> None:
        """Join, unless this is a trial only: the host knows this key."""
        self._is_known = True
        if self._is_trial:
            return
        games = self._terms.games
        self._send(
            {
                "do": "join",
                "version": wire.VERSION,
                "bot": self._terms.player.name,
                "games": None if games is None else list(games),
                "matches": self._terms.matches,
            }
        )

    def _lose(self, why: str) -> None:
        """Hang up and try again; fail if the line was never there."""
        if not self._has_joined:
            self._failure = self._failure or JoinRefusedError(
                f"the host at {self._terms.endpoint} cannot be joined: {why}"
            )
            return
        if self._name is not None:
            self._say(f"the line was lost ({why}); trying again")
        self._hang_up()
        self._again_at = time.monotonic() + REJOIN_S

    def _hang_up(self) -> None:
        """Close the line and stop all bots."""
        line, self._line, self._name = self._line, None, None
        if line is not None:
            self._poller.forget(line.monitor)
            self._poller.forget(line.socket)
            line.socket.disable_monitor()
            line.monitor.close(0)
            line.socket.close(0)
        for process in self._processes:
            if process.seat is not None:
                process.send({"do": "stop"})

    def _send(self, head: wire.Head, payload: bytes = b"") -> None:
        if self._line is None:
            return
        try:
            self._line.socket.send_multipart(wire.pack(head, payload), zmq.NOBLOCK)
        except zmq.Again:
            self._lose("it does not read its messages")

    def _on_message(self, flags: int) -> None:
        line = self._line
        while line is not None and line is self._line:
            try:
                head, payload = wire.read(line.socket.recv_multipart(zmq.NOBLOCK))
            except zmq.Again:
                return
            except wire.BadMessageError as error:
                self._lose(str(error))
                return
            self._obey(head, payload)

    def _obey(self, head: wire.Head, payload: bytes) -> None:
        seat = str(head.get("seat"))
        match head["do"]:
            case "welcome":
                self._name, self._has_joined = _name(head.get("name")), True
                self._say(f"joined as {self._name}; waiting for matches")
            case "leave":
                self._leave(escaped(str(head.get("why")))[:_LINE_CHARACTERS])
            case "beat":
                self._send({"do": "beat", "number": head.get("number")})
            case "start":
                self._start(seat, head)
            case "call" | "stop":
                self._pass_on(seat, head, payload)

    def _leave(self, why: str) -> None:
        """End; after a lost line try again, since the host may not have noticed the loss yet."""
        if self._has_joined:
            self._lose(why)
        else:
            self._failure = JoinRefusedError(f"refused: {why}")

    def _pass_on(self, seat: str, head: wire.Head, payload: bytes) -> None:
        for process in self._processes:
            if process.seat == seat:
                process.send(head, payload)
                if line := line_about(payload, process.game):
                    self._say(line)

    def _start(self, seat: str, head: wire.Head) -> None:
        game = _name(head.get("game"))
        games = self._terms.games
        if games is not None and game not in games:
            how = f"it does not play {game}"
            self._send({"do": "ended", "seat": seat, "how": how})
            return
        busy = [process for process in self._processes if process.seat is not None]
        idle = [process for process in self._processes if process.seat is None]
        if len(busy) >= self._terms.matches:
            most = self._terms.matches
            how = f"its owner allows {plural(most, 'match')} at a time"
            self._send({"do": "ended", "seat": seat, "how": how})
            self._say(f"a match of {game} is refused: {most} are running (--matches)")
            return
        if not idle:
            try:
                idle = [self._new_process()]
            except MachineError as error:
                self._send({"do": "ended", "seat": seat, "how": f"on its owner's machine, {error}"})
                self._say(f"a match of {game} is refused: {error}")
                return
            self._processes += idle
        start_ms = head.get("start_ms")
        idle[0].seat, idle[0].game = seat, game
        idle[0].send(
            {
                "do": "start",
                "player": _PLAYERS.dump_python(self._terms.player, mode="json"),
                "limits": _LIMITS.dump_python(self._terms.limits, mode="json"),
                "game": game,
                "start_ms": start_ms if type(start_ms) is int and 0 < start_ms < 10**7 else 10_000,
            }
        )
        self._say(f"a match of {game} begins")

    def _new_process(self) -> SeatProcess:
        process = SeatProcess(self._poller, self._on_process)
        self._poller.watch(process.fileno(), lambda _: self._read(process))
        return process

    def _read(self, process: SeatProcess) -> None:
        if process.read():
            return
        self._poller.forget(process.fileno())
        self._processes.remove(process)
        process.end()
        if process.seat is not None:
            self._send(
                {"do": "ended", "seat": process.seat, "how": "the process of its seat was ended"}
            )

    def _on_process(self, process: SeatProcess, head: wire.Head, payload: bytes) -> None:
        tail = head.pop("tail", "").strip()
        self._send({**head, "seat": process.seat}, payload)
        if head["do"] != "ended":
            return
        process.seat = None
        self._say(f"a match ends: {head['how']}")
        if tail and head["how"] not in ("exit code 0", "stopped"):
            self._say("\n".join(last_lines(tail, TAIL_LINES)))


def _name(value: object) -> str:
    """Return the name of an entrant or a game, as a host has sent it, for a line."""
    return escaped(str(value))[:_MAX_NAME]


_PLAYERS = TypeAdapter(Player)
_LIMITS = TypeAdapter(Limits)


_HEAD = 48
"""Bytes of a call with its type."""


def line_about(call: bytes, game: str) -> str | None:
    """Return a line about the first or last call of a match; None for any other call.

    The line comes from the bot's own calls, so an owner learns no more than the bot, and no names
    of players withheld by the game.
    """
    head = call[:_HEAD]
    if b"\xa4init" not in head and b"\xa4term" not in head:
        return None  # decoding each call would delay it
    try:
        fields = decode(call, limit=MAX_CALL_BYTES)
        if fields["type"] == "init":
            seat = fields["seat"]
            others = [str(name) for n, name in enumerate(fields["players"]) if n != seat]
            said = f"{game}, seat {seat}: against {', '.join(others) or 'nobody'}"
        elif fields["type"] == "term":
            scores = " ".join(map(str, fields["scores"]))
            said = f"{game}: {fields['termination']}, scores by seat {scores}: {fields['reason']}"
        else:
            return None
    except (WireError, LookupError, TypeError, ValueError):
        return None
    return escaped(said)[:_LINE_CHARACTERS]
