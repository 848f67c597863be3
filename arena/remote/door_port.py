"""The port of the door: accepts callers, lets in those with a known key, limits the others.

libzmq asks an authenticator for each key (ZAP, https://rfc.zeromq.org/spec/27/). The authenticator
is served here, by the same thread as the port, and exists before the port: if this process stops or
dies, nobody is let in.
"""

import os
import resource
import socket
import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network

import zmq

from arena.errors import UsageError, cause
from arena.reading.hosts import listening_fault
from arena.remote.caller import DOMAIN, NO_KEY, Caller
from arena.remote.keys import KeyPair
from arena.remote.limited import Limited
from arena.remote.poller import Poller
from protocol.zmtp import GREETING_LENGTH, SIGNATURE_LENGTH
from referee.sandbox import SandboxDirectory

HANDSHAKE_S = 5.0
"""Seconds from the connection to the first message of an entrant."""
MAX_STRANGERS = 128
"""Limit of connections before joining; a new one replaces the oldest."""
MAX_PER_ADDRESS = 16
"""Limit of connections from one address in HANDSHAKE_S without a join; a new one is refused.

Ended connections count as well: each costs the time of running matches.
"""
SPARE_FILES = 64
"""Descriptors kept free: libzmq ends the process if it finds none, and takes some in a thread of
its own, some time after it was asked to serve a caller.
"""
_NO_FILES = "no descriptors are left for it; see `ulimit -n`"
LOG_S = 60.0
"""Seconds until the same refusal of an address is said again."""
_MAX_TOLD = 1000
MAX_REFUSALS = 100
"""Limit of refusals said in a minute, of all addresses."""
_ACCEPTS = 16
"""Connections accepted at a time, so that running matches are served in between."""
_MESSAGES = 16
"""Messages of a caller read at a time."""
_ZAP = "inproc://zeromq.zap.01"

NameOf = Callable[[bytes], str | None]
Receive = Callable[[Caller, list[bytes]], None]


class DoorPort:
    """The listening port, and all its callers."""

    def __init__(self, poller: Poller, pair: KeyPair, say: Callable[[str], None]) -> None:
        """Serve the authenticator."""
        self.callers: dict[int, Caller] = {}
        """Open connections by number."""
        self.name_of: NameOf = lambda _: None
        """Returns the name of the entrant with a key; None for an unknown key."""
        self.receive: Receive = lambda _caller, _frames: None
        """Receives each message of a caller with a known key."""
        self.lost: Callable[[Caller, str], None] = lambda _caller, _why: None
        """Receives each joined caller whose connection has ended."""
        self._poller, self._pair = poller, pair
        self._folder = SandboxDirectory()
        """A private directory for the sockets of callers."""
        self._limited = Limited(say, MAX_REFUSALS)
        self.accepted = 0
        """Number of accepted connections so far."""
        self.strangers: dict[int, float] = {}
        """Times at which the strangers among the callers have connected."""
        self._tries: dict[str, list[float]] = {}
        """Times at which those of the last HANDSHAKE_S have connected, by network."""
        self._told: dict[tuple[str, str], float] = {}
        self._listener: socket.socket | None = None
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._zap = self._context.socket(zmq.ROUTER)
        self._zap.linger = 0
        self._zap.bind(_ZAP)
        poller.watch(self._zap, self._authenticate)

    def listen(self, host: str, port: int, setting: str = "--listen") -> str:
        """Open the port; return its endpoint. Raises UsageError about the user's setting."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setblocking(False)  # noqa: FBT003 - the name of the standard library
        try:
            listener.bind((host, port))
            listener.listen(MAX_STRANGERS)
        except OSError as error:
            listener.close()
            raise UsageError(
                f"{setting}: port {port} of {host} cannot be opened: {listening_fault(error)};"
                f" {setting} takes an address of this machine and a free port"
            ) from None
        self._listener = listener
        self._poller.watch(listener.fileno(), self._let_in)
        shown = f"[{host}]" if family == socket.AF_INET6 else host
        return f"tcp://{shown}:{listener.getsockname()[1]}"

    def expire(self) -> None:
        """Close the strangers whose time is over."""
        late = time.monotonic() - HANDSHAKE_S
        self._tries = {place: times for place, times in self._tries.items() if max(times) > late}
        for number in [number for number, begun in self.strangers.items() if begun < late]:
            self.refuse(self.callers[number], f"did not sign in within {HANDSHAKE_S:g} s")
        for caller in [caller for caller in self.callers.values() if caller.is_stuck(late)]:
            self.refuse(caller, "it sends more than a message may have")

    def admit(self, caller: Caller, name: str) -> None:
        """Count a caller as an entrant from now on."""
        caller.name = name
        begun, place = self.strangers.pop(caller.number, None), network_of(caller.address)
        others = [other for other in self._tries.pop(place, ()) if other != begun]
        if others:
            self._tries[place] = others

    def refuse(self, caller: Caller, why: str) -> None:
        """Close a connection and say why, at most once a minute for an address."""
        if caller.number not in self.callers:
            return
        del self.callers[caller.number]
        self.strangers.pop(caller.number, None)
        caller.end()
        if caller.name is not None:
            self.lost(caller, why or "it closed the connection")
        elif why:
            self._tell(caller.address, why)

    def close(self) -> None:
        """Close the port and all connections."""
        if self._listener is not None:
            self._poller.forget(self._listener.fileno())
            self._listener.close()
        for caller in list(self.callers.values()):
            caller.end()
        self.callers.clear()
        self._poller.forget(self._zap)
        self._zap.close(0)
        self._context.destroy(0)
        self._folder.remove()

    def _let_in(self, flags: int) -> None:
        assert self._listener is not None  # noqa: S101 - otherwise not watched
        for _ in range(_ACCEPTS):
            try:
                connection, place = self._listener.accept()
            except OSError:
                return
            self._open(connection, place[0])

    def _open(self, connection: socket.socket, address: str) -> None:
        now, place = time.monotonic(), network_of(address)
        tries = [begun for begun in self._tries.get(place, ()) if begun > now - HANDSHAKE_S]
        if len(tries) >= MAX_PER_ADDRESS:
            connection.close()
            self._tell(address, f"has {MAX_PER_ADDRESS} connections that have not signed in")
            return
        self._tries[place] = [*tries, now]
        if len(self.strangers) >= MAX_STRANGERS or (self.strangers and not has_spare_files()):
            self.refuse(self.callers[next(iter(self.strangers))], "made room for later connections")
        if not has_spare_files():
            connection.close()
            self._tell(address, _NO_FILES)
            return
        self.accepted += 1
        caller = Caller(connection, address, self.accepted)
        caller.on_greeting = lambda: self._look(caller)
        self.callers[caller.number] = caller
        self.strangers[caller.number] = now
        try:
            caller.open(self._poller, lambda why: self.refuse(caller, why))
        except OSError:
            self.refuse(caller, "")

    def _look(self, caller: Caller) -> None:
        """Put a server behind a caller with the greeting of CURVE; refuse any other."""
        greeting = caller.greeting
        if greeting[:1] != b"\xff" or (len(greeting) >= SIGNATURE_LENGTH and greeting[9] != 0x7F):
            self.refuse(caller, "does not speak ZeroMQ")
        elif len(greeting) == GREETING_LENGTH:
            mechanism = greeting[12:32].rstrip(b"\0")
            if mechanism != b"CURVE" or greeting[10] < 3:
                self.refuse(caller, NO_KEY)
                return
            if not has_spare_files():
                self.refuse(caller, _NO_FILES)
                return
            try:
                self._serve(caller)
            except (OSError, zmq.ZMQError) as error:
                self.refuse(caller, f"no socket can be made for it: {cause(error)}")

    def _serve(self, caller: Caller) -> None:
        if not self._folder.path.is_dir():  # a cleaner of temporary files has removed it
            removed, self._folder = self._folder, SandboxDirectory()
            removed.remove()
        caller.serve(self._context, self._pair.secret, self._folder.path)
        self._poller.watch(caller.server, lambda _: self._hear(caller))

    def _hear(self, caller: Caller) -> None:
        for _ in range(_MESSAGES):
            if caller.server is None or caller.server.closed:
                return
            try:
                frames = caller.server.recv_multipart(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return
            caller.note_message()
            if caller.key is None or self.name_of(caller.key) != frames[0].get("User-Id"):
                self.refuse(caller, "sent a message without a known key")
                return
            self.receive(caller, [frame.bytes for frame in frames])

    def _authenticate(self, flags: int) -> None:
        """Answer libzmq whether a key is known."""
        while True:
            try:
                peer, _, version, request, domain, *_, mechanism, key = self._zap.recv_multipart(
                    zmq.NOBLOCK
                )
            except zmq.Again:
                return
            except ValueError:
                continue  # no credentials, so no CURVE
            caller = self._caller_of(domain)
            name = None if caller is None or mechanism != b"CURVE" else self.name_of(key)
            verdict = (
                (b"400", b"unknown key", b"") if name is None else (b"200", b"OK", name.encode())
            )
            self._zap.send_multipart([peer, b"", version, request, *verdict, b""])
            if caller is not None and name is not None:
                caller.key = key
            elif caller is not None:
                self._tell(caller.address, "has a key that is not in the list of entrants")

    def _caller_of(self, domain: bytes) -> Caller | None:
        name, _, number = domain.decode(errors="replace").partition("/")
        return self.callers.get(int(number)) if name == DOMAIN and number.isdecimal() else None

    def _tell(self, address: str, why: str) -> None:
        now = time.monotonic()
        if now - self._told.get((address, why), -LOG_S) < LOG_S:
            return
        if len(self._told) >= _MAX_TOLD:
            self._told.clear()
        self._told[address, why] = now
        self._limited.say("refused", f"refused: {address}: {why}")


def network_of(address: str) -> str:
    """Return the network that has this address alone: of IPv6 the first 64 bits."""
    found = ip_address(address)
    if not isinstance(found, IPv6Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ip_network((int(found), 64), strict=False))


def has_spare_files() -> bool:
    """Whether this process may open SPARE_FILES more descriptors."""
    try:
        lowest = os.dup(0)
    except OSError:
        return False
    os.close(lowest)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return limit == resource.RLIM_INFINITY or lowest + SPARE_FILES < limit
