"""A seat for a real bot: a pyzmq ROUTER, which shares no code with the referee's own sockets."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgpack
import zmq
from ruamel.yaml import YAML

BOTS = Path(__file__).parents[2] / "bots"
TOKEN = "the-token-of-this-seat"  # noqa: S105 - no secret
WAIT_MS = 60_000
"""Wide limit; only a hang exceeds it."""

TIME = {
    "clock": "cpu",
    "init_ms": 5000,
    "per_move_ms": 2000,
    "display_ms": 1000,
    "term_ms": 1000,
    "grace_ms": 50,
    "ponder": False,
}
INIT: dict[str, Any] = {
    "protocol": 1,
    "game": "pente",
    "options": {"half_size": 9, "second_stone": "box5", "fours": "runs"},
    "match": "a match",
    "seat": 0,
    "seats": 2,
    "players": ["one", "two"],
    "seed": 1,
    "time": TIME,
    "history": [],
    "view": {"turn": 0, "ply": 0, "board": ["." * 19] * 19, "pairs": [0, 0]},
}
TERM: dict[str, Any] = {
    "opponent_moves": [],
    "termination": "normal",
    "scores": ["1", "0"],
    "reason": "five in a row",
    "offenders": [],
    "last": True,
}


@cache
def _bridges() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="bridges-")
    for source in (*(BOTS / "sdk/bridges").glob("*.py"), BOTS / "sdk/python/arena_bot.py"):
        shutil.copy(source, folder.name)
    return folder


def bridge(name: str) -> str:
    """Return the path of a bridge beside the files it imports, as in a prepared bot."""
    return str(Path(_bridges().name, f"{name}_bridge.py"))


class Seat:
    """One bot process and the referee's end of its connection."""

    def __init__(
        self,
        folder: Path,
        argv: Sequence[str],
        *,
        transport: str = "ipc",
        greet: bool = True,
        debug: str = "",
    ) -> None:
        """Start the bot, with ARENA_DEBUG if given; with `greet`, wait for its hello."""
        # Right in /tmp: the path of a socket must be short.
        self._room = tempfile.TemporaryDirectory(prefix="seat-", dir="/tmp")
        self._context = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        self._router.set(zmq.LINGER, 0)
        self._router.set(zmq.RCVTIMEO, WAIT_MS)
        self._serial = 0
        self._envelope: list[bytes] = []
        environment = {
            "PATH": os.environ["PATH"],
            "ARENA_ENDPOINT": self._bind(transport),
            "ARENA_TOKEN": TOKEN,
        }
        if debug:
            environment["ARENA_DEBUG"] = debug
        self._process = subprocess.Popen(
            argv,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.hello: dict[str, Any] = self.receive() if greet else {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._context.destroy(linger=0)
        self._room.cleanup()

    def receive(self) -> dict[str, Any]:
        """Return the next message from the bot; it must be one frame."""
        try:
            *self._envelope, payload = self._router.recv_multipart()
        except zmq.Again:
            self._process.kill()
            raise AssertionError(self._process.communicate()) from None
        assert len(self._envelope) == 1
        message = msgpack.unpackb(payload)
        assert isinstance(message, dict)
        return message

    def send(self, payload: bytes) -> None:
        """Send bytes as one message."""
        self._router.send_multipart([*self._envelope, payload])

    def call(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Make a call and return the reply without its id, which must be the call's."""
        self._serial += 1
        self.send(msgpack.packb({"type": kind, "id": self._serial, **fields}))
        reply = self.receive()
        assert reply.pop("id") == self._serial
        return reply

    def init(self, **fields: Any) -> None:
        """Begin a match, with these fields of `init` changed."""
        assert self.call("init", **{**INIT, **fields}) == {"type": "ready"}

    def move(self, **fields: Any) -> dict[str, Any]:
        """Ask for a move, with these fields of `move` changed."""
        return self.call("move", **{"ply": 0, "opponent_moves": [], **fields})

    def term(self, *, last: bool = True) -> None:
        """End a match."""
        assert self.call("term", **{**TERM, "last": last}) == {"type": "bye"}

    def signal(self, number: signal.Signals) -> None:
        """Send the bot's process a signal."""
        self._process.send_signal(number)

    def read_output(self, length: int) -> bytes:
        """Return the next bytes that the bot prints to stdout; waits for them."""
        assert self._process.stdout is not None
        return os.read(self._process.stdout.fileno(), length)

    def hang_up(self) -> None:
        """Close the connection, as a referee does that is gone."""
        self._router.close(linger=0)

    def end(self) -> tuple[int, str, str]:
        """Wait until the bot has ended; return its exit code, stdout and stderr."""
        out, err = self._process.communicate(timeout=WAIT_MS / 1000)
        return self._process.returncode, out.decode(), err.decode()

    def _bind(self, transport: str) -> str:
        if transport == "tcp":
            return f"tcp://127.0.0.1:{self._router.bind_to_random_port('tcp://127.0.0.1')}"
        endpoint = f"ipc://{self._room.name}/s"
        self._router.bind(endpoint)
        return endpoint


def prepare(bot: str, folder: Path) -> list[str]:
    """Copy a shipped bot and its named files flat into a folder; return its command."""
    source = BOTS / bot
    manifest = YAML(typ="safe").load(source / "bot.yaml")
    for file in [*source.iterdir(), *(source / name for name in manifest.get("files", ()))]:
        if file.is_file():
            shutil.copy(file, folder)
    return [argument.replace("{python}", sys.executable) for argument in manifest["run"]]
