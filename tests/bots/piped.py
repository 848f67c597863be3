"""A compiled bridge with a function in place of its engine, as `scripted.py` has one in Python."""

import os
import shlex
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
from router_seat import TERM, Seat
from scripted import Engine

from arena_bridge import LineError  # isort: skip - scripted finds it


@contextmanager
def piped(program: Path, folder: Path, engine: Engine) -> Iterator[tuple["Piped", list[str]]]:
    """Yield the bridge, and the list of lines that its engine has read, complete at the end."""
    heard: list[str] = []
    read, said = folder / "read", folder / "said"
    for pipe in (read, said):
        os.mkfifo(pipe)
    # a command in the background has no input
    script = f"cat {shlex.quote(str(said))} & exec cat > {shlex.quote(str(read))}"
    thread = threading.Thread(target=_play, args=(engine, heard, read, said), daemon=True)
    thread.start()
    command = (str(program), "gomocup_bridge.py", "/bin/sh", "-c", script)
    with Seat(folder, command, greet=False) as seat:
        bridge = Piped(seat)
        yield bridge, heard
        if bridge.has_left:
            thread.join()  # before the seat ends the command that passes on the last line
    thread.join()
    for pipe in (read, said):
        pipe.unlink()


class Piped:
    """The calls of a bridge in Python, made to a process."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._about = ""
        self.has_left = False

    def greet(self) -> dict[str, Any]:
        """Return the hello, without the fields that every bridge has."""
        hello = self._received()
        self._about = "heard"
        return {name: hello[name] for name in ("type", "name", "version") if name in hello}

    def answer(self, call: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a call, without its id; raises LineError for a refusal."""
        last = {"last": False} if call["type"] == "term" else {}
        self._seat.send(msgpack.packb({**call, **last, "id": 7}))
        reply: dict[str, Any] = self._received()
        assert reply.pop("id") == 7
        return reply

    def leave(self) -> None:
        """End the last match."""
        self._seat.call("term", **TERM)
        self.has_left = True

    def _received(self) -> Any:
        *self._seat._envelope, payload = self._seat._router.recv_multipart()
        message = msgpack.unpackb(payload)
        if isinstance(message, str):
            raise LineError(message)
        return message


def _play(engine: Engine, heard: list[str], read: Path, said: Path) -> None:
    """Answer each line by the function, until the bridge closes its end."""
    with read.open() as lines, said.open("wb", buffering=0) as out:
        for text in lines:
            line = text.rstrip("\n")
            heard.append(line)
            for answer in engine(line):
                _write(out, answer if isinstance(answer, bytes) else answer.encode())


def _write(out: Any, line: bytes) -> None:
    try:
        left = line + b"\n"
        while left:
            left = left[out.write(left) :]
    except BrokenPipeError:
        pass  # the bridge has refused a line before, and was ended
