"""Plays the selected cases once, some side by side, and prints what was measured."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile_case import Case
from hostile_runs import CASES, Outcome, Played, Stage

LINES = pytest.StashKey[list[str]]()


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest) -> Iterator[Played]:
    """Start all selected cases; each test waits for its own.

    All is over with this module: what others test may sweep away every process below this one.
    """
    if shutil.which("cc") is None:
        if os.environ.get("CI"):
            pytest.fail("no C compiler on a CI machine")
        pytest.skip("no C compiler on this machine")
    items = request.session.items
    given = [item.callspec.params.get("case") for item in items if hasattr(item, "callspec")]
    wanted = {case for case in given if isinstance(case, Case)}
    with tempfile.TemporaryDirectory(prefix="hostile-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        stage = Stage(folder)
        futures = {
            case: stage.start(case)
            for case in CASES
            if case in wanted and stage.refusal(case) is None
        }
        try:
            yield Played(futures, {case: stage.refusal(case) for case in wanted})
        finally:
            stage.close()
            played = {
                case: future.result()
                for case, future in futures.items()
                if future.done() and not future.cancelled() and future.exception() is None
            }
            request.config.stash[LINES] = [
                _line_of(case, outcome) for case, outcome in played.items()
            ]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the lines from a worker to the process that prints them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["hostile"] = session.config.stash.get(LINES, [])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Receive the lines of a worker."""
    if lines := getattr(node, "workeroutput", {}).get("hostile"):
        node.config.stash[LINES] = lines


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a line per case: description, verdict, seconds, leftovers."""
    lines = terminalreporter.config.stash.get(LINES, [])
    if not lines:
        return
    terminalreporter.section("hostile bots")
    terminalreporter.line(
        f"{'row':>3}  {'behaviour':<58} {'verdict':<12} {'at':<5} {'s':>6} {'left':>4} {'kB':>6}"
    )
    for line in lines:
        terminalreporter.line(line)


def _line_of(case: Case, outcome: Outcome) -> str:
    run = max(outcome.runs, key=lambda run: run.seconds)
    if "record" not in run.answer:
        return f"{case.row:>3}  {case.behaviour:<58} void {run.answer['void']}"
    return (
        f"{case.row:>3}  {case.behaviour:<58} {run.verdict['termination']:<12}"
        f" {case.call or '':<5} {run.seconds:>6.2f} {len(run.left):>4} {run.growth >> 10:>6}"
    )
