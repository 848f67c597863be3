"""The end of a command: at once, but after everything that a normal end of Python does."""

import subprocess
import sys

import pytest

COMMAND = """
import atexit, sys, threading
from arena import cli
atexit.register(print, "at exit", end="")
cli.main = lambda: {main}
cli.run()
"""
RAISING = """
import errno, os
from arena import cli
def run(): raise {}
cli._run_application = run
cli.run()
"""
RULES = """
from arena import cli
from referee.games.pente import Pente
def turn(self, state): raise KeyError(state)
Pente.turn = turn
cli._run_application = lambda: Pente().turn(7)
cli.run()
"""
BROKEN = """
from arena import cli
from referee.rules import BrokenRulesError
def run(): raise BrokenRulesError("`turn` is 2")
cli._run_application = run
cli.run()
"""


def ran(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize(
    ("main", "code", "said"),
    [
        ("print('done', end=' ')", 0, "done at exit"),
        ("sys.exit(3)", 3, "at exit"),
        ("sys.exit()", 0, "at exit"),
        ("sys.exit('why')", 1, "at exit"),
        ("threading.Timer(0.05, print, ['thread'], {'end': ' '}).start()", 0, "thread at exit"),
    ],
)
def test_the_end_of_a_command_leaves_nothing_undone(main: str, code: int, said: str) -> None:
    done = ran(COMMAND.format(main=main))

    assert (done.returncode, done.stdout) == (code, said)
    assert done.stderr == ("why\n" if "why" in main else "")


def test_the_text_of_an_internal_error_does_not_act_on_the_terminal() -> None:
    done = ran(RAISING.format("ValueError('\\x1b]52;c;eA==\\x07 \\u202e')"))

    assert done.returncode == 5
    assert "ValueError: \\x1b]52;c;eA==\\x07 \\u202e\n" in done.stderr
    assert not set(done.stderr) & {"\x1b", "\x07", "\u202e"}


def test_an_error_of_the_rules_names_the_game() -> None:
    done = ran(RULES)

    assert done.returncode == 5
    said = " ".join(done.stderr.split())
    assert "error: the rules of the game pente raised KeyError: 7 (<string>, line " in said
    assert said.endswith("), see above; finished matches are kept")


def test_a_contradiction_of_the_rules_is_no_internal_error() -> None:
    done = ran(BROKEN)

    assert done.returncode == 5
    said = "error: the rules of the game contradict themselves: `turn` is 2, see above; finished"
    assert said in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("code", "detail"),
    [
        ("ENOSPC", "the machine lacks resources: /tmp/b: No space left on device"),
        ("EIO", "a disk fails: /tmp/b: Input/output error"),
    ],
)
def test_a_machine_without_resources_is_no_internal_error(code: str, detail: str) -> None:
    done = ran(RAISING.format(f"OSError(errno.{code}, os.strerror(errno.{code}), '/tmp/b')"))

    assert done.returncode == 5
    assert " ".join(done.stderr.split()) == f"error: {detail}; finished matches are kept"
