"""Tunings from their command to the gate and its exit code, on slots without processes."""

import json
import os
import signal
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from events import crashed, void
from tuning import DB, Script, Tune, by_strength, peak, settings_of, tune_in, won

from arena.bots.settings import content_without_settings
from arena.commands.run_event import Run
from arena.commands.run_tune import run_tune
from arena.config.loading import load_config
from arena.errors import ConfigError, EventError
from arena.formats.event_results import table_of
from arena.pages.event_page import event_page
from arena.reports.report import PlayedEvent
from arena.reports.reporting import ReportFiles
from arena.results.store import MatchRow, Store
from arena.schedule.pairing import ScheduleError
from arena.tune.finding import finding_of
from referee.job import Job
from referee.records.match_end import MatchEnd

SHORT: Mapping[str, Any] = {"tune": {"iterations": 20}, "gate": {"elo1": 300, "cap": 40}}
CHECKERS: Mapping[str, Any] = {"game": "chinese_checkers", "options": ()}


class KilledError(Exception):
    """The process ends at once, without any ending in order."""


@pytest.fixture
def tune(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tune:
    return tune_in(tmp_path, monkeypatch)


def matches(event: int) -> list[MatchRow]:
    with closing(Store(DB)) as store:
        return list(store.matches(event))


def course(event: int = 1) -> list[tuple[str, list[Any], list[int]]]:
    """Return every match of an event with the settings of its seats and its result."""
    with closing(Store(DB)) as store:
        return sorted(
            (
                match.key,
                [tuple(player.settings) for player in store.record(match.id).job.players],
                [seat.place for seat in match.seats],
            )
            for match in store.matches(event)
        )


def test_a_better_value_is_found_and_passes_its_gate(
    tune: Tune, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tune(by_strength(peak(7, 20)), **SHORT) == 0

    printed = capsys.readouterr()
    assert "tuned bot: depth 7" in printed.out
    assert "gate PASSED: bot-tuned is strong enough against bot" in printed.out
    assert "iteration 10 of 20: depth " in printed.err
    records = course(event=2)
    assert {settings for _, seats, _ in records for ((_, settings),) in seats} == {"1", "7"}


def test_a_tuned_bot_that_is_no_better_fails(
    tune: Tune, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tune(by_strength(lambda _: 0.0), **SHORT, seed=3) in (1, 4)
    assert "gate PASSED" not in capsys.readouterr().out


def test_the_gate_of_unchanged_values_is_decided_unplayed(
    tune: Tune, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tune(by_strength(peak(1, 50)), **SHORT) == 1

    printed = capsys.readouterr().out
    assert "tuned bot: the start values stay, depth 1" in printed
    assert "gate FAILED" in printed
    assert matches(2) == []


def test_the_values_are_in_the_command_of_each_match(tune: Tune) -> None:
    seen = set()

    def play(job: Job) -> MatchEnd:
        for player in job.players:
            ((name, text),) = player.settings
            assert player.argv[-2:] == ("--depth", text)
            seen.add((name, text, player.content))
        assert len({content_without_settings(player.content) for player in job.players}) == 1
        return won(job, 0)

    tune(play, **SHORT)

    contents = {(name, text): content for name, text, content in seen}
    assert len(set(contents.values())) == len(contents) == len(seen)


def test_two_slots_and_ten_give_the_same_course(tune: Tune) -> None:
    tune(by_strength(peak(7, 20)), slots=1, **SHORT)
    one = course()
    DB.unlink()
    tune(by_strength(peak(7, 20)), slots=10, **SHORT)

    assert course() == one


@pytest.mark.parametrize("after", [0, 1, 7, 39, 45])
def test_a_killed_tuning_takes_the_same_course(tune: Tune, after: int) -> None:
    plain = by_strength(peak(7, 20))
    tune(plain, **SHORT)
    whole = course(), course(2)
    DB.unlink()
    left = after

    def dying(job: Job) -> MatchEnd:
        nonlocal left
        if left == 0:
            raise KilledError
        left -= 1
        return plain(job)

    with pytest.raises(KilledError):
        tune(dying, **SHORT)
    tune(plain, **SHORT)

    assert (course(), course(2)) == whole


def test_a_finished_tuning_says_its_verdict_again(
    tune: Tune, capsys: pytest.CaptureFixture[str]
) -> None:
    tune(by_strength(peak(7, 20)), **SHORT)
    first = capsys.readouterr().out

    def none(job: Job) -> MatchEnd:
        raise AssertionError(f"{job.key} is played again")

    assert tune(none, **SHORT) == 0
    assert capsys.readouterr().out == first


def test_a_fault_is_said_and_is_no_evidence(tune: Tune, capsys: pytest.CaptureFixture[str]) -> None:
    plain = by_strength(peak(4, 20))

    def play(job: Job) -> MatchEnd:
        deep = [seat for seat, each in enumerate(settings_of(job)) if each["depth"] >= 7]
        return MatchEnd(job, crashed(job, *deep).finished()) if deep else plain(job)

    tune(play, **SHORT, parameters=("depth:6:1:9:1",))

    printed = capsys.readouterr()
    assert "no evidence: bot+ with depth " in printed.err
    assert "with a fault or a void match, no evidence" in printed.out
    with closing(Store(DB)) as store:
        event = store.event(1)
        assert event is not None
        finding = finding_of(store, event)
    assert finding.course is not None
    for probe, result in finding.course.played:
        assert (result is None) == (max(*probe.plus, *probe.minus) >= 7)


def test_a_bot_that_always_fails_ends_its_tuning(
    tune: Tune, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tune(lambda job: MatchEnd(job, crashed(job, 0).finished()), tune={"iterations": 30}) == 3

    assert "tuning of bot STOPPED: 20 pairs in a row" in capsys.readouterr().out
    assert len(matches(1)) == 40
    assert matches(2) == []


def test_a_void_match_is_no_evidence(tune: Tune) -> None:
    plain = by_strength(peak(7, 20))

    def play(job: Job) -> MatchEnd:
        return void(job) if "/b3/" in job.key and job.key.startswith("bot+") else plain(job)

    tune(play, slots=1, **SHORT)

    with closing(Store(DB)) as store:
        event = store.event(1)
        assert event is not None
        finding = finding_of(store, event)
    assert finding.course is not None
    assert [result is None for _, result in finding.course.played].index(True) == 3
    assert finding.empty == 1


def test_a_grid_plays_every_point_against_the_base(
    tune: Tune, capsys: pytest.CaptureFixture[str]
) -> None:
    terms = {"tune": {"method": "grid", "pairs": 10}, "gate": {"elo1": 300, "cap": 40}}
    assert tune(by_strength(peak(5, 20)), **terms, parameters=("depth:3:1:9:2",)) == 0

    printed = capsys.readouterr().out
    assert "tuned bot: depth 5" in printed
    rows = [line.split() for line in printed.splitlines() if line.startswith("bot-")][:4]
    assert rows[0][:3] == ["bot-2", "5", "10"]
    assert {row[1] for row in rows} == {"1", "5", "7", "9"}
    assert len(matches(1)) == 4 * 20


def test_a_killed_grid_is_resumed(tune: Tune) -> None:
    terms: dict[str, Any] = {
        "tune": {"method": "grid", "pairs": 3},
        "gate": {"elo1": 300, "cap": 40},
    }
    plain = by_strength(peak(5, 20))
    tune(plain, **terms)
    whole = course()
    DB.unlink()
    with pytest.raises(KilledError):
        tune(_dies_after(9, plain), **terms)
    tune(plain, **terms)

    assert course() == whole


def _dies_after(count: int, script: Script) -> Script:
    left = iter(range(count))

    def play(job: Job) -> MatchEnd:
        if next(left, None) is None:
            raise KilledError
        return script(job)

    return play


def test_a_config_is_tuned_like_a_command_line(
    tune: Tune, capsys: pytest.CaptureFixture[str]
) -> None:
    del tune  # the bot and the machine
    Path("small.yaml").write_text(
        "name: small\ngame: {name: damspel, rows: 6, cols: 6, men_rows: 2}\n"
        "bots: [{bot: ./bot, args: [--depth, '{depth}']}]\nformat: tune\n"
        "tune: {iterations: 40, pairs: 2, parameters: {depth: {start: 1, min: 1, max: 9}}}\n"
        "gate: {elo1: 30}\nseed: 4\n"
    )
    assert run_tune(load_config("small.yaml"), Run(db=DB, is_dry=True)) == 0

    printed = capsys.readouterr().out
    assert "spsa of 40 iterations, each of 2 pairs; A 4, alpha 0.602, gamma 0.101" in printed
    assert "for 0 against 30 Elo" in printed
    assert not DB.exists()


def test_a_changed_search_is_another_event_or_an_error(tune: Tune) -> None:
    text = (
        "name: small\ngame: {name: damspel, rows: 6, cols: 6, men_rows: 2}\n"
        "bots: [{bot: ./bot, args: ['{depth}']}]\nformat: tune\ngate: {cap: 60}\n"
        "tune: {iterations: 20, parameters: {depth: {start: 1, min: 1, max: 9}}}\nseed: 4\n"
    )
    Path("small.yaml").write_text(text)
    tune(by_strength(peak(7, 20)), **SHORT)  # opens the slots of the next line, too
    run_tune(load_config("small.yaml"), Run(db=DB))

    Path("small.yaml").write_text(text.replace("iterations: 20", "iterations: 30"))
    with pytest.raises(EventError, match=r"tune\.iterations: 20 -> 30"):
        run_tune(load_config("small.yaml"), Run(db=DB))
    Path("small.yaml").write_text(text.replace("cap: 60", "cap: 80"))
    assert run_tune(load_config("small.yaml"), Run(db=DB)) in (0, 1, 4)


def test_a_report_has_the_finding_and_the_verdict(tune: Tune, tmp_path: Path) -> None:
    reports = ReportFiles("tune", json=tmp_path / "tune.json", summary=tmp_path / "tune.md")
    assert reports.of(lambda: tune(by_strength(peak(7, 20)), **SHORT, reports=reports)) == 0

    document = json.loads((tmp_path / "tune.json").read_text())
    assert (document["command"], document["outcome"]) == ("tune", "passed")
    depth = document["tune"]["parameters"]["depth"]
    assert (depth["start"], depth["tuned"]) == ("1", "7")
    assert document["gate"]["outcome"] == "passed"
    assert "tuned bot: depth 7" in (tmp_path / "tune.md").read_text()


def test_the_page_of_a_tuning_has_its_course(tune: Tune) -> None:
    tune(by_strength(peak(7, 20)), **SHORT)

    with closing(Store(DB)) as store:
        event = store.event(1)
        assert event is not None
        page = event_page(store, PlayedEvent.read(store, event, table_of(store, event)))
    (chart,) = page["tune"]["parameters"]
    assert (chart["name"], chart["range"], chart["iterations"]) == ("depth", [1, 9], 20)
    assert len(chart["path"]) == 21
    assert page["tune"]["verdict"] == "tuned bot: depth 7"
    assert page["ratings"] == []


def test_openings_of_the_gate_are_others_than_those_of_the_search(tune: Tune) -> None:
    tune(by_strength(peak(7, 20)), **SHORT)

    with closing(Store(DB)) as store:
        starts = [
            {json.dumps(store.record(match.id).job.history) for match in store.matches(event)}
            for event in (1, 2)
        ]
    assert len(starts[0]) == 20
    assert len(starts[0] & starts[1]) < len(starts[1]) / 2


def test_a_lack_of_openings_is_said_before_the_search(tune: Tune) -> None:
    def none(job: Job) -> MatchEnd:
        raise AssertionError(f"{job.key} is played")

    tiny = ("rows=4", "cols=4", "men_rows=1")
    with pytest.raises(ScheduleError, match=r"has no opening: .* fewer iterations for a tuning"):
        tune(none, tune={"iterations": 200}, options=tiny)


def test_an_interrupted_tuning_says_how_to_resume(
    tune: Tune, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = by_strength(peak(7, 20))
    left = iter(range(7))

    def play(job: Job) -> MatchEnd:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGINT)
        return plain(job)

    assert tune(play, **SHORT) == 130

    printed = capsys.readouterr()
    assert "tuning of bot, unfinished: depth " in printed.out
    assert "interrupted, " in printed.err
    assert matches(2) == []


def test_the_longest_name_of_a_bot_is_tuned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tune = tune_in(tmp_path, monkeypatch, "bot" + "x" * 36 + "+")

    assert tune(by_strength(peak(7, 20)), **SHORT) == 0
    assert "PASSED" in capsys.readouterr().out
    with closing(Store(DB)) as store:
        event = store.event(1)
        assert event is not None
        assert finding_of(store, event).is_ended


def test_a_game_of_one_seat_is_tuned_by_its_scores(
    tune: Tune, capsys: pytest.CaptureFixture[str]
) -> None:
    terms: dict[str, Any] = {"game": "down_n_out", "options": ()}
    with pytest.raises(ConfigError, match="score0 says by how much"):
        tune(by_strength(peak(7, 20)), **SHORT, **terms)
    capsys.readouterr()
