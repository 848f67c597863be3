"""Missing programs of bots: found before play, all of them in one message."""

import sys
from pathlib import Path

import pytest
from builds import MakeBot

from arena.bots.prepare import prepare
from arena.bots.programs import start_objection
from arena.errors import BotError, MissingToolchainError

COPY = [sys.executable, "-c", "import shutil; shutil.copy('main.txt', 'built.txt')"]


def test_a_missing_toolchain_is_reported_with_its_install_command(
    make_bot: MakeBot, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(MissingToolchainError) as refusal:
        prepare(make_bot(build=["cc", "-o", "bot", "bot.c"]), cache)

    assert refusal.value.packages == {"cc": "gcc"}
    assert str(refusal.value) == (
        'bot mine: needs "cc", which is not installed; install it with: apt-get install gcc'
    )


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"run": ["no-such-program"]}, 'needs "no-such-program", which is not installed'),
        ({"run": ["nod"]}, 'needs "nod", which is not installed; did you mean "node"?'),
        ({"run": ["./bot"]}, "its program ./bot is not there; see `run` in bot.yaml"),
        (
            {"run": ["./bot"], "build": COPY},
            "its program ./bot is not there after the build; see `run` in bot.yaml",
        ),
        ({"run": ["./main.txt"]}, "its program ./main.txt is not executable; chmod +x"),
        (
            {"run": ["a b"]},
            'there is no program "a b"; no shell reads this, write [a, ...] or [sh, -c, "a b"]',
        ),
    ],
)
def test_a_bot_with_a_missing_program_is_reported_before_play(
    make_bot: MakeBot, cache: Path, keys: dict[str, object], says: str
) -> None:
    with pytest.raises(BotError) as refusal:
        prepare(make_bot(**keys), cache)

    assert str(refusal.value) == f"bot mine: {says}"


@pytest.mark.parametrize(
    ("first", "interpreter"),
    [
        ("#!/bin/sh", "sh"),
        ("#! /usr/bin/env python3 -u", "python3"),
        ("#!/usr/bin/env", "env"),
        ("#!/bin/sh\r", "sh"),
    ],
)
def test_a_script_that_is_not_executable_can_be_run_by_its_interpreter(
    tmp_path: Path, first: str, interpreter: str
) -> None:
    (tmp_path / "run.sh").write_text(f"{first}\nexit 0\n")

    assert start_objection(tmp_path, "run.sh") == (
        f"is not executable; chmod +x, or on Windows write run: [{interpreter}, run.sh]"
    )


@pytest.mark.parametrize("first", ["", "#!", "#! ", "\x7fELF", "print()"])
def test_no_other_file_has_such_advice(tmp_path: Path, first: str) -> None:
    (tmp_path / "run").write_text(first)

    assert start_objection(tmp_path, "run") == "is not executable; chmod +x"
