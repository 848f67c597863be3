"""Bots in C for tests, and a hand-written ZMTP referee that can break the protocol."""

import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, Self

import msgpack
import pytest
from router_seat import BOTS, TOKEN, prepare
from ruamel.yaml import YAML
from sharing import locked
from waiting import PATIENCE_S

from arena.bots.compiled_bridges import compile_words

KIT = BOTS / "sdk" / "c"
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror")

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
MORE, LONG, COMMAND = 1, 2, 4


def missing(what: str) -> NoReturn:
    """Skip the test if a tool is missing; in CI fail."""
    if os.environ.get("CI"):
        pytest.fail(f"no {what} on a CI machine")
    pytest.skip(f"no {what} on this machine")


def compilers() -> list[str]:
    """Return the C compilers of this machine, each by one of its names."""
    found = [name for name in ("gcc", "clang", "cc") if shutil.which(name)]
    return list({os.path.realpath(str(shutil.which(name))): name for name in found}.values())


def build(program: Path, sources: list[Path], *flags: str, compiler: str = "cc") -> Path:
    """Compile sources with the kit; the kit's and the sources' own folders are searched."""
    if shutil.which(compiler) is None:
        missing(f"C compiler {compiler}")
    listed = [*sources, KIT / "arena_bot.c"]
    folders = [f"-I{folder}" for folder in {path.parent for path in listed}]
    return compiled(program, [compiler, *STRICT, *flags, *folders, *map(str, listed), "-lm"])


def compiled(program: Path, command: Sequence[str]) -> Path:
    """Run a command of a compiler, with the program as its output."""
    command = [*command, "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def built(bot: str, folder: Path) -> list[str]:
    """Prepare and build a shipped bot; return its command."""
    argv = prepare(bot, folder)
    command = YAML(typ="safe").load(BOTS / bot / "bot.yaml")["build"]
    if shutil.which(command[0]) is None:
        missing(f"C compiler {command[0]}")
    subprocess.run(command, cwd=folder, check=True)
    return argv


def sanitized(program: Path, sources: list[Path]) -> Path:
    """Compile with the address and undefined behaviour sanitizers, if the machine has them."""
    return build(program, sources, *sanitizers(program))


def compiled_bridge(builds: Path, name: str) -> Path:
    """Compile a bridge with the sanitizers, once for all workers; return its program."""
    program = builds / f"{name}_bridge"
    with locked(builds / f"{name}_bridge.lock"):
        if not program.exists():
            words = compile_words(f"{name}_bridge.py")
            compiled(program, ["cc", *STRICT, *sanitizers(program), *words])
    return program


def sanitizers(program: Path) -> tuple[str, ...]:
    """Return the flags for the sanitizers; skip the test on a machine without them."""
    flags = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    probe = program.parent / "probe_sanitizers.c"
    probe.write_text("int main(void) { return 0; }\n")
    if shutil.which("cc") is None:
        missing("C compiler cc")
    command = ["cc", *flags, "-o", str(program), str(probe)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        missing("sanitizers")
    return flags


def start(
    program: Path, endpoint: str, *arguments: str, cwd: Path | None = None
) -> subprocess.Popen[str]:
    environment = {"ARENA_ENDPOINT": endpoint, "ARENA_TOKEN": TOKEN}
    return subprocess.Popen(
        [program, *arguments], env=environment, cwd=cwd, stderr=subprocess.PIPE, text=True
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for the process; return its exit code and its stderr."""
    _, said = process.communicate(timeout=PATIENCE_S)
    return process.returncode, said


def frame(body: bytes, flags: int = 0) -> bytes:
    if len(body) < 256:
        return bytes((flags, len(body))) + body
    return bytes((flags | LONG,)) + len(body).to_bytes(8, "big") + body


READY = frame(b"\x05READY\x0bSocket-Type\x00\x00\x00\x06ROUTER", COMMAND)


class RawReferee:
    """A seat on a bare socket: the test chooses the bytes and their pieces."""

    def __init__(
        self, program: Path, folder: Path, *arguments: str, cwd: Path | None = None
    ) -> None:
        path = folder / f"seat{len(list(folder.iterdir()))}"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.settimeout(PATIENCE_S)
            listener.bind(str(path))
            listener.listen(1)
            self.process = start(program, f"ipc://{path}", *arguments, cwd=cwd)
            self.socket, _ = listener.accept()
        self.socket.settimeout(PATIENCE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
        self.socket.close()

    def shake_hands(self) -> dict[str, Any]:
        """Greet the bot and return its hello."""
        self.socket.sendall(GREETING)
        assert self.read(len(GREETING))[:32] == GREETING[:32]
        self.socket.sendall(READY)
        assert self.frame()[1].startswith(b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER")
        return self.receive()

    def ask(self, kind: str, number: int, **fields: Any) -> dict[str, Any]:
        """Send a call and return the reply."""
        self.send({"type": kind, "id": number, **fields})
        return self.receive()

    def ended(self) -> tuple[int, str]:
        return ended(self.process)

    def send(self, message: dict[str, Any]) -> None:
        self.say(frame(msgpack.packb(message)))

    def say(self, data: bytes) -> None:
        """Send bytes to a bot that may have gone already."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(data)

    def receive(self) -> dict[str, Any]:
        flags, body = self.frame()
        assert flags & ~LONG == 0
        message: dict[str, Any] = msgpack.unpackb(body)
        return message

    def frame(self) -> tuple[int, bytes]:
        flags, size = self.read(2)
        if flags & LONG:
            size = int.from_bytes(bytes((size,)) + self.read(7), "big")
        return flags, self.read(size)

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            assert piece, "the bot has closed the connection"
            data += piece
        return data
