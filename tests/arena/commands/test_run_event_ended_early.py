"""Events that end early: interruptions, errors, undecided matches, and how to resume."""

import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from event_runs import CONFIG, PLAYED, Play, Said
from events import first_wins, void

from arena.commands import run_event as run
from arena.errors import (
    ArenaError,
    DiskError,
    LockedError,
    MachineError,
    MovedError,
    PreflightError,
)
from arena.event.play.director import Director, Ending
from arena.reports.reporting import ReportFiles
from arena.results import database
from arena.results.store import Store
from arena.shell_words import resume_text
from arena.terminal import output
from referee.job import Job
from referee.records.match_end import MatchEnd


def test_an_internal_error_is_kept_unless_the_database_explains_it(play: Play) -> None:
    def fail(job: Job) -> MatchEnd:
        raise KeyError(job.key)

    with pytest.raises(KeyError):
        play(fail)


def test_an_interrupted_event_is_reported_and_resumed_by_the_printed_command(
    play: Play, said: Said
) -> None:
    def interrupt(job: Job) -> MatchEnd:
        os.kill(os.getpid(), signal.SIGINT)
        return first_wins(job)

    assert play(interrupt) == 130
    out, err = said()
    assert err[-1] == "interrupted, 3 matches missing; run the command again to resume"
    assert out.startswith(PLAYED)
    assert play() == 0
    assert said()[1][0].endswith("4 matches, 1 played before, 1 slot")


def test_the_advice_of_an_interrupted_event_is_the_command_of_its_reports(
    play: Play, said: Said
) -> None:
    def interrupt(job: Job) -> MatchEnd:
        os.kill(os.getpid(), signal.SIGINT)
        return first_wins(job)

    advice = resume_text(["tournament", "cup.yaml", "--new"], once=["--new"])
    path = Path("cup.json")

    assert play(interrupt, is_new=True, reports=ReportFiles(onward=advice, json=path)) == 130

    assert advice == "resume with: arena tournament cup.yaml"
    assert said()[1][-1] == f"interrupted, 3 matches missing; {advice}"
    headline = json.loads(path.read_text())["headline"]
    assert headline == f"cup: interrupted, 3 matches missing; {advice}"


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["gate", "a b"], "arena gate 'a b'"),
        (["gate", "a", "--new", "--db", "my x.db"], "arena gate a --db 'my x.db'"),
        (["tournament", "--update", "$(x);.yaml"], "arena tournament '$(x);.yaml'"),
    ],
)
def test_a_command_is_resumed_without_new_and_update_and_quoted_for_a_shell(
    words: list[str], command: str
) -> None:
    assert resume_text(words, once=["--new", "--update"]) == f"resume with: {command}"


def test_an_interruption_during_the_last_match_interrupts_nothing(play: Play, said: Said) -> None:
    def interrupt(job: Job) -> MatchEnd:
        if job.key == "bob,ann/b0/1":
            os.kill(os.getpid(), signal.SIGINT)
        return first_wins(job)

    assert play(interrupt) == 0
    assert "interrupted" not in said()[1][-1]


def test_an_interruption_before_the_first_match_is_no_traceback(
    play: Play, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: object, **options: object) -> None:
        raise KeyboardInterrupt(given, options)

    monkeypatch.setattr(run, "prepare_players", interrupted)
    assert play() == 130
    assert said() == ("", ["interrupted; run the command again to resume"])


def test_a_database_removed_in_mid_event_ends_it_with_5_and_the_place_of_the_results(
    play: Play, said: Said
) -> None:
    def remove(job: Job) -> MatchEnd:
        if job.key == "ann,bob/b0/1":
            Path("arena.db").unlink()
        return first_wins(job)

    with pytest.raises(MovedError, match=r"^arena\.db: .* was removed while .* saved in") as raised:
        play(remove)

    assert raised.value.exit_code == 5
    assert "resume" not in str(raised.value), "the same command would begin another event"
    assert said()[0] == "", "no table or results of a finished event"
    (saved,) = Path().glob("arena-saved-*.db")
    saved.rename("arena.db")
    assert play() == 0
    assert said()[1][0].endswith("4 matches, 3 played before, 1 slot")


def test_a_database_moved_after_the_last_match_is_noticed_too(
    play: Play, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = Director.ending

    def move(director: Director) -> Ending:
        Path("arena.db").rename("elsewhere.db")
        return ending(director)

    monkeypatch.setattr(Director, "ending", move)

    with pytest.raises(MovedError, match=r"moved to \S+/elsewhere\.db while"):
        play()
    assert said()[0] == ""


def test_a_database_locked_before_its_first_table_exists_is_waited_for(
    play: Play, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_S", 0.001)
    told = output.tell

    def unlock(line: str) -> None:
        told(line)
        if "is locked by another program; waiting for that" in line:
            other.execute("COMMIT")

    monkeypatch.setattr(run, "tell", unlock)
    with closing(sqlite3.connect("arena.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert play() == 0

    assert said()[1][0] == "arena.db is locked by another program; waiting for that"


def test_undecided_matches_are_named_and_end_with_5(play: Play, said: Said) -> None:
    broken = "ann,bob/b0/0"

    assert play(lambda job: void(job) if job.key == broken else first_wins(job)) == 5

    out, err = said()
    assert err[-2:] == [
        f"undecided: {broken} was always void",
        "1 match undecided; run the command again to resume",
    ]
    assert "void attempts, not counted:" in out
    assert play() == 0


def test_an_event_that_is_halted_says_so_and_ends_with_5(play: Play, said: Said) -> None:
    config = CONFIG.replace("slots: 1", "slots: 2\npin: none")
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two slots need two cores")

    assert play(void, config) == 5

    says = "halted: two different matches in a row were void; run the command again to resume"
    assert said()[1][-1] == says


def test_void_attempts_are_explained_by_the_last_lines(play: Play, said: Said) -> None:
    broken = "ann,bob/b0/0"

    play(lambda job: void(job) if job.key == broken else first_wins(job), db=Path("my runs.db"))

    last = said()[0].splitlines()[-1]
    assert last == "3 void attempts, explained by: arena show 1 --db 'my runs.db'"


def test_a_failed_preflight_leaves_no_event_behind(play: Play) -> None:
    def fail(job: Job) -> MatchEnd:
        raise PreflightError({"ann": f"{job.key}: crash"})

    play(config=CONFIG.replace("cup", "other"))
    with pytest.raises(PreflightError):
        play(fail)

    store = Store(Path("arena.db"))
    assert [event.name for event in store.events()] == ["other"]
    store.close()


@pytest.mark.parametrize("error", [MachineError, DiskError, LockedError])
def test_an_error_after_the_first_match_keeps_the_event_and_names_the_command(
    play: Play, error: type[ArenaError]
) -> None:
    left = [first_wins]

    def fail_later(job: Job) -> MatchEnd:
        if left:
            return left.pop()(job)
        raise error("no space")

    with pytest.raises(error, match=r"^no space; resume with: arena tournament cup\.yaml$"):
        play(fail_later, reports=ReportFiles(onward="resume with: arena tournament cup.yaml"))

    store = Store(Path("arena.db"))
    assert [len(store.keys(event.id)) for event in store.events()] == [1]
    store.close()
