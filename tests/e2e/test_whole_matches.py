"""The starter bots, each in its own language, play every game to its end under a real referee."""

import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes import next_end
from verifying import verify
from waiting import PATIENCE_S

from protocol.vocabulary import Termination
from referee.records.record import JOBS, Record

BOTS = Path(__file__).parents[2] / "bots"
MINUTE_NS = 60 * 10**9
LIMITS = ("start_ns", "init_ns", "per_move_ns", "display_ns", "term_ns", "grace_ns")
TIME = dict.fromkeys(LIMITS, MINUTE_NS)

GAMES: list[tuple[str, dict[str, Any], int]] = [
    ("pente", {}, 2),
    ("matchsticks", {"objectives": "misere"}, 2),
    ("chinese_checkers", {"game_size": 3, "max_rounds": 20}, 2),
    ("chinese_checkers", {"game_size": 3, "max_rounds": 10}, 6),
    ("down_n_out", {}, 1),
    ("rendezvous", {"plies": 20}, 1),
    ("damspel", {}, 2),
]

Entry = dict[str, Any]


@pytest.fixture(scope="module")
def python_bot(tmp_path_factory: pytest.TempPathFactory) -> Entry:
    folder = tmp_path_factory.mktemp("python")
    shutil.copy(BOTS / "starter" / "python" / "main.py", folder)
    shutil.copy(BOTS / "sdk" / "python" / "arena_bot.py", folder)
    return entry("python", [sys.executable, "main.py"], folder)


@pytest.fixture(scope="module")
def c_bot(tmp_path_factory: pytest.TempPathFactory) -> Entry:
    folder = tmp_path_factory.mktemp("c")
    sources = [BOTS / "starter" / "c" / "main.c", BOTS / "sdk" / "c" / "arena_bot.c"]
    include = f"-I{BOTS / 'sdk' / 'c'}"
    if shutil.which("cc") is None and not os.environ.get("CI"):
        pytest.skip("no C compiler on this machine")
    subprocess.run(["cc", "-std=c11", "-O1", include, "-o", folder / "bot", *sources], check=True)
    return entry("c", ["./bot"], folder)


def entry(name: str, argv: list[str], folder: Path) -> Entry:
    return {"name": name, "argv": argv, "folder": str(folder), "content": name}


@pytest.fixture(scope="module")
def referee() -> Iterator[subprocess.Popen[bytes]]:
    """Run one referee for all matches, as a slot does; it must end well when its jobs do."""
    with subprocess.Popen(
        [sys.executable, "-m", "referee"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0


def match_of(referee: subprocess.Popen[bytes], job: dict[str, Any]) -> Record:
    """Have the referee play a match and return its record."""
    assert referee.stdin is not None
    assert referee.stdout is not None
    referee.stdin.write(json.dumps(job).encode() + b"\n")
    referee.stdin.flush()
    assert select.select([referee.stdout], [], [], PATIENCE_S)[0], "the referee does not answer"
    match = next_end(referee.stdout, JOBS.validate_python(job)).match
    assert match is not None
    return Record.from_bytes(match.body)


@pytest.mark.parametrize(("game", "options", "seats"), GAMES)
@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_the_starter_bots_play_every_game_to_its_end(
    *,
    referee: subprocess.Popen[bytes],
    python_bot: Entry,
    c_bot: Entry,
    game: str,
    options: dict[str, Any],
    seats: int,
    transport: str,
) -> None:
    given = {"key": "k", "game": game, "options": options, "seed": 5, "board_seed": 6}
    order = [python_bot, c_bot] if transport == "ipc" else [c_bot, python_bot]
    players = [order[seat % 2] for seat in range(seats)]

    record = match_of(referee, {**given, "players": players, "time": TIME, "transport": transport})

    assert record.verdict.termination is Termination.NORMAL
    assert record.verdict.faults == ()
    verify(record)
    for player, report in zip(players, record.seats, strict=True):
        assert report.hello["language"] == player["name"]
        assert report.strays == 0
        assert report.output_tail == ""
        assert report.exit in {"exit code 0", None}


def test_the_same_seeds_give_the_same_match(
    referee: subprocess.Popen[bytes], python_bot: Entry, c_bot: Entry
) -> None:
    given = {"key": "same", "game": "pente", "board_seed": 9, "time": TIME}
    job = {**given, "players": [c_bot, python_bot]}

    first, again, other = (
        match_of(referee, {**job, "seed": seed}).calls.column("move") for seed in (9, 9, 10)
    )

    assert first == again
    assert first != other
