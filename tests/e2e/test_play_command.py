"""A person in a seat, as the person types: `arena play` with its input in a pipe."""

import subprocess
import sys
from pathlib import Path

from arena.results.store import Store
from referee.replay import steps, verify


def play(folder: Path, *arguments: str, typed: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "arena", "play", *arguments, "--db", str(folder / "p.db")],
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_damspel_prompts_as_in_the_exercise_and_accepts_moves(tmp_path: Path) -> None:
    typed = "white\n3\n3\n1\nlegal\na1-a9\na1-a2\nquit\n"

    code, out, err = play(tmp_path, "damspel", "random", typed=typed)

    assert (code, err) == (0, "")
    assert "white or black?" in out
    assert "rows? [10]" in out
    assert "cols? [10]" in out
    assert "men rows? [4]" in out
    assert "      a  b  c\n   3  Z  .  Z\n   2  .  .  .\n   1  W  .  W" in out
    assert {"a1-a2", "a1-b2", "c1-b2", "c1-c2"} in [set(line.split()) for line in out.splitlines()]
    assert "not legal: a1-a9: off the board" in out
    assert "random plays" in out


def test_given_options_and_seats_are_not_asked_for(tmp_path: Path) -> None:
    options = ("-o", "rows=3", "-o", "cols=3", "-o", "men_rows=1", "--seat", "1")

    code, out, _ = play(tmp_path, "damspel", "random", *options, typed="quit\n")

    assert code == 0
    assert "?" not in out.partition("your move")[0]
    assert "you are you, seat 1 of 2" in out
    assert "random plays" in out


def test_undo_takes_back_the_last_own_move_and_its_reply(tmp_path: Path) -> None:
    typed = "legal\nb2-b3\na1-a2\nundo\nundo\nundo\nlegal\nquit\n"
    options = ("-o", "rows=6", "-o", "cols=7", "-o", "men_rows=2", "--seat", "0")

    code, out, _ = play(tmp_path, "damspel", "random", *options, typed=typed)

    assert code == 0
    assert out.count("random plays") == 2
    assert "there is no move of yours to take back" in out
    at_start = [line for line in out.splitlines() if line.startswith("b2-a3 d2-c3")]
    assert len(at_start) == 2


def test_a_finished_match_is_kept_and_replays(tmp_path: Path) -> None:
    code, out, _ = play(tmp_path, "pente", "random", typed="0,0\nresign\n")

    assert code == 0
    assert "resignation" in out
    record = Store(tmp_path / "p.db").record(1)
    verify(record)
    assert [step.ply for step in steps(record.job, record.calls)] == [0, 1, 2, 2]
    assert record.verdict.points == (0, 5)
    assert record.job.players[0].name == "you"


def test_after_undo_the_bot_gets_a_new_init_with_the_history(tmp_path: Path) -> None:
    code, _, _ = play(tmp_path, "pente", "random", typed="0,0\n0,3\nundo\n0,4\nresign\n")

    assert code == 0
    record = Store(tmp_path / "p.db").record(1)
    verify(record)
    assert [entry["seat"] for entry in record.job.history] == [0, 1]
    own = [call.move for call in record.calls if call.seat == 0 and call.move is not None]
    assert own == [{"v": 0, "h": 4}]


def test_one_seat_games_are_played_alone(tmp_path: Path) -> None:
    options = ("-o", "rows=4", "-o", "cols=4", "-o", "display=check")

    code, out, _ = play(tmp_path, "down_n_out", *options, typed="done\n")

    assert code == 0
    assert "the bot was done" in out or "done" in out


def test_the_continuations_can_be_asked_for(tmp_path: Path) -> None:
    options = ("-o", "rows=3", "-o", "cols=3", "-o", "men_rows=1", "--seat", "0")

    _, out, _ = play(tmp_path, "damspel", "random", *options, typed="count\nquit\n")

    assert "24 games can follow" in out


def test_the_end_of_the_input_ends_the_match(tmp_path: Path) -> None:
    code, _, err = play(tmp_path, "pente", "random", typed="0,0\n")

    assert (code, err) == (0, "")


def test_too_many_players_are_refused_by_name_of_the_game(tmp_path: Path) -> None:
    code, _, err = play(tmp_path, "pente", "random", "random", typed="")

    assert code == 2
    assert "pente has 2 seats" in err
