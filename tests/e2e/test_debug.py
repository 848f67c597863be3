"""Looking into a bot: one position asked again, and matches under a debugger."""

import re
from pathlib import Path

import pytest
from preloaded import besides_isolation, run

from arena.results.store import Store

ROOT = Path(__file__).parents[2]
MANIFEST = f"""\
run: ["{{python}}", main.py]
files: [{ROOT}/bots/sdk/python/arena_bot.py]
"""
SLOW = """\
import os, time
from arena_bot import Bot, play, resign, run

class Slow(Bot):
    wants = ("legal",)
    def on_init(self, init):
        self.until = time.process_time() + 0.6
    def on_move(self, call):
        print("its pid is", os.getpid(), "and it reads", input(), flush=True)
        while time.process_time() < self.until:
            pass
        return play(call["legal"][0]) if call["ply"] < 2 else resign()

run(Slow())
"""
TALK = """\
import sys
from arena_bot import Bot, resign, run

class Talk(Bot):
    def on_init(self, call):
        print("it talks", file=sys.stderr, flush=True)
    def on_move(self, call):
        return resign()

run(Talk())
"""
OFF = """\
from arena_bot import Bot, play, run

class Off(Bot):
    def on_move(self, call):
        return play({"v": 0, "h": 77})

run(Off())
"""
BAD = """\
import idea
from arena_bot import Bot, run

class Bad(Bot):
    def on_move(self, call):
        idea.think()

run(Bad())
"""


def arena(folder: Path, *arguments: str, typed: str = "") -> tuple[int, str, str]:
    done = run(*arguments, cwd=folder, typed=typed, timeout=300)
    return done.returncode, done.stdout, done.stderr


def bot(folder: Path, name: str, program: str) -> None:
    (folder / name).mkdir()
    (folder / name / "bot.yaml").write_text(MANIFEST)
    (folder / name / "main.py").write_text(program)


TRUSTED = ("-c", "isolation=none")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Yield a folder with a finished match and bots."""
    found = tmp_path_factory.mktemp("debug")
    bot(found, "slow", SLOW)
    bot(found, "off", OFF)
    bot(found, "talk", TALK)
    bot(found, "bad", BAD)
    (found / "bad" / "idea.py").write_text("def think():\n    raise KeyError('no idea')\n")
    command = ("match", "greedy", "starter/c", "--game", "pente", "--games", "1", "--seed", "3")
    assert arena(found, *command)[0] == 0
    return found


def test_a_position_is_given_to_a_bot_again(folder: Path) -> None:
    store = Store(folder / "arena.db")
    record = store.record(1)
    store.close()
    seat = record.job.names().index("greedy")
    ply = 2 + seat

    code, out, err = arena(folder, "replay", "1", "--at", str(ply), "--to", "greedy")

    assert (code, besides_isolation(err)) == (0, "")
    assert f"seat {seat} (greedy) to move after ply {ply}" in out
    line = rf"^(then|now): +ply {ply + 1}: seat {seat} greedy plays \S+,"
    assert re.findall(line, out, re.MULTILINE) == ["then", "now"]
    assert out.rstrip().endswith(": legal")


def test_an_illegal_answer_is_reported_with_the_output(folder: Path) -> None:
    code, out, _ = arena(folder, "replay", "1", "--at", "4", "--to", "./off")

    assert code == 3
    assert "now:  illegal_move, call move: (0, 77): off the board" in out
    assert "its output:\n  arena_bot: error: illegal_move" in out


def test_only_positions_with_a_seat_to_move_are_accepted(folder: Path) -> None:
    store = Store(folder / "arena.db")
    match = store.match(1)
    store.close()
    assert match is not None

    end = arena(folder, "replay", "1", "--at", str(match.plies), "--to", "greedy")
    beyond = arena(folder, "replay", "1", "--at", "999", "--to", "greedy")

    assert (end[0], beyond[0]) == (2, 2)
    assert "the game is over there" in end[2]
    assert f"the match has the positions 0 to {match.plies}" in beyond[2]


def test_a_replay_is_debugged_with_a_bot_only(folder: Path) -> None:
    code, _, errors = arena(folder, "replay", "1", "--at", "1", "--debug")

    assert code == 2
    assert "--debug needs --to BOT" in errors


@pytest.mark.parametrize("bot", ["slow", "./slow"])
def test_a_bot_under_debug_has_the_terminal_and_no_time_limit(folder: Path, bot: str) -> None:
    db = f"{len(bot)}.db"
    options = ("--game", "pente", "--games", "1", "--db", db, "-t", "per_move=500ms")
    command = ("match", "./slow", "starter/c", *options, *TRUSTED, "--debug", bot)

    code, out, err = arena(folder, *command, typed="first\nsecond\n" * 3)

    assert code == 0, err
    (pid,) = re.findall(r"debug: slow is process (\d+), its limits are suspended", err)
    assert f"its pid is {pid} and it reads first" in out
    store = Store(folder / db)
    record = store.record(1)
    store.close()
    assert record.verdict.termination == "resignation"
    seat = next(seat for seat in record.seats if seat.name == "slow")
    assert seat.cpu_ns > record.job.time.per_move_ns


def test_a_file_keeps_the_lines_of_all_matches_under_debug(folder: Path) -> None:
    options = ("--game", "pente", "--db", "f.db", *TRUSTED)
    command = ("match", "./talk", "random", *options, "--debug", "talk")
    lines = folder / "lines.txt"

    with lines.open("w") as file:
        done = run(*command, cwd=folder, timeout=300, stderr=file)

    assert done.returncode == 0
    said = [line.split(":")[0] for line in lines.read_text().splitlines()]
    assert said == ["debug", "it talks", "match 1", "debug", "it talks", "match 2"]


def test_a_position_is_given_to_a_bot_under_debug(folder: Path) -> None:
    command = ("replay", "1", "--at", "1", "--to", "./slow", "--debug")

    code, out, err = arena(folder, *command, "--isolation", "none", typed="typed\n")

    assert code == 0, err
    (pid,) = re.findall(r"debug: slow is process (\d+), its limits are suspended", err)
    assert f"its pid is {pid} and it reads typed" in out
    assert re.search(r"^now: +ply 2: seat 1 slow plays \S+,.*: legal$", out, re.MULTILINE)


def test_a_bot_under_debug_runs_the_files_that_its_author_edits(folder: Path) -> None:
    command = ("replay", "1", "--at", "1", "--to", "./bad", "--debug", "--isolation", "none")

    _, out, err = arena(folder, *command)

    assert f'File "{folder}/bad/main.py", line 6, in on_move' in err
    assert f'File "{folder}/bad/idea.py", line 2, in think' in err
    assert {*re.findall(r"/arena/bots/\S+/(\S+)\"", err)} <= {"arena_bot.py"}
    assert "crash, call move" in out
    assert not (folder / "bad" / "__pycache__").exists()


@pytest.mark.parametrize(
    ("command", "word"),
    [
        (
            ("match", "./slow", "random", "--game", "pente", "--debug", "slow", "--db", "t.db"),
            "-c isolation=none",
        ),
        (("replay", "1", "--at", "1", "--to", "./slow", "--debug"), "--isolation none"),
    ],
)
def test_no_bot_leaves_its_sandbox_for_a_debugger_unless_the_user_says_so(
    folder: Path, command: tuple[str, ...], word: str
) -> None:
    code, out, err = arena(folder, *command)

    assert (code, out) == (2, "")
    assert err == (
        "error: --debug runs a bot outside every sandbox, with your files; for one that you trust,"
        f" say so: {word}\n"
    )
    assert not (folder / "t.db").exists()


def test_only_a_player_of_the_match_can_be_debugged(folder: Path) -> None:
    command = ("match", "./slow", "greedy", "--game", "pente", "--db", "n.db")

    code, _, err = arena(folder, *command, "--debug", "slwo")

    assert code == 2
    assert '--debug "slwo": no such player; did you mean "slow"?' in err
    assert not (folder / "n.db").exists()
