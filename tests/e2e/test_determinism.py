"""`arena check --determinism`: deterministic, random and failing bots."""

import re
from pathlib import Path

from preloaded import besides_isolation, run
from waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
BOT = """
import random
import sys
from arena_bot import Bot, play, run

class Chance(Bot):
    name = "chance"
    wants = ("legal",)

    def on_init(self, init):
        self.moves = 0
        self.random = random.Random(init["seed"])

    def on_move(self, call):
        self.moves += 1
        {change}
        return play(self.random.choice(call["legal"]))

run(Chance())
"""


def check(folder: Path, change: str, *arguments: str) -> tuple[int, str]:
    bot = folder / "chance"
    bot.mkdir()
    (bot / "main.py").write_text(BOT.format(change=change))
    kit = ROOT / "bots" / "sdk" / "python" / "arena_bot.py"
    (bot / "bot.yaml").write_text(f'run: ["{{python}}", main.py]\nfiles: [{kit}]\n')
    done = run(*("check", "--determinism", "./chance", *arguments), cwd=folder, timeout=PATIENCE_S)
    assert besides_isolation(done.stderr) == ""
    return done.returncode, done.stdout


def test_a_bot_that_uses_its_seed_is_deterministic_in_every_game(tmp_path: Path) -> None:
    code, said = check(tmp_path, "pass")

    assert code == 0
    lines = said.splitlines()
    assert lines[-1] == "chance plays the same again"
    games = {line.split(",")[0] for line in lines[:-1]}
    assert games >= {"chess", "damspel", "down_n_out", "matchsticks", "pente", "rendezvous"}
    assert "pente, seat 1 of 2, seed 2, after 8 moves: 15 moves, the same" in lines
    assert all(line.endswith("moves, the same") for line in lines[:-1])


def test_a_random_bot_is_detected_at_its_first_different_move(tmp_path: Path) -> None:
    own = "self.random = random.Random() if self.moves >= 5 else self.random"
    code, said = check(tmp_path, own, "--game", "pente", "-o", "half_size=12")

    assert code == 1
    head, where, _, board, *_ = said.splitlines()
    assert head == "pente, seat 0 of 2, seed 1: DIFFERENT"
    found = re.fullmatch(
        r"  ply 8, seat 0, its move 5: (\S+) the first time, (\S+) the second time, here:", where
    )
    assert found is not None
    assert found[1] != found[2]
    assert board.strip().startswith("-12")
    assert "do: take all chance from init.seed" in said


def test_randomness_of_hashes_is_detected(tmp_path: Path) -> None:
    code, said = check(tmp_path, 'self.random = random.Random(hash("x"))', "--game", "damspel")

    assert code == 1
    assert "DIFFERENT" in said


def test_a_bot_at_fault_is_not_compared(tmp_path: Path) -> None:
    code, said = check(tmp_path, 'self.moves < 3 or sys.exit("it is broken")', "--game", "pente")

    assert code == 3
    head, *rest = said.splitlines()
    assert head.startswith("pente, seat 0 of 2, seed 1: AT FAULT, both times: crash, call move")
    assert rest == ["  its last output:", "  it is broken"]
