"""`arena count` as a command."""

import pytest
from preloaded import run
from waiting import PATIENCE_S


def count(*arguments: str) -> tuple[int, str, str]:
    done = run("count", *arguments, timeout=PATIENCE_S)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (("damspel", "--rows", "3", "--cols", "3", "--men-rows", "1"), "24\n"),
        (("damspel", "-o", "rows=4", "--cols=4", "--men-rows=1"), "10927\n"),
        (("damspel", "--rows=4", "--cols=4", "--men-rows=2"), "33063\n"),
        (("damspel", "--depth", "3"), "1 29\n2 841\n3 24704\n"),
        (("chinese_checkers", "--game-size=4", "--seats=3", "--depth=2"), "1 14\n2 196\n"),
        (("matchsticks", "--dimension=2", "--hole-fraction=0.0", "--depth=1"), "1 8\n"),
    ],
)
def test_the_numbers_of_the_references_are_printed(
    arguments: tuple[str, ...], printed: str
) -> None:
    assert count(*arguments) == (0, printed, "")


def test_moves_lead_to_the_position_that_is_counted() -> None:
    board = ("damspel", "--rows=3", "--cols=3", "--men-rows=1")

    _, after, _ = count(*board, "--moves", "a1-a2")
    _, other, _ = count(*board, "--moves", "a1-b2")

    assert 2 * (int(after) + int(other)) == 24  # the board is its own mirror image


def test_a_wrong_move_is_named_with_its_number() -> None:
    code, _, err = count(
        "damspel", "--rows=3", "--cols=3", "--men-rows=1", "--moves", "a1-a2 b9-b8"
    )

    assert code == 2
    assert "move 2, b9-b8" in err


def test_a_count_out_of_memory_reports_its_progress() -> None:
    code, out, err = count("damspel", "--rows=6", "--cols=6", "--men-rows=1", "--memory", "60MB")

    assert (code, out) == (4, "")
    assert "memory limit of 60 MB" in err
    assert "at least" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("damspl",), 'did you mean "damspel"?'),
        (("damspel", "--rows=99"), "rows"),
        (("damspel", "--wide=3"), 'no option "wide"'),
        (("damspel", "--rows"), "--rows needs a value"),
        (("damspel", "--memory", "lots"), "must be a size with its unit"),
    ],
)
def test_invalid_arguments_are_refused(arguments: tuple[str, ...], said: str) -> None:
    code, _, err = count(*arguments)

    assert code == 2
    assert said in err
