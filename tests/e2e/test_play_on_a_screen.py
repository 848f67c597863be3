"""`arena play` and `arena replay` in a real terminal of 80x24."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import terminal

from arena.results.store import Store

ARENA = f"{shlex.quote(sys.executable)} -m arena"
LARGEST = {
    "pente": ["half_size=15"],
    "matchsticks": ["dimension=64"],
    "chinese_checkers": ["game_size=30"],
    "down_n_out": ["rows=100", "cols=100"],
    "damspel": ["rows=26", "cols=26", "men_rows=13"],
}


def fits(screen: str) -> bool:
    return len(screen.splitlines()) <= 24 and all(len(line) <= 80 for line in screen.splitlines())


def test_a_match_is_played_on_one_screen_from_the_first_move_to_the_replay(tmp_path: Path) -> None:
    with terminal(f"{ARENA} play pente random --db p.db", tmp_path) as tty:
        start = tty.wait_for("pente: you (X) against random (O)", "your move: _", "? for help")
        assert start.splitlines()[0].startswith("pente: you (X) against random (O)")
        assert "captured pairs" in start
        tty.type("0", "Space", "0", "Enter")
        played = tty.wait_for("random plays")
        assert "[O]" in played
        assert played.splitlines()[0].startswith("pente: you (X) against random (O)")
        tty.type("9", "BSpace", "x", "C-u", "0", ",", "1", "Enter")
        tty.wait_for("not legal: (0, 1): the first player's second stone must be outside")
        tty.type("?", "Enter")
        assert "0,0" not in tty.wait_for("type a move like", "space: more").splitlines()[-2]
        tty.type("End")
        tty.wait_for("victory")
        tty.type("q")
        tty.type(*"hint", "Enter")
        tty.wait_for("greedy would play")
        tty.type(*"undo", "Enter")
        tty.wait_for("half_size 9, second_stone box5")
        tty.type(*"resign", "Enter")
        tty.wait_for("random wins: resignation", "Enter: leave")
        tty.type("Enter")
        tty.wait_for("kept as match 1 in p.db, not rated", "ended with 0")


@pytest.mark.parametrize("game", LARGEST)
def test_the_largest_boards_scroll_and_never_wrap(tmp_path: Path, game: str) -> None:
    options = " ".join(f"-o {option}" for option in LARGEST[game])
    command = f"{ARENA} play {game} --seat 0 {options} --db p.db"
    with terminal(command, tmp_path) as tty:
        before = tty.wait_for("your move: _", "arrows scroll")
        assert fits(before)
        assert before.splitlines()[-1].startswith("your move: _")
        tty.type(*["PPage"] * 12, *["Left"] * 30)
        top = tty.wait_for("arrows scroll down")
        tty.type("NPage", "Right")
        moved = tty.wait_until(lambda screen: screen[80:] != top[80:], "another part")
        assert fits(moved)
        tty.type("C-c")
        tty.wait_for("ended with 130")


def test_a_terminal_that_changes_its_size_is_drawn_anew(tmp_path: Path) -> None:
    with terminal(f"{ARENA} play pente random --db p.db", tmp_path) as tty:
        tty.wait_for("your move: _")
        tty.resize(40, 10)
        tty.type("0", ",", "0", "Enter")
        small = tty.wait_for("random plays", "your move: _")
        assert len(small.splitlines()) <= 10
        tty.resize(100, 40)
        tty.wait_for("captured pairs", "  -9 ", "   9 ", "your move: _")
        tty.type("C-d")
        tty.wait_for("left; nothing is kept", "ended with 0")


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"TERM": "no-such-terminal"}])
def test_a_terminal_without_a_screen_gets_lines(tmp_path: Path, env: dict[str, str]) -> None:
    with terminal(f"{ARENA} play down_n_out -o cols=60 --db p.db", tmp_path, env=env) as tty:
        screen = tty.wait_for("your move:")
        assert "  58" in screen
        assert "\n     0   2" in screen or "   9 " in screen
        tty.type(*"quit", "Enter")
        tty.wait_for("left; nothing is kept", "ended with 0")


def test_a_match_is_stepped_through_by_keys(tmp_path: Path) -> None:
    typed = "0,0\n0,3\n-4,4\nresign\n"
    command = [sys.executable, "-m", "arena", "play", "pente", "random", "--db", "p.db"]
    subprocess.run(
        command, input=typed, text=True, cwd=tmp_path, timeout=90, check=True, capture_output=True
    )
    store = Store(tmp_path / "p.db")
    plies = store.record(1).plies
    store.close()
    with terminal(f"{ARENA} replay 1 --db p.db", tmp_path, env={"NO_COLOR": "1"}) as tty:
        tty.wait_for(f"ply 0 of {plies}", "match 1, pente: you X - random O")
        tty.type("Right")
        assert fits(tty.wait_for("seat 0 you plays 0,0", "[X]"))
        tty.type("3", "Enter")
        tty.wait_for(f"ply 3 of {plies}", "seat 0 you plays")
        tty.type("Left")
        tty.wait_for(f"ply 2 of {plies}")
        tty.type("Home")
        tty.wait_for(f"ply 0 of {plies}")
        tty.type("+", "+", "Space")
        tty.wait_for("random wins: resignation; points you 0, random 5")
        tty.type("?")
        tty.wait_for("jump to that ply", "q: back")
        tty.type("q", "q")
        tty.wait_for("ended with 0")
    printed = subprocess.run(
        [*command[:3], "replay", "1", "--boards", "--db", "p.db"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=True,
    ).stdout
    assert printed.count("captured pairs") == plies + 2
    assert "\x1b" not in printed
