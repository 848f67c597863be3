"""Bots that do not work: they stop an event, are left out of it, or forfeit their matches."""

import json
import os
import signal
from csv import reader
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from course import NAMES, Class, open_store
from events import first_wins

from arena.errors import ConfigError, PreflightError
from arena.formats.event_results import table_of
from arena.reports.export import export_standings
from arena.reports.reporting import ReportFiles
from arena.results.queries import find_event
from arena.terminal.show import event_text
from referee.job import Job
from referee.records.match_end import MatchEnd


def break_build(course: Class, name: str) -> None:
    """Submit a bot that does not compile, and tries to forge a table in the report."""
    course.submit(name, "broken")
    build = "echo 'bot.c:3: error: | forged | \\033[2J'; exit 1"
    (course.folder / name / "bot.yaml").write_text(
        f"build: [sh, -c, {json.dumps(build)}]\nrun: [./bot]\n"
    )


def test_a_broken_bot_stops_the_event_and_the_way_on_is_named(course: Class) -> None:
    break_build(course, "bob")

    with pytest.raises(ConfigError, match="--skip-broken plays without it"):
        course.play()


@pytest.mark.parametrize(("folder", "name"), [("O'Brien", "OBrien"), ("'", "bot-265fda17")])
def test_a_broken_bot_in_a_folder_with_the_name_of_no_bot_is_left_out(
    course: Class, folder: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (course.folder / "bob").rename(course.folder / folder)
    (course.folder / folder / "bot.yaml").write_text("rum: [./bot]\n")
    course.config("ann", folder, "cat")

    assert course.play(skip_broken=True) == 0

    assert course.rows() == {"ann": 2, "cat": 2}
    assert f"LEFT OUT: {name}: " in capsys.readouterr().out


@pytest.mark.parametrize("way", ["option", "config"])
def test_a_bot_that_does_not_compile_is_left_out_with_the_last_lines_of_its_compiler(
    course: Class, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    break_build(course, "bob")
    if way == "config":
        course.config(more="broken: leave_out\n")

    reports = ReportFiles("tournament", json=Path("cup.json"), summary=Path("cup.md"))
    assert course.play(skip_broken=way == "option", reports=reports) == 0

    assert course.rows() == {"ann": 4, "cat": 4, "dan": 4}
    out, err = capsys.readouterr()
    short = out.partition("did not play:\n")[2].splitlines()
    assert short[0].startswith("  LEFT OUT: bob: its build ended with exit code 1: sh -c ")
    assert short[1] == ""
    assert short[-1] == "bots that did not play, explained by: arena show 1"
    with open_store() as store:
        event = find_event(store, "1")
        shown = event_text(store, event, table_of(store, event))
    for text in (
        shown,
        err,
        json.loads(Path("cup.json").read_text())["notes"]["bots that did not play"],
    ):
        assert "LEFT OUT: bob: its build" in text
        assert "bot.c:3: error: | forged |" in text
        assert "\033" not in text
    assert "bot.c:3: error: | forged |" in Path("cup.md").read_text().partition("<pre>")[2]

    course.submit("bob", "mended")
    assert course.play() == 0
    assert course.rows() == dict.fromkeys(NAMES, 6)
    with open_store() as store:
        assert store.broken(1) == {}


def test_a_bot_with_an_invalid_file_is_left_out_and_a_wrong_path_is_not(course: Class) -> None:
    (course.folder / "bob" / "bot.yaml").write_text("run: [./bot]\nfoo: 1\n")
    (course.folder / "cat" / "bot.yaml").write_text("games: [damspel]\nrun: [./bot]\n")
    (course.folder / "dan" / "bot.yaml").unlink()
    course.config(*NAMES, "eve")

    assert course.play(skip_broken=True) == 0

    assert course.rows() == {"ann": 2, "eve": 2}
    with open_store() as store:
        details = store.broken(1)
        export_standings(store, find_event(store, "1"), csv := StringIO())
    rows = list(reader(StringIO(csv.getvalue())))
    assert [row[1] for row in rows] == ["bot", "ann", "eve", "bob", "cat", "dan"]
    assert [row for row in rows if len(row) != len(rows[0])] == []
    reasons = {row[1]: row[-1] for row in rows}
    assert reasons["bot"] == "reason"
    assert reasons["ann"] == reasons["eve"] == ""
    assert reasons["bob"].startswith("LEFT OUT: bob: bot ./bob cannot be read: ")
    assert 'unknown key "foo"; known: name, ' in reasons["bob"]
    assert reasons["cat"].startswith("LEFT OUT: cat: bot cat does not play pente; it plays damspel")
    assert reasons["dan"].startswith("LEFT OUT: dan: ")
    assert 'unknown key "foo"' in details["bob"]
    assert "does not play pente" in details["cat"]
    assert "has no bot.yaml" in details["dan"]
    course.config(*NAMES, "evi")
    with pytest.raises(ConfigError, match="evi"):
        course.play(skip_broken=True)


def test_a_broken_bot_can_forfeit_and_plays_once_it_is_mended(course: Class) -> None:
    break_build(course, "bob")
    course.config(more="broken: forfeit\n")

    assert course.play() == 0

    assert course.rows() == dict.fromkeys(NAMES, 6)
    assert not any("bob" in key for key in course.begun)
    with open_store() as store:
        table = table_of(store, find_event(store, "1"))
        assert store.withdrawals(1) == {"bob": "a failed build"}
        reasons = {row.reason for row in store.matches(1) if "bob" in row.key}
    assert reasons == {"bob: withdrawn after a failed build"}
    assert (table.rows["bob"].unplayed, table.rows["bob"].losses) == (6, 6)
    assert course.play() == 0
    assert course.begun == []

    course.submit("bob", "mended")
    assert course.refusal()[1] == "bob has changed: 6 matches set aside"
    assert course.play(may_update=True) == 0
    assert len(course.begun) == 6
    with open_store() as store:
        assert store.withdrawals(1) == store.broken(1) == {}


def test_a_bot_that_fails_the_preflight_is_left_out(
    course: Class, capsys: pytest.CaptureFixture[str]
) -> None:
    course.faulty = {"bob"}

    with pytest.raises(PreflightError, match="bob: crash"):
        course.play()
    assert course.play(skip_broken=True) == 0

    assert course.rows() == {"ann": 4, "cat": 4, "dan": 4}
    out, err = capsys.readouterr()
    assert "LEFT OUT: bob: crash: KeyError: 1\n" in out
    assert "LEFT OUT: bob: crash" in err
    assert err.count("cup: event 1 in") == 1  # of the event that is played


def test_a_bot_that_fails_the_preflight_forfeits(course: Class) -> None:
    course.faulty = {"bob"}
    course.config(more="broken: forfeit\n")

    assert course.play() == 0

    assert not any("bob" in key for key in course.begun)
    with open_store() as store:
        assert store.withdrawals(1) == {"bob": "a failed preflight"}
        assert "bob: crash" in store.broken(1)["bob"]


@pytest.mark.parametrize("options", [{"skip_broken": True}, {}])
def test_a_new_version_that_fails_the_preflight_changes_nothing(
    course: Class, options: dict[str, Any]
) -> None:
    course.play()
    before = course.rows()
    course.submit("bob", "second")
    course.faulty = {"bob"}

    if options:
        assert course.play(may_update=True, **options) == 0
    else:
        with pytest.raises(PreflightError):
            course.play(may_update=True)

    assert course.rows() == before
    assert course.earlier() == []
    assert course.begun == []


def test_a_new_version_is_not_tested_without_the_preflight(course: Class) -> None:
    course.play()
    course.submit("bob", "second")
    course.faulty = {"bob"}

    assert course.play(may_update=True, has_preflight=False) == 0

    assert len(course.begun) == 6


@pytest.mark.parametrize(
    ("settings", "withdrawals"),
    [("format: swiss\nrounds: 2\n", {"bob": "a failed preflight"}), ("", {})],
    ids=["matches depend on it", "matches do not depend on it"],
)
def test_a_bot_broken_in_a_begun_event_forfeits_if_other_matches_depend_on_it(
    course: Class, settings: str, withdrawals: dict[str, str]
) -> None:
    def interrupt(job: Job) -> MatchEnd:
        os.kill(os.getpid(), signal.SIGINT)
        return first_wins(job)

    course.config(more=f"broken: leave_out\n{settings}")
    assert course.play(interrupt) == 130
    course.faulty = {"bob"}

    assert course.play() == 0

    with open_store() as store:
        assert store.withdrawals(1) == withdrawals


def test_a_bot_that_forfeits_since_the_preflight_hides_no_other_broken_bot(course: Class) -> None:
    break_build(course, "bob")
    course.config(more="broken: leave_out\nformat: swiss\nrounds: 2\n")

    def interrupt(job: Job) -> MatchEnd:
        os.kill(os.getpid(), signal.SIGINT)
        return first_wins(job)

    assert course.play(interrupt) == 130
    course.faulty = {"cat"}

    assert course.play() == 0

    with open_store() as store:
        assert store.withdrawals(1) == {"cat": "a failed preflight"}
        assert store.broken(1)["bob"].startswith("LEFT OUT: bob: its build ended")
        assert store.broken(1)["cat"].startswith("cat: crash")


def test_a_new_event_without_a_broken_bot_does_not_resume_the_last_one(course: Class) -> None:
    course.play()
    course.faulty = {"bob"}

    assert course.play(is_new=True, skip_broken=True) == 0

    assert len(course.begun) == 6
    with open_store() as store:
        assert [len(store.keys(event.id)) for event in store.events()] == [12, 6]


@pytest.mark.parametrize("faulty", [NAMES, NAMES[1:]], ids=["all", "all but one"])
@pytest.mark.parametrize("way", ["build", "preflight"])
def test_an_event_without_enough_bots_is_stored_with_the_reasons(
    course: Class, way: str, faulty: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    if way == "build":
        for name in faulty:
            break_build(course, name)
    course.faulty = set(faulty)
    reports = ReportFiles("tournament", json=Path("cup.json"))

    for _ in range(2):  # the second night too
        assert course.play(skip_broken=True, reports=reports) == 3
        assert f"; {len(faulty)} bots did not work" in capsys.readouterr().err
        with open_store() as store:
            assert set(store.broken(1)) == set(faulty)
            assert len(list(store.events())) == 1
            export_standings(store, find_event(store, "1"), csv := StringIO())
        reasons = {row[1]: row[-1] for row in reader(StringIO(csv.getvalue()))}
        assert all(reasons[name].startswith(f"LEFT OUT: {name}: ") for name in faulty)
        notes = json.loads(Path("cup.json").read_text())["notes"]
        assert "LEFT OUT: bob" in notes["bots that did not play"]

    for name in NAMES:
        course.submit(name, "mended")
    course.faulty = set()
    assert course.play(skip_broken=True) == 0
    assert course.rows() == dict.fromkeys(NAMES, 6)


def test_a_table_stays_once_no_bot_works_any_more(course: Class) -> None:
    assert course.play() == 0
    for name in NAMES:
        break_build(course, name)

    assert course.play(skip_broken=True, may_update=True) == 3

    assert course.rows() == dict.fromkeys(NAMES, 6)
    with open_store() as store:
        assert set(store.broken(1)) == set(NAMES)
