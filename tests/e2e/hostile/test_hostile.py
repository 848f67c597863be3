"""Every hostile bot costs its own seat the match and nobody anything else."""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import pytest
import write_page
from hostile_case import Case
from hostile_runs import CASES, Outcome, Run

MAX_GROWTH = 8 << 20
HOSTILE, HONEST = 0, 1


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_hostile_bot_gets_its_verdict_and_harms_nobody(
    outcomes: Mapping[Case, Future[Outcome]], case: Case
) -> None:
    outcome = outcomes[case].result()

    for run in outcome.runs:
        check_verdict(case, run)
        check_rival(case, run)
        check_machine(run)
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
    assert run.descriptors == 0
    assert run.growth < MAX_GROWTH
    assert run.seconds < run.allowed_s


def essence(run: Run) -> Any:
    verdict = run.verdict
    faults = [(fault["seat"], fault["call"], fault["ply"]) for fault in verdict["faults"]]
    return verdict["termination"], verdict["points"], verdict["places"], faults


def test_the_page_of_faults_lists_what_is_tested() -> None:
    page = write_page.PAGE.read_text(encoding="utf-8")
    assert write_page.table_in(page) == write_page.table_of(CASES)
