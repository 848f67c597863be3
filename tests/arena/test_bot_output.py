"""The error in what a bot printed last."""

import pytest

from arena.bot_output import LAST_OUTPUT, error_line, last_lines


@pytest.mark.parametrize(
    ("output", "error"),
    [
        ("ply 4\nTraceback:\n  File main.py\nKeyError: 'v'\n", "KeyError: 'v'"),
        (
            "arena_bot: move 71: java.lang.Error: no board\n\tat Bot.onMove(Bot.java:9)",
            "java.lang.Error: no board",
        ),
        ("TypeError: x is undefined\n    at onMove (main.mjs:9:4)\n", "TypeError: x is undefined"),
        (
            "thread 'main' panicked at a.rs:4:\nno move is left\nnote: run with `RUST_BACKTRACE=1`",
            "no move is left",
        ),
        ("panic: no move\n\ngoroutine 7 [running]:\nmain.f()\n\tmain.go:4\n", "panic: no move"),
        ("    all is indented\n", "all is indented"),
        ("\n \n", ""),
    ],
)
def test_the_error_in_an_output_is_found_above_its_stack(output: str, error: str) -> None:
    assert error_line(output) == error


def test_the_last_lines_are_indented_and_few() -> None:
    printed = "\n".join(f"line {number}" for number in range(30))

    assert last_lines(printed, 2) == [LAST_OUTPUT, "    line 28", "    line 29"]
    assert len(last_lines(printed)) == 21
    assert last_lines(" \n") == []
