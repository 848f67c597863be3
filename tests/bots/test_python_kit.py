"""What is special to the Python kit: its own ZMTP, a fast start; the rest is in test_kits.py."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgpack
import pytest
from c_programs import COMMAND, GREETING, frame
from kits import BY_NAME
from probing import CALL, Kit, Probe, told
from router_seat import INIT


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


@pytest.mark.parametrize(
    ("per_move_ms", "fields"), [(30, {}), (2**53, {"left_ms": 30}), (30, {"left_ms": 2**53})]
)
def test_a_bot_prints_its_stack_when_the_time_of_a_call_is_used(
    probe: Probe, per_move_ms: int, fields: dict[str, int]
) -> None:
    with probe.seat() as seat:
        seat.init(time={**INIT["time"], "per_move_ms": per_move_ms})
        assert seat.move(**told("loop"), **fields)["resign"] is True
        assert seat.move(**told("loop"), left_ms=0)["resign"] is True
        seat.term()
        code, _, said = seat.end()
    assert code == 0
    assert said.count("Stack (most recent call first):") == 1
    assert re.search(r'File ".*main.py", line \d+ in on_move\n', said)


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_a_sleeping_bot_prints_its_stack_when_the_time_of_a_call_is_used(
    probe: Probe, clock: str
) -> None:
    main = probe.folder / "sleeper.py"
    main.write_text(
        "import select\nfrom arena_bot import Bot, resign, run\nclass Sleeper(Bot):\n"
        "    def on_move(self, call):\n        return self.nap(call['view']['nap_s'])\n"
        "    def nap(self, seconds):\n        select.select([], [], [], seconds)\n"
        "        return resign()\n"
        "run(Sleeper())\n"
    )
    with Probe(probe.kit, probe.folder, "", [sys.executable, "sleeper.py"]).seat() as seat:
        seat.init(time={**INIT["time"], "clock": clock, "per_move_ms": 30})
        assert seat.move(view={"nap_s": 1.5})["resign"] is True
        assert seat.move(view={"nap_s": 0})["resign"] is True
        seat.term()
        code, _, said = seat.end()
    assert code == 0
    assert said.count("Stack (most recent call first):") == 1
    assert re.search(r'File ".*sleeper.py", line 7 in nap\n', said)


def test_a_timer_of_the_bot_stays_its_own(probe: Probe) -> None:
    main = probe.folder / "timer.py"
    main.write_text(
        "import signal, select\nfrom arena_bot import Bot, resign, run\nclass Timer(Bot):\n"
        "    def on_init(self, call):\n"
        "        signal.signal(signal.SIGALRM, lambda *_: print('mine', flush=True))\n"
        "        signal.setitimer(signal.ITIMER_REAL, 0.3)\n"
        "    def on_move(self, call):\n        select.select([], [], [], 0.6)\n"
        "        return resign()\n"
        "run(Timer())\n"
    )
    with Probe(probe.kit, probe.folder, "", [sys.executable, "timer.py"]).seat() as seat:
        seat.init(time={**INIT["time"], "clock": "wall", "per_move_ms": 10})
        assert seat.move()["resign"] is True
        seat.term()
        assert seat.end() == (0, "mine\n", "")


def test_a_bot_with_an_alarm_of_its_own_keeps_its_handler(probe: Probe) -> None:
    main = probe.folder / "own.py"
    main.write_text(
        "import signal\nsignal.signal(signal.SIGPROF, lambda *_: print('mine', flush=True))\n"
        "import main, arena_bot\narena_bot.run(main.Probe())\n"
    )
    with Probe(probe.kit, probe.folder, "", [sys.executable, "own.py"]).seat() as seat:
        seat.init(time={**INIT["time"], "per_move_ms": 30})
        assert seat.move(**told("loop"))["resign"] is True
        seat.term()
        assert seat.end() == (0, "mine\n", "")
