"""Limits of `arena check` count the bot's own time, not that of a busy machine."""

import os
import subprocess
import sys
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from fakes import MS, FakeClock, FakeProcess
from waiting import becomes

from arena.check.bench import BotSession
from arena.check.own_time import COUNTED_LOOK_NS, MOST_NS, OwnTime, is_working

LIMIT = 250 * MS


class Bot:
    """A fake process that is working or waiting."""

    def __init__(self) -> None:
        self.clock, self.process, self.works = FakeClock(), FakeProcess(), True
        self.own = OwnTime(self.process, lambda: self.works, self.clock.now_ns)

    def lives(self, *, wall_ms: int, cpu_ms: float = 0, looks: int = 1) -> bool:
        """Let time pass, looking `looks` times; return whether the bot's time is over."""
        for _ in range(looks):
            self.clock.advance(wall_ms * MS // looks)
            self.process.spent_ns += round(cpu_ms * MS / looks)
            is_over = self.own.look(LIMIT)
        return is_over


def test_a_bot_without_a_core_has_not_had_its_time() -> None:
    bot = Bot()

    assert not bot.lives(wall_ms=20_000, cpu_ms=40, looks=10_000)


def test_a_check_that_wakes_late_takes_no_time_from_the_bot() -> None:
    bot = Bot()
    bot.works = False

    assert not bot.lives(wall_ms=50_000, looks=100)


def test_a_bot_that_waits_has_its_time() -> None:
    bot = Bot()
    bot.works = False

    assert not bot.lives(wall_ms=250, looks=250)
    assert bot.lives(wall_ms=1)


def test_a_bot_that_works_is_over_its_time_by_cpu_time() -> None:
    bot = Bot()

    assert not bot.lives(wall_ms=10_000, cpu_ms=250, looks=100)
    assert bot.lives(wall_ms=1, cpu_ms=0.001)


@pytest.mark.parametrize(("works", "cpu_ms"), [(True, 250), (False, 0)])
def test_a_rest_takes_longer_for_a_bot_without_a_core(
    monkeypatch: pytest.MonkeyPatch,
    works: bool,  # noqa: FBT001 - a parameter of the test
    cpu_ms: int,
) -> None:
    """A bot that works between its calls has burnt time then, however little it had at a time."""
    bot = Bot()
    bot.works = works
    made: Any = SimpleNamespace(process=bot.process)
    session = BotSession(made, made)
    monkeypatch.setattr(session, "_own_time", lambda: bot.own)

    def sleep(_: float) -> None:
        bot.lives(wall_ms=1, cpu_ms=0.01 if works else 0)

    monkeypatch.setattr("arena.check.bench.time.sleep", sleep)

    assert session.rest(LIMIT) // MS == cpu_ms


def test_every_wait_ends() -> None:
    bot = Bot()

    assert not bot.lives(wall_ms=MOST_NS // MS)
    assert bot.lives(wall_ms=1)
    assert COUNTED_LOOK_NS < LIMIT < MOST_NS


def test_a_process_that_spins_works_and_one_that_waits_does_not() -> None:
    renamed = r'import ctypes; ctypes.CDLL(None).prctl(15, b"\xff) S 1", 0, 0, 0)'
    for code, works in (
        ("while True: pass", True),
        (f"{renamed}\nwhile True: pass", True),
        ("import time; time.sleep(9999)", False),
        (f"{renamed}\nimport time; time.sleep(9999)", False),
    ):
        with subprocess.Popen([sys.executable, "-c", code]) as process:
            try:
                assert becomes(partial(_is, process.pid, works=works))
            finally:
                process.kill()
    assert not is_working(process.pid), "it has ended"
    assert is_working(os.getpid()), "it reads this"


def _is(pid: int, *, works: bool) -> bool:
    return is_working(pid) is works
