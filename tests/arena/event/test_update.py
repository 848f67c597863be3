"""Updates of a begun event: what still counts, what is set aside, and under which names."""

import json
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest
from course import NAMES, Class, KilledError, open_store
from events import crashed, first_wins, void
from typer.testing import CliRunner

from arena.commands.loading import application
from arena.formats.event_results import table_of
from arena.reports.reporting import ReportFiles
from arena.results.queries import find_event
from arena.results.revision import Revision
from arena.results.store import Store
from arena.terminal.show import matches_text
from protocol.vocabulary import Termination
from referee.job import Absence, Job
from referee.records.match_end import MatchEnd

app = application()


def test_what_changed_and_what_that_means_is_said_and_nothing_done(course: Class) -> None:
    course.play()
    course.submit("bob", "second")
    course.config("ann", "bob", "cat", more="time: {per_move: 1s}\n")

    assert course.refusal() == [
        "event 1 (cup) in arena.db was begun differently:",
        "bob has changed: 6 matches set aside",
        "dan is gone: 6 matches set aside",
        "time.per_move: 2s -> 1s, for the matches still to be played",
        "10 of 12 finished matches set aside (kept, shown as bob@1, dan@1), 4 matches to play",
        "to do that: arena tournament CONFIG --update",
        "or restore it to resume as before; --new plays everything again, under another seed",
    ]


def test_matches_of_a_changed_bot_are_set_aside_and_played_again_under_the_same_seed(
    course: Class,
) -> None:
    course.play()
    before = course.seeds()
    course.submit("bob", "second")

    assert course.play(may_update=True) == 0

    assert len(course.begun) == 6
    assert all("bob" in key for key in course.begun)
    assert course.rows() == dict.fromkeys(NAMES, 6)
    assert sorted(course.earlier()) == sorted(
        [f"bob@1 {name}" for name in ("ann", "cat", "dan")]
        + [f"{name} bob@1" for name in ("ann", "cat", "dan")]
    )
    assert course.seeds() == before


def test_an_update_reads_no_record(course: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    course.play()
    course.submit("bob", "second")
    course.config("ann", "bob", "cat", "dan", more="time: {per_move: 1s}\n")
    monkeypatch.delattr(Store, "record")
    monkeypatch.delattr(Store, "matches")

    assert course.refusal()[-3].startswith("6 of 12 finished matches set aside")


def test_a_version_that_is_put_back_counts_again(course: Class) -> None:
    course.play()
    course.submit("bob", "second")
    course.play(may_update=True)
    course.submit("bob", "first")

    assert course.refusal()[2] == (
        "6 of 12 finished matches set aside (kept, shown as bob@2), 6 earlier matches that count"
        " again, 0 matches to play"
    )
    assert course.play(may_update=True) == 0

    assert course.begun == []
    assert course.rows() == dict.fromkeys(NAMES, 6)
    assert all("bob@2" in match for match in course.earlier())


def test_versions_are_numbered_in_the_order_they_played(course: Class) -> None:
    course.play()
    for text in ("second", "third"):
        course.submit("bob", text)
        course.play(may_update=True)
    course.submit("ann", "second")
    course.play(may_update=True)

    shown = {name for match in course.earlier() for name in match.split()}
    assert shown == {"ann@1", "bob", "bob@1", "bob@2", "cat", "dan"}
    assert "ann@1 bob" in course.earlier()
    assert "ann@1 bob@2" in course.earlier()


def test_a_removed_bot_leaves_the_table_and_its_matches_are_kept(course: Class) -> None:
    course.play()
    course.config("ann", "bob", "cat")

    assert course.play(may_update=True) == 0

    assert course.begun == []
    assert course.rows() == {"ann": 4, "bob": 4, "cat": 4}
    assert len(course.earlier()) == 6
    assert all("dan@1" in match for match in course.earlier())


def test_a_removed_bot_that_comes_back_needs_no_update_and_no_match_again(course: Class) -> None:
    course.play()
    course.config("ann", "bob", "cat")
    course.play(may_update=True)
    course.config()

    assert course.play() == 0

    assert course.begun == []
    assert course.rows() == dict.fromkeys(NAMES, 6)
    assert course.earlier() == []


def test_a_changed_limit_holds_for_what_is_still_to_be_played(course: Class) -> None:
    course.play()
    course.config(*NAMES, "eve", more="time: {per_move: 1s}\nlimits: {memory: 1GB}\n")

    assert course.play(may_update=True) == 0

    assert len(course.begun) == 8
    with open_store() as store:
        limits = {
            "eve" in match.key: store.record(match.id).job.time.per_move_ns
            for match in store.matches(1)
        }
        [(_, lines)] = store.revisions(1)
    assert limits == {False: 2_000_000_000, True: 1_000_000_000}
    assert lines == [
        "eve is new",
        "time.per_move: 2s -> 1s, for the matches still to be played",
        "limits.memory: 512MB -> 1GB, for the matches still to be played",
        "0 of 12 finished matches set aside, 8 matches to play",
    ]


def test_other_rules_set_every_match_aside(course: Class) -> None:
    course.play()
    course.config(more="game: {name: pente, half_size: 12}\n")

    assert course.refusal()[1:3] == [
        "game.half_size: 9 -> 12",
        "12 of 12 finished matches set aside, 12 matches to play",
    ]
    assert course.play(may_update=True) == 0
    assert len(course.begun) == 12
    assert course.rows() == dict.fromkeys(NAMES, 6)


def test_fewer_matches_of_each_set_aside_only_the_others(course: Class) -> None:
    course.config(more="repeat: 4\n")
    course.play()
    course.config(more="repeat: 2\n")

    assert course.play(may_update=True) == 0

    assert course.begun == []
    assert course.rows() == dict.fromkeys(NAMES, 6)


def test_an_update_without_a_change_is_a_run_like_any_other(course: Class) -> None:
    course.play()

    assert course.play(may_update=True) == 0

    with open_store() as store:
        assert store.revisions(1) == []


class KillAtRead(dict[str, str]):
    """The new bots of an update, which are written last; reading them kills the director."""

    def items(self) -> NoReturn:
        raise KilledError


def test_a_kill_in_the_update_loses_nothing_and_doubles_nothing(
    course: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.play()
    course.submit("bob", "second")
    before = course.dump()
    revise_event = Store.revise_event

    def kill_at_entrants(store: Store, event: int, revision: Revision) -> None:
        revise_event(store, event, replace(revision, entrants=KillAtRead(revision.entrants)))

    with monkeypatch.context() as patch:
        patch.setattr(Store, "revise_event", kill_at_entrants)
        with pytest.raises(KilledError):
            course.play(may_update=True)
    assert course.dump() == before

    def kill_after_three(job: Job) -> MatchEnd:
        if len(course.begun) > 3:
            raise KilledError
        return first_wins(job)

    with pytest.raises(KilledError):
        course.play(kill_after_three, may_update=True)
    assert course.play() == 0

    assert len(course.begun) == 3
    assert course.rows() == dict.fromkeys(NAMES, 6)
    assert len(course.earlier()) == 6


def test_a_withdrawn_bot_that_is_resubmitted_plays_again(course: Class) -> None:
    def bob_crashes(job: Job) -> MatchEnd:
        seats = [seat for seat, name in enumerate(job.names()) if name == "bob"]
        return MatchEnd(job, crashed(job, *seats).finished()) if seats else first_wins(job)

    course.play(bob_crashes)
    course.submit("bob", "second")

    assert course.play(may_update=True) == 0

    assert len(course.begun) == 6
    with open_store() as store:
        assert store.withdrawals(1) == {}
        assert table_of(store, find_event(store, "1")).rows["bob"].faults == 0


@pytest.mark.parametrize(
    ("limits", "is_raised"),
    [
        ("time: {per_move: 3s}", True),
        ("limits: {memory: 1GB}", True),
        ("withdraw_after: 0", True),
        ("time: {per_move: 1s}", False),
        ("time: {per_move: 2s, bank: 1h, increment: 1ms}", True),
        ("time: {per_move: 2s, bank: 1h, bank_moves: 999}", True),
        ("time: {per_move: 2s, bank: 10s, increment: 1ms}", False),
    ],
)
def test_a_raised_limit_ends_the_withdrawal_of_a_bot_for_its_faults(
    course: Class, limits: str, *, is_raised: bool
) -> None:
    def bob_is_slow(job: Job) -> MatchEnd:
        seats = [seat for seat, name in enumerate(job.names()) if name == "bob"]
        return MatchEnd(job, crashed(job, *seats).finished()) if seats else first_wins(job)

    course.config(more="withdraw_after: 3\n")
    course.play(bob_is_slow)
    course.config(more=limits if "withdraw" in limits else f"withdraw_after: 3\n{limits}\n")
    again = "bob, withdrawn after 3 faults in a row, plays again under the raised limits: 6 matches"
    assert any(line.startswith(again) for line in course.refusal()) is is_raised

    assert course.play(may_update=True) == 0

    assert len(course.begun) == (6 if is_raised else 0)
    with open_store() as store:
        assert bool(store.withdrawals(1)) is not is_raised
        assert table_of(store, find_event(store, "1")).rows["bob"].faults == (0 if is_raised else 3)


def test_a_longer_absence_has_the_forfeited_matches_of_a_bot_played_and_no_others(
    course: Class,
) -> None:
    def bob_is_cut(job: Job) -> MatchEnd:
        if "bob" not in job.names():
            return first_wins(job)
        seat = job.names().index("bob")
        lost = Absence(seat=seat, termination=Termination.NO_SHOW, detail="its line was lost")
        return void(job, lost)

    course.config(more="absence: 60s\n")
    course.play(bob_is_cut)
    with open_store() as store:
        assert table_of(store, find_event(store, "1")).rows["bob"].unplayed == 6
        assert store.withdrawals(1) == {}
    course.config(more="absence: 50s\n")
    assert "0 of 12 finished matches set aside, 0 matches to play" in course.refusal()
    course.config(more="absence: 120s\n")
    again = "bob is waited for again, under a longer absence: 6 matches forfeited unplayed"
    assert f"{again} set aside" in course.refusal()

    assert course.play(may_update=True) == 0

    assert len(course.begun) == 6
    assert all("bob" in key for key in course.begun)
    with open_store() as store:
        assert table_of(store, find_event(store, "1")).rows["bob"].unplayed == 0


def test_an_update_after_an_interrupted_one_restores_no_fault_under_a_former_limit(
    course: Class,
) -> None:
    def bob_is_slow(job: Job) -> MatchEnd:
        seats = [seat for seat, name in enumerate(job.names()) if name == "bob"]
        return MatchEnd(job, crashed(job, *seats).finished()) if seats else first_wins(job)

    def killed(job: Job) -> MatchEnd:
        raise KilledError(job.key)

    course.config(more="withdraw_after: 3\n")
    course.play(bob_is_slow)
    course.config(more="withdraw_after: 3\ntime: {per_move: 3s}\n")
    with pytest.raises(KilledError):
        course.play(killed, may_update=True)
    course.config(more="withdraw_after: 3\ntime: {per_move: 3s, term: 2s}\n")

    assert course.play(may_update=True) == 0
    assert len(course.begun) == 6


def test_a_match_with_other_draws_after_a_suspicion_counts_on(course: Class) -> None:
    lines = iter([Absence(seat=0, termination=Termination.CRASH, detail="its line")])
    course.play(lambda job: void(job, line) if (line := next(lines, None)) else first_wins(job))
    course.config(*NAMES, more="time: {per_move: 1s}\n")

    assert course.refusal()[-3].startswith("0 of 12 finished matches set aside")


def test_void_attempts_of_a_changed_bot_are_set_aside_with_it(course: Class) -> None:
    course.play(lambda job: void(job) if job.key == "ann,bob/b0/0" else first_wins(job))
    course.submit("bob", "second")

    assert course.play(may_update=True) == 0

    assert "ann,bob/b0/0" in course.begun
    with open_store() as store:
        assert store.voids(1) == []


def test_a_bot_left_out_this_time_keeps_its_matches(course: Class) -> None:
    course.play()
    course.submit("bob", "second")
    (course.folder / "dan" / "bot.yaml").write_text("run: [no-such-language, main]\n")

    assert course.play(may_update=True, skip_missing=True) == 0

    assert len(course.begun) == 4
    with open_store() as store:
        table = table_of(store, find_event(store, "1"))
    assert table.rows["dan"].matches == 4
    assert len(course.earlier()) == 6


def test_updates_and_earlier_versions_are_in_every_report(
    course: Class, capsys: pytest.CaptureFixture[str]
) -> None:
    course.play()
    course.submit("bob", "second")
    capsys.readouterr()

    reports = ReportFiles("tournament", json=Path("cup.json"), summary=Path("cup.md"))
    course.play(may_update=True, reports=reports)

    out, err = capsys.readouterr()
    change = "6 of 12 finished matches set aside (kept, shown as bob@1), 6 matches to play"
    assert f"update: {change}" in err.splitlines()
    assert f"    {change}" in out.splitlines()
    [versions] = [line for line in out.splitlines() if line.startswith("  bob@1")]
    assert versions.split() == ["bob@1", "6", "3", "0", "3", "0"]
    assert change in json.loads(Path("cup.json").read_text())["notes"]["changed while it ran"]
    assert change in Path("cup.md").read_text()
    with open_store() as store:
        listed = matches_text(store, find_event(store, "1"))
    assert "\nset aside, not counted:\n" in listed
    assert listed.count("bob@1") == 6


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--update"], "--update is not for a gate"),
        (["--update", "--new"], "use one of them"),
        (["--skip-broken"], "broken is not for a gate"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    course: Class, options: list[str], says: str
) -> None:
    course.config("ann", "bob", more="format: gate\n")

    result = CliRunner().invoke(app, ["tournament", "cup.yaml", *options])

    assert says in str(result.exception)
    assert not Path("arena.db").exists()
