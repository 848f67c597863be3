"""Runs the calls of `protocol/vectors` against a bot, as described in their README.

The referee's end is a bare socket: its end of file tells for sure that no reply is coming, and it
shares no code with the referee nor with any library that a kit uses.
"""

import contextlib
import json
import os
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import msgpack
from c_programs import COMMAND, GREETING, LONG, MORE, READY, frame
from router_seat import TOKEN
from waiting import PATIENCE_S

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
Case = dict[str, Any]


def cases(name: str) -> dict[str, Case]:
    """Return the cases of a file by their names."""
    return {case["name"]: case for case in json.loads((VECTORS / name).read_text())}


CALLS = cases("calls.json")
BROKEN_CALLS = cases("broken_calls.json")
ALONE = [
    name
    for name, case in CALLS.items()
    if "exit" in case or "stderr" in case or not (case["after"] or name.startswith("init"))
]
"""Calls that end a process, write to stderr, or come before any match: each has its own process."""


def bytes_of(case: Case) -> bytes:
    """Return the message of a case."""
    pieces = case["hex"] if isinstance(case["hex"], list) else [[case["hex"], 1]]
    return b"".join(bytes.fromhex(piece) * times for piece, times in pieces)


class VectorSeat:
    """One bot process and the referee's end of its connection, the hello being read."""

    def __init__(self, argv: Sequence[str], folder: Path, room: Path) -> None:
        """Start the bot in its folder; its socket has a short path."""
        path = room / "s"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.settimeout(PATIENCE_S)
            listener.bind(str(path))
            listener.listen(1)
            self._process = subprocess.Popen(
                argv,
                cwd=folder,
                env=_environment(f"ipc://{path}", room),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            self._socket, _ = listener.accept()
        self._socket.settimeout(PATIENCE_S)
        self._stream = self._socket.makefile("rb")
        self._has_envelope = False
        self._shake_hands()
        self.hello = self.receive()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
        self._stream.close()
        self._socket.close()

    def play_up_to(self, case: Case) -> None:
        """Make the calls that come before a case; each must get its own reply."""
        for name in case["after"]:
            self.send(bytes_of(CALLS[name]))
            assert same(self.receive(), CALLS[name]["reply"]), name

    def send(self, payload: bytes) -> None:
        """Send bytes as one message, to a bot that may have gone already."""
        envelope = frame(b"", MORE) if self._has_envelope else b""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(envelope + frame(payload))

    def receive(self) -> Any:
        """Return the next message, or None when the bot has closed the connection."""
        flags, body = self._frame()
        while flags & COMMAND:
            flags, body = self._frame()
        if flags == MORE and body == b"":
            self._has_envelope = True
            flags, body = self._frame()
        assert flags & ~LONG == 0
        return msgpack.unpackb(body) if body else None

    def hang_up(self) -> None:
        """Close this end of the connection, so that the bot must end."""
        self._socket.shutdown(socket.SHUT_WR)

    def ended(self) -> tuple[int, str]:
        """Wait for the bot's end; return its exit code and its stderr."""
        _, said = self._process.communicate(timeout=PATIENCE_S)
        return self._process.returncode, said

    def _shake_hands(self) -> None:
        self._socket.sendall(GREETING + READY)
        greeting = self._stream.read(len(GREETING))
        assert greeting[0] == 0xFF
        assert greeting[9] == 0x7F
        assert greeting[10] >= 3
        assert greeting[12:32] == GREETING[12:32]
        flags, ready = self._frame()
        assert flags & COMMAND
        assert ready.startswith(b"\x05READY")
        assert any(b"\x0bSocket-Type\0\0\0" + kind in ready for kind in (b"\6DEALER", b"\3REQ"))

    def _frame(self) -> tuple[int, bytes]:
        """Return flags and body of the next frame; no body when there is none any more."""
        with contextlib.suppress(ConnectionResetError):
            if head := self._stream.read(2):
                flags, size = head
                if flags & LONG:
                    size = int.from_bytes(head[1:] + self._stream.read(7), "big")
                return flags, self._stream.read(size)
        return 0, b""


def same(one: Any, other: Any) -> bool:
    """Whether values are equal and of equal types: true is not 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _environment(endpoint: str, room: Path) -> dict[str, str]:
    """Return what SPEC.md 3.1 promises a bot, and nothing else."""
    home = {"HOME": str(room), "TMPDIR": str(room), "LANG": "C.UTF-8"}
    wire = {"ARENA_ENDPOINT": endpoint, "ARENA_TOKEN": TOKEN}
    return {"PATH": os.environ["PATH"], **home, **wire}
