"""The error in what a bot printed last."""

import pytest

from arena.bot_output import LAST_OUTPUT, error_line, last_lines, refusals


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


NO_NETWORK = "a sandboxed bot has no network; what it needs must be in its folder"


@pytest.mark.parametrize(
    "output",
    [
        "urllib.error.URLError: <urlopen error [Errno 1] Operation not permitted>",
        "socket.gaierror: [Errno -3] Temporary failure in name resolution",
        "socket.py, line 232\nPermissionError: [Errno 1] Operation not permitted",
        "panic: dial tcp 1.2.3.4:80: socket: operation not permitted",
        "Error: connect EPERM 1.2.3.4:80 - Local (0.0.0.0:0)",
        "Exception in thread main java.net.SocketException: Operation not permitted",
        'Os { code: 101, kind: NetworkUnreachable, message: "Network is unreachable" }',
    ],
)
def test_a_refused_network_has_one_sentence(output: str) -> None:
    assert list(refusals(output)) == [NO_NETWORK]


@pytest.mark.parametrize(
    "output",
    [
        "FileNotFoundError: [Errno 2] No such file or directory: '/home/emma/book.txt'",
        "PermissionError: [Errno 13] Permission denied: '/home/emma/book.txt'",
        "panic: open /home/emma/book.txt: no such file or directory",
        "Error: ENOENT: no such file or directory, open '/home/emma/book.txt'",
        "java.nio.file.NoSuchFileException: /home/emma/book.txt",
        "java.io.FileNotFoundException: /home/emma/book.txt (No such file or directory)",
    ],
)
def test_a_path_from_elsewhere_has_one_sentence(output: str) -> None:
    (hint,) = refusals(f"first\n{output}\n{output}")

    assert ", not /home/emma/book.txt: use relative paths, and name files" in hint


@pytest.mark.parametrize(
    "output",
    [
        "",
        "IndexError: list index out of range",
        "Operation not permitted",
        'File "/home/emma/main.py", line 3, in on_move',
        "FileNotFoundError: [Errno 2] No such file or directory: 'weights.bin'",
        "cannot open /usr/lib/libx.so: No such file or directory",
        "socket " * 1000 + "/home/emma",
        "ruby: timer_create failed: Operation not permitted\narena_bot: the connection is closed",
    ],
)
def test_other_errors_are_no_refusal(output: str) -> None:
    assert not list(refusals(output))
