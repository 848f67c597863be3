"""Missing programs of bots: found before play, all of them in one message."""

import sys
from pathlib import Path

import pytest
from builds import MakeBot

from arena.bots.prepare import prepare
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
