"""A person in a seat, as the person types: `arena play` with its input in a pipe."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from preloaded import run
from verifying import verify
from waiting import PATIENCE_S

from arena.formats.event_results import table_of
from arena.ratings.text import rate_text
from arena.results.store import Store
from arena.terminal.show import event_text
from referee.records.replay import steps


def play(folder: Path, *arguments: str, typed: str) -> tuple[int, str, str]:
    done = run(*("play", *arguments, "--db", str(folder / "p.db")), typed=typed, timeout=PATIENCE_S)
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
    assert "[" not in out.partition("\n\n")[0]
    assert "damspel: you (black Z) against random (white W)" in out
    assert "random plays" in out


def test_undo_takes_back_the_last_own_move_and_its_reply(tmp_path: Path) -> None:
    typed = "legal\nb2-b3\na1-a2\nundo\nundo\nundo\nlegal\nquit\n"
    options = ("-o", "rows=6", "-o", "cols=7", "-o", "men_rows=2", "--seat", "0")

    code, out, _ = play(tmp_path, "damspel", "random", *options, typed=typed)

    assert code == 0
    assert out.count("random plays") == 3  # the second time the first reply is shown again
    assert "you have no move to take back" in out
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


@pytest.mark.parametrize(
    "typed",
    [
        "q\n",
        "quit\n",
        "white\nquit\n",
        "white\n3\nq\n",
        "white\n3\nQUIT\n",
        "white\n3\n3\n1\nquit\n",
    ],
)
def test_quit_leaves_at_any_prompt_and_keeps_nothing(tmp_path: Path, typed: str) -> None:
    code, out, err = play(tmp_path, "damspel", "random", typed=typed)

    assert (code, err) == (0, "")
    assert out.endswith("left; nothing is kept\n")
    assert not (tmp_path / "p.db").exists()


def test_an_option_is_explained_and_asked_for_again_until_it_fits(tmp_path: Path) -> None:
    typed = "green\nwhite\n?\n3\n99\n3\n\n1\nquit\n"

    code, out, _ = play(tmp_path, "damspel", "random", typed=typed)

    assert code == 0
    assert "answer white or black (? explains, quit leaves)" in out
    assert "rows: Rows of the board, 2 to 26\nrows? [10] " in out
    assert "* Capturing is compulsory" in out  # the rules, after the question mark
    assert "cols must be 26 or less, not 99" in out
    assert "men_rows: 4 rows of men per seat do not fit on 3 rows: at most 1" in out
    assert "rows 3, cols 3, men_rows 1; ? for help" in out


@pytest.mark.parametrize(
    ("game", "typed", "played"),
    [
        ("pente", "0 0", "0,0"),
        ("damspel", "B4 A5", "b4-a5"),
        ("matchsticks", "r7 0 0", "r7:0-0"),
        ("chinese_checkers", "3 0 4 0", "3,0>4,0"),
    ],
)
def test_a_move_is_understood_as_people_type_it(
    tmp_path: Path, game: str, typed: str, played: str
) -> None:
    options = [f"-o{option}" for option in ("rows=10", "cols=10", "men_rows=4")]
    asked = options if game == "damspel" else []

    code, out, _ = play(tmp_path, game, "random", "--seat", "0", *asked, typed=f"{typed}\nquit\n")

    assert code == 0
    assert f"you play {played}" in out


def test_a_hint_is_the_move_of_a_bot_in_a_referee_of_its_own(tmp_path: Path) -> None:
    typed = "0,0\nhint\nhint random\nhint no-such-bot\nresign\n"

    code, out, err = play(tmp_path, "pente", "random", typed=typed)

    assert (code, err) == (0, "")
    assert re.search(r"^greedy would play -?\d,-?\d", out, re.MULTILINE)
    assert re.search(r"^random would play -?\d,-?\d", out, re.MULTILINE)
    assert "no hint: bot no-such-bot: this bot does not exist" in out
    assert "random wins: resignation; points you 0, random 5" in out


def test_a_persons_match_is_kept_with_its_take_backs_and_never_rated(tmp_path: Path) -> None:
    play(tmp_path, "pente", "random", typed="0,0\n0,3\nundo\nhint\nundo\n0,0\nresign\n")

    store = Store(tmp_path / "p.db")
    (event,) = store.events()
    assert event.config["person"] == {"seats": [0], "taken_back": 2, "hints": 1}
    assert rate_text(store, event) == (
        f"play (event 1, seed {event.seed})\n\nnot rated: a person played"
    )
    assert "Elo" not in event_text(store, event, table_of(store, event))


def test_the_help_has_the_rules_and_the_options(tmp_path: Path) -> None:
    _, out, _ = play(tmp_path, "matchsticks", "random", typed="?\nquit\n")

    assert "matchsticks: you (seat 0) against random (seat 1)" in out
    assert "options of this match:\n  dimension: 8\n" in out
    assert "  objectives: normal\n" in out
    assert "Matchsticks, as in the Programmer's Challenge of June 2002" in out


def test_input_that_is_no_text_is_refused_like_any_other(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "arena", "play", "pente", "random", "--db", str(tmp_path / "p.db")],
        input=b"\xff\xfe\x00\x1b[2J\nquit\n",
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0
    assert b"not legal: " in done.stdout
    assert b"\x1b" not in done.stdout
