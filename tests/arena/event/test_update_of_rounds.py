"""Updates of events whose later matches follow from results: swiss, knockout, ladder."""

import pytest
from course import Class, KilledError, alphabetical, names, open_store

from arena.config.formats import has_py4swiss
from referee.job import Job
from referee.records.match_end import MatchEnd


@pytest.mark.parametrize("format_", ["swiss", "knockout"])
def test_rounds_that_follow_from_a_match_set_aside_are_set_aside_too(
    course: Class, format_: str
) -> None:
    if format_ == "swiss" and not has_py4swiss():
        pytest.skip("needs py4swiss")
    course.config(more=f"format: {format_}\n")
    course.play(alphabetical)
    with open_store() as store:
        table = [(row.key, names(row)) for row in store.matches(1)]
    course.submit("ann", "second")

    assert course.play(alphabetical, may_update=True) == 0

    first = {key for key, _ in table[:4] if "ann" in key}
    assert len(first) == 2
    untouched = [key for key, _ in table[:4] if key not in first]
    assert not set(course.begun) & set(untouched)
    assert set(course.begun) == {key for key, _ in table} - set(untouched)
    with open_store() as store:
        assert sorted((row.key, names(row)) for row in store.matches(1)) == sorted(table)


@pytest.mark.parametrize("format_", ["swiss", "knockout"])
def test_a_bot_removed_from_rounds_is_withdrawn_and_its_results_stay(
    course: Class, format_: str
) -> None:
    if format_ == "swiss" and not has_py4swiss():
        pytest.skip("needs py4swiss")
    more = f"format: {format_}\n" + ("rounds: 2\n" if format_ == "swiss" else "")
    course.config(more=more)

    def kill_in_round_2(job: Job) -> MatchEnd:
        if len(course.begun) > 4:
            raise KilledError
        return alphabetical(job)

    with pytest.raises(KilledError):
        course.play(kill_in_round_2)
    course.config("bob", "cat", "dan", more=more)

    assert course.refusal()[1] == (
        "ann is gone: withdrawn; its finished matches still count, since later pairings follow from"
        " them, and it forfeits the others"
    )
    assert course.play(alphabetical, may_update=True) == 0
    assert not any("ann" in key for key in course.begun)
    with open_store() as store:
        assert store.withdrawals(1) == {"ann": "its removal"}
        assert list(store.earlier_matches(1)) == []
        forfeits = [row for row in store.matches(1) if row.termination == "no_show"]
        assert ["ann" in row.key for row in forfeits] == [True, True]
    assert course.play(alphabetical) == 0
    assert course.begun == []

    course.config(more=more)
    assert course.refusal()[1] == "ann is back"
    assert course.play(alphabetical, may_update=True) == 0
    assert len([key for key in course.begun if "ann" in key]) == 2


def test_a_ladder_keeps_all_matches_of_unchanged_bots(course: Class) -> None:
    course.config(more="format: ladder\nmatches: 40\n")
    course.play(alphabetical)
    with open_store() as store:
        before = {row.id for row in store.matches(1) if "bob" not in row.key}
    course.submit("bob", "second")

    assert course.play(alphabetical, may_update=True) == 0

    with open_store() as store:
        assert before <= {row.id for row in store.matches(1)}
        assert all("bob@1" in names(row) for row in store.earlier_matches(1))
