"""The command wherever it is started from: no output, or a full one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]


def arena(
    *arguments: str,
    cwd: Path = ROOT,
    stdout: Any = subprocess.PIPE,
    closed: tuple[int, ...] = (),
    unbuffered: str = "",
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
        stdout=stdout,
        stderr=subprocess.PIPE,
        preexec_fn=_closing(closed),
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def _closing(descriptors: tuple[int, ...]) -> Callable[[], None]:
    def close() -> None:
        for descriptor in descriptors:
            os.close(descriptor)

    return close


@pytest.mark.parametrize("closed", [(0,), (2,), (0, 2)])
def test_a_closed_stream_is_tolerated(closed: tuple[int, ...]) -> None:
    assert arena("games", closed=closed).returncode == 0


@pytest.mark.parametrize("words", ["games", "--version", "help match", "schema"])
@pytest.mark.parametrize("closed", [(1,), (0, 1), (0, 1, 2)])
def test_an_output_that_is_lost_is_reported(words: str, closed: tuple[int, ...]) -> None:
    done = arena(*words.split(), closed=closed)

    said = "" if 2 in closed else "error: the output cannot be written: stdout is closed\n"
    assert (done.returncode, done.stderr) == (5, said)


def test_an_output_that_can_only_be_read_is_reported() -> None:
    with Path(os.devnull).open() as unwritable:
        assert arena("games", stdout=unwritable).returncode == 5


def test_the_exit_code_is_the_same_with_closed_streams(tmp_path: Path) -> None:
    assert arena("show", cwd=tmp_path, closed=(2,)).returncode == 2


def test_a_full_output_is_reported_in_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        done = arena("games", stdout=full)

    assert done.returncode == 5
    assert done.stderr == (
        "error: the output cannot be written: No space left on device; make room\n"
    )


def test_the_version_is_printed() -> None:
    assert arena("--version").stdout.startswith("arena ")


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["at-the-end", "while-it-writes"])
@pytest.mark.parametrize("words", ["--help", "--version", "help match", "games", "schema"])
def test_a_reader_may_leave_at_any_time(words: str, unbuffered: str) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write) as left:
        done = arena(*words.split(), stdout=left, unbuffered=unbuffered)

    assert (done.returncode, done.stderr) == (0, "")
