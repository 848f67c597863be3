"""A bot for Pente that behaves correctly, except for the one mistake in its argument.

It uses a bare socket, so it starts fast and can break the protocol.
"""

import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
from typing import Any, NoReturn

import msgpack

SIN = sys.argv[1] if len(sys.argv) > 1 else ""
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
KNOWN = {
    "init": {
        *("type", "id", "protocol", "game", "options", "match", "seat", "seats", "players"),
        *("seed", "time", "history", "view"),
    },
    "move": {"type", "id", "ply", "opponent_moves", "left_ms", "legal"},
    "ping": {"type", "id"},
    "term": {
        *("type", "id", "opponent_moves", "termination", "scores", "reason", "offenders", "last"),
    },
}


class Peer:
    """The connection, and its unread bytes."""

    def __init__(self, endpoint: str) -> None:
        scheme, _, place = endpoint.partition("://")
        if SIN == "tcp" and scheme == "tcp":
            raise SystemExit("no tcp")
        if scheme == "ipc":
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(place)
        else:
            host, _, port = place.rpartition(":")
            self.socket = socket.create_connection((host, int(port)))
        self.sent = 0
        self.is_warm = False
        self.socket.sendall(GREETING + READY)
        self.buffer = b""
        self.take(64)
        self.frame()

    def take(self, size: int) -> bytes:
        while len(self.buffer) < size:
            if SIN == "pieces" and self.sent > 1 and self.buffer:
                raise SystemExit("half a frame")
            self.buffer += self.read()
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def read(self) -> bytes:
        while (SIN == "spin" or (SIN == "warms" and not self.is_warm)) and not select.select(
            [self.socket], [], [], 0
        )[0]:
            pass
        data = self.socket.recv(1 << 16)
        if not data and SIN == "orphan":
            signal.pause()
        if not data:
            raise SystemExit(1)
        return data

    def frame(self) -> tuple[int, bytes]:
        flags = self.take(1)[0]
        size = struct.unpack(">Q", self.take(8))[0] if flags & 2 else self.take(1)[0]
        return flags, self.take(size)

    def receive(self) -> bytes:
        while True:
            flags, body = self.frame()
            if not flags & 4:
                return body

    def send(self, message: dict[str, Any]) -> None:
        self.sent += 1
        if SIN == "ids" and "id" in message:
            message["id"] &= 0xFFFFFFFF
        if SIN == "envelope" and self.sent % 2:
            self.socket.sendall(b"\x01\x00")
        body = msgpack.packb(message)
        self.socket.sendall(b"\x02" + struct.pack(">Q", len(body)) + body)


class Player:
    """Plays the first legal moves that its seed shuffles forward."""

    def __init__(self) -> None:
        self.hoard: list[bytearray] = []
        self.matches = 0

    def on_init(self, call: dict[str, Any]) -> dict[str, Any]:
        if (SIN == "seat" and call["seat"]) or (SIN == "history" and call["history"]):
            raise SystemExit("not like this")
        if SIN != "seeds once" or not self.matches:
            self.random = random.Random(None if SIN == "chance" else call["seed"])
        self.matches += 1
        self.is_late = SIN == "late" and len(call["history"]) > 4
        if SIN == "leak":
            self.hoard.append(bytearray(b"x" * (3 << 20)))
        return {"type": "ready"}

    def on_move(self, call: dict[str, Any]) -> dict[str, Any]:
        if SIN == "nil":
            call["left_ms"] = int(call.get("left_ms", 0))
        legal = call.get("legal")
        if not legal:
            return {"type": "play", "resign": True}
        move = self.random.choice(legal) if SIN != "late" else legal[-self.is_late]
        reply: dict[str, Any] = {"type": "play", "move": move}
        if SIN == "false":
            reply["claims"] = {"victory": True}
        elif SIN == "partly":
            reply["claims"] = {"victory": False}
        if SIN == "off":
            reply["move"] = {"v": 99, "h": 0}
        return reply


class Stubborn(Player):
    """Plays on a board of its own, without captures: never cleared, or empty at each start."""

    def __init__(self) -> None:
        super().__init__()
        self.free = {(v, h) for v in range(-9, 10) for h in range(-9, 10)}

    def on_init(self, call: dict[str, Any]) -> dict[str, Any]:
        if SIN == "blind":
            self.__init__()  # type: ignore[misc]  # all as in a new process
        for played in call["history"] if SIN == "hoards" else ():
            self.take(played["move"])
        return super().on_init(call)

    def on_move(self, call: dict[str, Any]) -> dict[str, Any]:
        for played in call["opponent_moves"]:
            self.take(played["move"])
        near = 1 if call["ply"] == 0 else 10
        far = 3 if call["ply"] == 2 else 0
        free = [point for point in sorted(self.free) if far <= max(map(abs, point)) < near]
        v, h = self.random.choice(free)
        self.take({"v": v, "h": h})
        return {"type": "play", "move": {"v": v, "h": h}}

    def take(self, move: dict[str, int]) -> None:
        self.free.discard((move["v"], move["h"]))


def call_of(payload: bytes) -> dict[str, Any]:
    """Read a call, or end."""
    call = decoded(payload)
    if call is None:
        if SIN == "lenient":
            return {"type": "nothing"}
        if SIN in ("polite", "silent"):
            raise SystemExit(0 if SIN == "polite" else 1)
        raise SystemExit(f"no call: {payload[:20]!r}")
    sins = {
        "small": len(payload) > 1 << 16,
        "first": next(iter(call)) != "type",
        "strict": bool(set(call) - KNOWN.get(call["type"], set(call))),
        "kinds": call["type"] not in KNOWN,
    }
    if sins.get(SIN):
        raise SystemExit("not like this")
    return call


def decoded(payload: bytes) -> dict[str, Any] | None:
    try:
        call = msgpack.unpackb(payload)
    except (ValueError, msgpack.UnpackException):
        return None
    is_call = isinstance(call, dict) and isinstance(call.get("type"), str)
    is_known = is_call and call["type"] in KNOWN
    if not is_call or (is_known and not isinstance(call.get("id"), int)):
        return None
    return call if len(payload) <= 1 << 20 else None


def say_bye(peer: Peer, call: dict[str, Any]) -> None:
    """Answer a term and end, if it is the last."""
    if SIN == "words" and call["termination"] == "abandoned":
        raise SystemExit("unknown word")
    if SIN == "child":
        subprocess.Popen(["/bin/sleep", "1000"])
    peer.send({"type": "bye", "id": call["id"]})
    if SIN == "stays":
        signal.pause()
    if call["last"] or SIN == "once":
        raise SystemExit(3 if SIN == "three" else 0)


def hello() -> dict[str, Any]:
    return {
        "type": "hello",
        "protocol": 2 if SIN == "protocol" else 1,
        "token": os.environ["ARENA_TOKEN"],
        "name": "wayward",
        "wants": ["legal"],
    }


def serve(peer: Peer) -> NoReturn:
    player = Stubborn() if SIN in ("blind", "hoards") else Player()
    while True:
        call = call_of(peer.receive())
        kind = call["type"]
        if kind == "ping":
            peer.send({"type": "pong", "id": call["id"]})
        elif kind == "init":
            peer.send({"id": call["id"], **player.on_init(call)})
        elif kind == "move":
            peer.send({"id": call["id"], **player.on_move(call)})
        elif kind == "term":
            say_bye(peer, call)
            peer.is_warm = True
        elif kind == "error" and SIN == "answers":
            peer.send({"type": "pong", "id": 0})


def main() -> None:
    if SIN == "lock":
        lock = socket.socket(socket.AF_UNIX)
        lock.bind(f"\0wayward-{os.getppid()}")
    peer = Peer(os.environ["ARENA_ENDPOINT"])
    peer.send(hello())
    if SIN == "stray":
        peer.send({"type": "pong", "id": 1})
    if SIN == "chatty":
        print("x" * (1 << 20), flush=True)
    serve(peer)


if __name__ == "__main__":
    main()
