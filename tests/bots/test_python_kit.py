"""What is special to the Python kit: its own ZMTP, a fast start; the rest is in test_kits.py."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgpack
import pytest
from c_programs import COMMAND, GREETING, frame
from kits import BY_NAME, CALL, Kit, Probe


@pytest.fixture
def probe(probes: Callable[[Kit], Probe]) -> Probe:
    return probes(BY_NAME["python"])


@pytest.mark.parametrize(
    ("opening", "complaint"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n".ljust(64), "the referee speaks no ZMTP 3"),
        (GREETING[:10] + b"\x01" + GREETING[11:], "the referee speaks no ZMTP 3"),
        (GREETING.replace(b"NULL\0", b"CURVE"), "the referee speaks no ZMTP 3"),
        (GREETING + frame(b"\x05ERROR\x00", COMMAND), "the referee's first frame is not READY"),
        (GREETING + frame(msgpack.packb(CALL)), "the referee's first frame is not READY"),
    ],
)
def test_what_is_no_referee_ends_the_bot(
    probe: Probe, folder: Path, opening: bytes, complaint: str
) -> None:
    with probe.raw(folder) as referee:
        referee.say(opening)
        code, said = referee.ended()
    assert code == 1
    assert complaint in said


def test_the_kit_imports_nothing_heavy(probe: Probe) -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "import arena_bot, sys; print(*sys.modules)"],
        cwd=probe.folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "msgpack" in loaded
    heavy = {"asyncio", "dataclasses", "inspect", "pathlib", "re", "selectors", "socket"}
    assert not (heavy | {"traceback", "typing", "zmq"}) & set(loaded)
