"""Bots that failed the preflight of the last run: an unchanged one is neither tested nor new."""

from dataclasses import replace
from typing import Any

import pytest
from course import NAMES, Class, open_store

from arena.config.loading import load_config
from arena.errors import PreflightError
from arena.event.resume.left_out import failed_now, left_out_before
from arena.event.resume.players import prepare_players
from referee.job import Player

NIGHT: dict[str, Any] = {"skip_broken": True, "may_update": True}


@pytest.fixture
def night(course: Class) -> Class:
    """Return a course after a first night without bob, whose bot breaks the rules."""
    course.faulty = {"bob"}
    assert course.play(**NIGHT) == 0
    assert course.tested == set(NAMES)
    return course


def broken() -> dict[str, str]:
    with open_store() as store:
        return store.broken(1)


def test_an_unchanged_bot_keeps_its_reason_without_a_test(
    night: Class, capsys: pytest.CaptureFixture[str]
) -> None:
    before = broken()
    capsys.readouterr()

    for _ in range(2):
        assert night.play(**NIGHT) == 0
        assert night.tested == set()
        assert night.begun == []
        assert broken() == before
        out, err = capsys.readouterr()
        assert "LEFT OUT: bob: crash" in out
        assert "LEFT OUT: bob: crash" in err
        assert "not tested again, since they are unchanged: bob" in err


def test_a_changed_bot_is_tested(night: Class) -> None:
    night.submit("bob", "second")
    assert night.play(**NIGHT) == 0
    assert night.tested == {"bob"}
    assert night.play(**NIGHT) == 0
    assert night.tested == set()

    night.submit("bob", "third")
    night.faulty = set()
    assert night.play(**NIGHT) == 0

    assert night.rows() == dict.fromkeys(NAMES, 6)
    assert broken() == {}


@pytest.mark.parametrize("terms", ["time: {per_move: 9s}\n", "limits: {memory: 1GB}\n"])
def test_under_other_limits_an_unchanged_bot_is_tested(night: Class, terms: str) -> None:
    night.config(more=terms)
    night.faulty = set()

    assert night.play(**NIGHT) == 0

    assert "bob" in night.tested
    assert night.rows() == dict.fromkeys(NAMES, 6)


@pytest.mark.parametrize(("scratch", "lasting"), [(None, ["bob"]), ("/scratch/bob", [])])
@pytest.mark.usefixtures("night")
def test_a_bot_that_has_got_a_scratch_folder_is_tested(
    scratch: str | None, lasting: list[str]
) -> None:
    config = load_config("cup.yaml", skip_broken=True)
    players, _ = prepare_players(config, skip_missing=False)
    players["bob"] = replace(players["bob"], scratch=scratch)

    with open_store() as store:
        before = left_out_before(store, config, players, is_new=False)

    assert [bot.player for bot in before.lasting] == lasting
    assert before.doubtful == []


def test_other_bots_that_come_and_go_change_no_test(night: Class) -> None:
    night.config("ann", "bob", "dan", "eve")

    assert night.play(**NIGHT) == 0

    assert night.tested == {"ann", "dan", "eve"}


def test_a_bot_that_the_machine_may_have_failed_is_tested_again(course: Class) -> None:
    course.faulty = course.doubtful = {"bob"}
    assert course.play(**NIGHT) == 0
    assert course.play(**NIGHT) == 0
    assert course.tested == {"bob"}

    course.faulty = set()
    assert course.play(**NIGHT) == 0

    assert course.rows() == dict.fromkeys(NAMES, 6)


@pytest.mark.parametrize("is_doubtful", [True, False])
def test_an_unchanged_bot_is_not_new_in_a_refusal(course: Class, *, is_doubtful: bool) -> None:
    course.faulty = {"bob", "cat"}
    course.doubtful = course.faulty if is_doubtful else set()
    course.config(more="broken: leave_out\n")
    assert course.play(may_update=True) == 0
    course.submit("ann", "second")

    lines = course.refusal()

    assert lines[1:3] == [
        "ann has changed: 2 matches set aside",
        "2 of 2 finished matches set aside (kept, shown as ann@1), 2 matches to play",
    ]


@pytest.mark.parametrize("is_doubtful", [True, False])
def test_an_unchanged_version_that_failed_is_no_change(course: Class, *, is_doubtful: bool) -> None:
    assert course.play() == 0
    rows = course.rows()
    course.submit("bob", "second")
    course.faulty = {"bob"}
    course.doubtful = course.faulty if is_doubtful else set()
    course.config(more="broken: leave_out\n")
    assert course.play(may_update=True) == 0

    assert course.play() == 0  # without --update

    assert course.rows() == rows
    assert "LEFT OUT: bob" in broken()["bob"]


@pytest.mark.parametrize("options", [{}, {"has_preflight": False}])
def test_a_run_that_stops_for_broken_bots_tests_all_again(
    night: Class, options: dict[str, Any]
) -> None:
    if options:
        assert night.play(**NIGHT, **options) == 0
        assert night.rows() == dict.fromkeys(NAMES, 6)
        return
    with pytest.raises(PreflightError, match="bob: crash"):
        night.play()
    assert night.tested == {"bob"}
    night.faulty = set()

    assert night.play(**NIGHT) == 0

    assert night.rows() == dict.fromkeys(NAMES, 6)


def test_a_new_event_tests_all_bots(night: Class) -> None:
    assert night.play(is_new=True, skip_broken=True) == 0

    assert night.tested == set(NAMES)


@pytest.mark.parametrize(("content", "is_lasting"), [("remote:c", False), ("c", True)])
@pytest.mark.usefixtures("course")
def test_a_remote_bot_is_tested_again(content: str, *, is_lasting: bool) -> None:
    bob = Player(name="bob", argv=(), folder="", content=content)
    error = PreflightError({"bob": "crash"}, {"bob"})

    (failed,) = failed_now(load_config("cup.yaml"), {"bob": bob}, error)

    assert failed.test is not None
    assert failed.test.is_lasting == is_lasting
