"""Environments against bots: the example of the how-to page, faults, and the ends of processes."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import waiting
from gymnasium.utils.env_checker import check_env
from preloaded import oppose_with_server

from arena.environment import Bots, Environment, OpponentError, SeatEnvironment
from arena.errors import UsageError
from referee.sandbox import descendants

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/howto/environments.md"
BOT = """
from arena_bot import Bot, play, resign, run

class Scripted(Bot):
    wants = ("legal",)
    matches = 0

    def on_init(self, init):
        self.matches += 1
        self.seat = init["seat"]
        self.seats = init["seats"]

    def on_move(self, call):
        if self.seat == 0 or self.matches == 3:
            raise SystemExit(3)
        if self.seats == 3 and self.seat == 1 and call["ply"] > 3:
            return resign()
        return play(call["legal"][0])

run(Scripted())
"""


@pytest.fixture(autouse=True, scope="module")
def preloaded_opponents() -> Iterator[None]:
    """Start no Python for the process of the bots, but in the last test."""
    with pytest.MonkeyPatch.context() as patch:
        oppose_with_server(patch)
        yield


@pytest.fixture(scope="module")
def blocks() -> list[str]:
    """Return the examples of the page in Python."""
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Return the folder of a bot that crashes in seat 0 and in its third match.

    Of three seats, it resigns in seat 1 after its first move.
    """
    (tmp_path / "main.py").write_text(BOT)
    manifest = "files: [{}]\nrun: ['{{python}}', main.py]\n"
    (tmp_path / "bot.yaml").write_text(manifest.format(ROOT / "bots/sdk/python/arena_bot.py"))
    return str(tmp_path)


@pytest.fixture
def bots(folder: str) -> Iterator[Bots]:
    """Yield the scripted bot, in a match for two."""
    with closing(Bots(folder)) as bots:
        yield bots


def first_action(seen: Any) -> int:
    """Return the first legal action."""
    action: int = seen.mask.index(1)
    return action


def play_on(match: SeatEnvironment, seen: Any) -> tuple[float, bool, dict[str, Any]]:
    """Play first actions; return the last reward, whether the end is a fault, and the info."""
    while True:
        seen, reward, is_over, is_cut, info = match.step(first_action(seen))
        if is_over or is_cut:
            return reward, is_cut, info


def test_the_learner_of_the_page_gets_better(
    blocks: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    example, _ = [block for block in blocks if "Bots(" in block]
    names: dict[str, Any] = {"__name__": "page"}
    exec(example, names)  # noqa: S102 - our own page

    printed = capsys.readouterr().out.strip()
    assert names["results"][300:].count(1.0) > names["results"][:100].count(1.0) + 10
    assert f"    {printed}\n" in PAGE.read_text()


def test_the_training_of_the_page_beats_random_moves(
    blocks: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    _, example = [block for block in blocks if "Bots(" in block]
    names: dict[str, Any] = {"__name__": "page"}
    exec(example, names)  # noqa: S102 - our own page

    printed = capsys.readouterr().out.strip()
    assert names["results"].count(1.0) >= 0.8 * len(names["results"]) == 160
    assert "    " + printed.replace("\n", "\n    ") + "\n" in PAGE.read_text()


@pytest.mark.filterwarnings("ignore")
def test_gymnasium_accepts_seats_against_bots(blocks: list[str]) -> None:
    (example,) = [block for block in blocks if "gymnasium.Env" in block]
    names: dict[str, Any] = {"__name__": "page"}
    exec(example, names)  # noqa: S102 - our own page
    games = ("pente", "open_spiel/kuhn_poker", "open_spiel/goofspiel", "open_spiel/pig")
    with closing(Bots("random")) as bots:
        for seat, game in enumerate(games):
            match = names["Solo"](game, None, seat % 2, bots)
            match.close = lambda: None  # the next game has the same bots
            check_env(match, skip_render_check=True)


def test_a_fault_breaks_the_match_off_and_the_next_begins(bots: Bots) -> None:
    match = SeatEnvironment(Environment("open_spiel/tic_tac_toe"), 0, bots)
    ends = [play_on(match, match.reset()[0]) for _ in range(4)]

    assert [is_cut for _, is_cut, _ in ends] == [False, False, True, False]
    assert ends[0][2] == {"termination": "normal", "reason": "end of the game"}
    reward, _, info = ends[2]
    assert reward == 0
    assert info["fault"]["seat"] == 1
    assert info["fault"]["termination"] == "crash"
    assert "exit code 3" in info["fault"]["detail"]
    with pytest.raises(ValueError, match="the match is over"):
        match.step(0)


def test_a_match_that_was_broken_off_cannot_be_played_on(bots: Bots) -> None:
    match = SeatEnvironment(Environment("open_spiel/tic_tac_toe"), 0, bots)
    for _ in range(3):
        play_on(match, match.reset()[0])

    with pytest.raises(ValueError, match="no match is being played: call reset"):
        match.step(first_action(match.table.last()[0]))


def test_a_fault_before_the_first_turn_is_an_error_of_reset(bots: Bots) -> None:
    match = SeatEnvironment(Environment("open_spiel/tic_tac_toe"), 1, bots)

    with pytest.raises(OpponentError, match="crash in move at ply 0") as caught:
        match.reset()

    assert caught.value.info["fault"]["seat"] == 0


def test_kept_bots_play_matches_that_the_learner_leaves(bots: Bots) -> None:
    match = SeatEnvironment(Environment("open_spiel/tic_tac_toe"), 0, bots)
    for _ in range(3):
        seen, _ = match.reset()

    assert play_on(match, seen)[1], "the third match of the same process ends with its crash"


def test_bots_of_one_match_are_new_in_each(folder: str) -> None:
    with closing(Bots(folder, restart="match")) as bots:
        match = SeatEnvironment(Environment("open_spiel/tic_tac_toe"), 0, bots)
        ends = [play_on(match, match.reset()[0]) for _ in range(3)]

    assert not any(is_cut for _, is_cut, _ in ends)


def test_the_others_play_on_after_a_resignation(folder: str) -> None:
    with closing(Bots(folder, folder)) as bots:
        match = SeatEnvironment(Environment("chinese_checkers", seats=3), 0, bots)
        match.reset()
        match.step(first_action(match.observe()))
        seen, _ = match.reset()  # leaves a match of three
        for _ in range(4):
            seen, *_, is_cut, info = match.step(first_action(seen))

    assert not is_cut
    assert not info
    assert match.table.ply == 4 + 1 + 4, "seat 1 has moved once"


def test_wrong_bots_are_errors_of_the_first_reset() -> None:
    match = SeatEnvironment(Environment("open_spiel/tic_tac_toe"), 0, Bots("random", "random"))
    with pytest.raises(UsageError, match="1 bot must play beside the learner, not 2"):
        match.reset()

    match = SeatEnvironment(Environment("open_spiel/tic_tac_toe"), 0, Bots("gomoku-c"))
    with pytest.raises(UsageError, match="gomoku-c does not play open_spiel/tic_tac_toe"):
        match.reset()

    with pytest.raises(ValueError, match="per_move"):
        Bots("random", time={"per_move": "soon"})


def is_alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def test_close_and_a_killed_learner_leave_no_process(folder: str) -> None:
    script = (
        "import sys\n"
        "from arena.environment import *\n"
        "table = Environment('open_spiel/tic_tac_toe')\n"
        "match = SeatEnvironment(table, 0, Bots(sys.argv[1]))\n"
        "for order in sys.stdin:\n"
        "    seen, _ = match.reset() if order == 'play\\n' else match.close() or (None, None)\n"
        "    if seen: match.step(seen.mask.index(1))\n"
        "    print(order, end='', flush=True)\n"
    )
    command = [sys.executable, "-c", script, folder]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as learner:
        assert learner.stdin is not None
        assert learner.stdout is not None
        for order in ("play", "close", "play"):
            print(order, file=learner.stdin, flush=True)
            assert learner.stdout.readline() == f"{order}\n"
            left = descendants(learner.pid)
            assert (len(left) >= 3) == (order == "play"), "the process, its warden and the bot"
        os.kill(learner.pid, signal.SIGKILL)

    assert waiting.becomes(lambda: not any(map(is_alive, left)))
