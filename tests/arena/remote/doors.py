"""A door in the test's own process, turned by the test, and clients of every kind."""

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zmq
from waiting import PATIENCE_S

from arena.remote import wire
from arena.remote.door_process import DoorProcess
from arena.remote.entrants import WatchedEntrants
from arena.remote.keys import KeyPair
from protocol.codec import encode_fields
from referee.job import REMOTE, Job, Player
from referee.seats.bot import Bot


def new_pair() -> KeyPair:
    public, secret = zmq.curve_keypair()
    return KeyPair(public=public.decode(), secret=secret.decode())


class TestDoor:
    """An open door with some entrants; `until` turns it."""

    __test__ = False

    def __init__(self, folder: Path, *names: str) -> None:
        self.said: list[str] = []
        self.pair = new_pair()
        self.keys = {name: new_pair() for name in names}
        self.list = folder / "entrants.yaml"
        self.write_list(*names)
        self.path = folder / "door"
        self.process = DoorProcess(
            self.pair, WatchedEntrants(self.list), self.path, self.said.append
        )
        endpoint = self.process.listen("127.0.0.1", 0)
        self.port = int(endpoint.rpartition(":")[2])
        self.context: zmq.Context[Any] = zmq.Context()
        self.front = self.process.port
        self.clients: list[Client] = []

    def write_list(self, *names: str) -> None:
        lines = [f'{name}: "{self.keys[name].public}"\n' for name in names]
        self.list.write_text("".join(lines))

    def close(self) -> None:
        for client in self.clients:
            client.leave()
        self.context.destroy(0)
        self.process.close()

    def until(self, fact: Callable[[], object]) -> None:
        """Turn the door until the fact is true."""
        until_s = time.monotonic() + PATIENCE_S
        while not fact():
            assert time.monotonic() < until_s, self.said
            self.process.serve(0.01)

    def has_said(self, text: str) -> bool:
        return any(text in line for line in self.said)

    def plain(self, address: str = "127.0.0.1") -> socket.socket:
        """Return a bare connection."""
        return socket.create_connection(("127.0.0.1", self.port), source_address=(address, 0))

    def client(self, pair: KeyPair | None = None, **options: Any) -> "Client":
        self.clients.append(Client(self, pair, options))
        return self.clients[-1]

    def joined(self, name: str) -> "Client":
        """Return an entrant that has joined."""
        client = self.client(self.keys[name])
        client.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))
        assert client.hear()[0] == {"do": "welcome", "name": name}
        return client

    def order(self, name: str) -> Bot:
        """Return a referee's bot of this entrant."""
        player = Player(
            name=name,
            argv=(),
            folder="",
            content=f"{REMOTE}x",
            door=str(self.path),
            remote=name,
        )
        return Bot(player, Job(key="", game="pente", players=(player,), seed=1, board_seed=1), None)


class Client:
    """A socket of libzmq, with a key or without one."""

    def __init__(self, door: TestDoor, pair: KeyPair | None, options: dict[str, Any]) -> None:
        self._door = door
        self.socket = door.context.socket(zmq.DEALER)
        self.socket.linger = 0
        if pair is not None:
            self.socket.curve_serverkey = door.pair.public.encode()
            self.socket.curve_publickey = pair.public.encode()
            self.socket.curve_secretkey = pair.secret.encode()
        for name, value in options.items():
            setattr(self.socket, name, value)
        self.socket.connect(f"tcp://127.0.0.1:{door.port}")

    def say(self, frames: list[bytes]) -> None:
        self.socket.send_multipart(frames)

    def hear(self) -> tuple[wire.Head, bytes]:
        """Return the next message of the door; its beats are answered, as by `arena join`."""
        while True:
            self._door.until(lambda: self.socket.poll(0))
            head, payload = wire.read(self.socket.recv_multipart())
            if head["do"] != "beat":
                return head, payload
            self.say(wire.pack(head))

    def answer_beats(self) -> None:
        """Answer the beats that have arrived, and leave out all other messages."""
        while self.socket.poll(0):
            head, _ = wire.read(self.socket.recv_multipart())
            if head["do"] == "beat":
                self.say(wire.pack(head))

    def seat(self) -> str:
        """Return the number of a seat that the door asks for."""
        head, _ = self.hear()
        assert head["do"] == "start", head
        return str(head["seat"])

    def greet(self, seat: str) -> None:
        hello = encode_fields({"type": "hello", "protocol": 1})
        self.say(wire.pack({"do": "hello", "seat": seat}, hello))

    def leave(self) -> None:
        self.socket.close(0)


def seat_up(door: TestDoor, bot: Bot, client: Client) -> str:
    """Bring the entrant's bot to its seat; return the number of the seat."""
    seat = client.seat()
    client.greet(seat)

    def is_there() -> bool:
        for descriptor in bot.listener.descriptors():
            with_input, _, _ = select_now(descriptor)
            if with_input:
                bot.on_readable(descriptor)
        return bot.hello is not None

    door.until(is_there)
    return seat


def select_now(descriptor: int) -> tuple[list[int], list[int], list[int]]:
    import select

    return select.select([descriptor], [], [], 0)


def received(door: TestDoor, bot: Bot) -> bytes:
    """Return the next message of the bot to its referee."""
    found: list[bytes] = []

    def look() -> bool:
        assert bot.link is not None
        message = bot.link.receive(time.monotonic_ns())
        if message is not None:
            found.append(message)
        return bool(found)

    door.until(look)
    return found[0]


def pause(door: TestDoor, seconds: float) -> None:
    until_s = time.monotonic() + seconds
    door.until(lambda: time.monotonic() >= until_s)


def is_closed(connection: socket.socket) -> bool:
    """Whether the other end has closed, after what it has sent before."""
    connection.settimeout(0)
    try:
        while connection.recv(4096):
            pass
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
    return True
