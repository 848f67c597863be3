"""Every hostile bot loses its own match and harms no one else."""

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any

import promises
import pytest
import write_page
from hostile_case import Case
from hostile_runs import CASES, Played, Run

from referee.sandbox import Tier, landlock_version

MAX_GROWTH = 8 << 20
HOSTILE, HONEST = 0, 1
IS_ROOT = os.geteuid() == 0
OF_OTHERS = {"read files", "change files", "change shared memory", "see rooms", "see tokens",
             "open memory", "trace", "limit", "slow down", "connect by TCP",
             "send by UDP"}  # fmt: skip
"""Accesses denied to bots in namespaces or Landlock on every kernel."""
BY_NEWER_KERNELS = {"signal", "connect by name"}
"""Accesses denied by Landlock from its sixth version on."""
EVERYTHING = OF_OTHERS | BY_NEWER_KERNELS | {"change its own program", "see command lines"}
DENIED: Mapping[Tier, set[str]] = {
    "namespaces": EVERYTHING,
    "landlock": OF_OTHERS
    | {"change its own program"}
    | (BY_NEWER_KERNELS if landlock_version() >= 6 else set()),
    "limits": {"change its own program", "see rooms"} if IS_ROOT else set(),
    "none": set(),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_hostile_bot_gets_its_verdict_and_harms_no_one(outcomes: Played, case: Case) -> None:
    if reason := outcomes.refusals[case]:
        pytest.skip(reason)
    outcome = outcomes[case]

    for run in outcome.runs:
        check_verdict(case, run)
        check_rival(case, run)
        check_machine(run)
        if case.bot == "pries":
            check_denied(case, run)
    # On a busy machine a process that stands by may come after the first count, so one of the
    # matches may end with one more; there are fewer if fewer stand by, after a match of one.
    assert min(run.descriptors for run in outcome.runs) <= 0
    first, second = (essence(run) for run in outcome.runs)
    assert first == second, "the same input has the same verdict"
    assert outcome.next_match["record"]["verdict"]["termination"] == "normal"
    assert outcome.next_match["record"]["verdict"]["faults"] == []


def check_verdict(case: Case, run: Run) -> None:
    verdict = run.verdict
    assert verdict["termination"] == case.ends, verdict
    faults = [fault for fault in verdict["faults"] if fault["seat"] == HOSTILE]
    assert bool(faults) == case.is_fault, verdict
    for fault in faults:
        assert fault["call"] == case.call
        assert case.says in fault["detail"]
        assert len(fault["detail"]) <= 1000
    own = [call for call in run.record["calls"] if call["seat"] == HOSTILE and "move" in call]
    if case.is_fault and case.rival != "nobody":
        assert len(own) == case.stands
    for name, expected in case.seat.items():
        check_fact(run.record["seats"][HOSTILE][name], expected)


def check_fact(found: Any, expected: Any) -> None:
    if isinstance(expected, int):
        assert found >= expected
    else:
        assert expected in (found or "")


def check_denied(case: Case, run: Run) -> None:
    """The prying bot is denied exactly the accesses refused by its tier."""
    said = run.record["seats"][HOSTILE]["output_tail"].strip().removeprefix("could: ")
    could = set(said.split(", ")) - {"nothing"}
    assert could & DENIED[case.tier] == set()
    if case.tier == "none" and IS_ROOT:
        assert could == EVERYTHING, "the attempts are such that work where nothing is denied"


def check_rival(case: Case, run: Run) -> None:
    """Whoever sits opposite has played on to its Term and lost nothing by another's fault."""
    verdict = run.verdict
    if case.rival == "nobody":
        return
    if case.rival == "hostile":
        assert verdict["points"] == [0, 0]
        return
    assert [fault for fault in verdict["faults"] if fault["seat"] == HONEST] == []
    assert run.record["calls"][-1]["call"] == "term"
    terms = [call["seat"] for call in run.record["calls"] if call["call"] == "term"]
    assert HONEST in terms
    assert run.record["seats"][HONEST]["warning"] is None
    if case.is_fault or case.ends == "resignation":
        assert verdict["places"] == [2, 1]
        assert verdict["points"][HOSTILE] == 0


def check_machine(run: Run) -> None:
    assert run.left == []
    assert run.growth < MAX_GROWTH
    assert run.seconds < run.allowed_s


def essence(run: Run) -> Any:
    verdict = run.verdict
    faults = [(fault["seat"], fault["call"], fault["ply"]) for fault in verdict["faults"]]
    return verdict["termination"], verdict["points"], verdict["places"], faults


def test_the_page_of_faults_lists_what_is_tested() -> None:
    page = write_page.PAGE.read_text(encoding="utf-8")
    assert write_page.table_in(page) == write_page.table_of(CASES)
    assert write_page.promises_in(page) == promises.table_of(CASES)


def test_each_promise_is_shown_by_a_test_or_has_a_reason() -> None:
    rows = Counter(case.row for case in CASES)
    found = promises.promises()

    numbers = [promise.number for promise in found]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [promise for promise in found if not promise.shown_by(rows[promise.number])] == []
    assert [
        test for promise in found for test in promise.tests if not promises.is_there(test)
    ] == []
