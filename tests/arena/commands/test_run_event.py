"""The commands that play events, on slots without processes: output and exit codes."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from events import FakeSlots, Script, crashed, first_wins, void

from arena.commands import run_event as run
from arena.commands.run_event import Run, run_event
from arena.config.event import Config
from arena.config.loading import load_config
from arena.config.quick import quick_config
from arena.errors import (
    ArenaError,
    ConfigError,
    DiskError,
    EventError,
    HostError,
    LockedError,
    PreflightError,
)
from arena.event import director
from arena.event.players import prepare_players
from arena.event.slots import Result
from arena.reports.reporting import ReportFiles
from arena.results.store import MatchRow, Store
from arena.text import resume_text
from referee.job import Job

CONFIG = "name: cup\ngame: {name: pente}\nbots: [./ann, ./bob]\nseed: 5\nrepeat: 4\nslots: 1\n"
ISOLATION = "how bots are isolated, which depends on the machine"
PLAYED = "cup (event 1, seed 5)\n\nstandings by score:\n#  bot  score"

Play = Callable[..., int]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Return a function that plays the config like the command, with scripted matches."""
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.yaml").write_text("run: [./bot]\n")
        (tmp_path / name / "bot").write_text(f"#!/bin/sh\n# {name}\n")
        (tmp_path / name / "bot").chmod(0o755)
    (tmp_path / "missing").mkdir()
    (tmp_path / "missing" / "bot.yaml").write_text("run: [no-such-language, main]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def played(
        script: Script = first_wins,
        config: str = CONFIG,
        loaded: Config | None = None,
        **options: Any,
    ) -> int:
        def open_slots(plan: Any, pending: Any, spared: Any, _: Any) -> FakeSlots:
            assert pending
            assert not spared
            return FakeSlots(script, len(plan.cores), [])

        monkeypatch.setattr(director, "open_checked", open_slots)
        monkeypatch.setattr(run, "isolated", lambda config, players, db: (players, ISOLATION))  # noqa: ARG005 - as it is
        Path("cup.yaml").write_text(config)
        return run_event(
            loaded or load_config("cup.yaml"), Run(**{"db": Path("arena.db"), **options})
        )

    return played


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[[], tuple[str, list[str]]]:
    """Return the results and the lines on stderr printed since the last call."""

    def read() -> tuple[str, list[str]]:
        out, err = capsys.readouterr()
        return out, [line for line in err.splitlines() if line != ISOLATION]

    return read


Said = Callable[[], tuple[str, list[str]]]


def test_an_event_is_played_and_its_table_printed(play: Play, said: Said) -> None:
    assert play() == 0

    out, err = said()
    assert out.startswith(PLAYED)
    assert out.endswith(
        "results: arena.db, event 1; seed 5\n"
        "matches: arena show 1 --matches\n"
        "replay one: arena replay 1\n"
    )
    head = "cup: event 1 in arena.db, seed 5, 4 matches, 0 played before, 1 slot"
    assert err[0] == head
    assert err[1].startswith("[1/4]  match 1: ann ")
    assert len(err) == 5


def test_the_isolation_is_printed_first(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play()

    assert capsys.readouterr().err.startswith(f"{ISOLATION}\n")


def test_the_matches_of_a_finished_event_are_read_once(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    play()
    reads: list[int] = []

    def matches(store: Store, event: int) -> Iterator[MatchRow]:
        reads.append(event)
        return read(store, event)

    read = Store.matches
    monkeypatch.setattr(Store, "matches", matches)
    monkeypatch.delattr(Store, "record")

    assert play() == 0
    assert reads == [1]


def test_a_finished_event_prints_the_same_again_without_playing(play: Play, said: Said) -> None:
    play()
    first, _ = said()

    assert play() == 0

    again, err = said()
    assert again == first
    assert err == ["cup: event 1 in arena.db, seed 5, 4 matches, 4 played before, 1 slot"]


def test_a_dry_run_prints_the_schedule_and_touches_nothing(play: Play, said: Said) -> None:
    assert play(is_dry=True) == 0

    out, err = said()
    assert out.splitlines()[0] == "1. ann - bob  (ann,bob/b0/0)"
    assert out.splitlines()[-4] == "4 matches on 1 slot"
    assert out.splitlines()[-3].startswith("at most 9:03:36 long (h:mm:ss), 2:15:54 a match: ")
    assert out.splitlines()[-2].startswith("at most 4 times that on a busy machine: ")
    assert [line.partition(",")[0] for line in err] == ["note: a bot can guess seed 5"]
    assert not Path("arena.db").exists()


@pytest.mark.parametrize("seed", ["", "seed: 340282366920938463463374607431768211455\n"])
def test_a_drawn_or_wide_seed_needs_no_note_in_a_dry_run(play: Play, said: Said, seed: str) -> None:
    assert play(is_dry=True, config=CONFIG.replace("seed: 5\n", seed)) == 0

    assert said()[1] == []


def test_a_dry_run_draws_the_matches_of_its_seed(play: Play, said: Said) -> None:
    def schedule(seed: str) -> str:
        play(is_dry=True, config=config.replace("seed: 5\n", seed))
        return said()[0]

    others = "{name: cat, bot: ./ann}, {name: dan, bot: ./bob}"
    config = CONFIG.replace("./bob]", f"./bob, {others}]").replace("repeat: 4", "matches: 3")
    config = config.replace("pente}", "chinese_checkers}\nseats: 3")
    seeds = [f"seed: {number}\n" for number in range(6)]

    assert len(set(map(schedule, seeds))) > 1
    assert schedule("") == schedule(seeds[0])


def test_an_internal_error_is_kept_unless_the_database_explains_it(play: Play) -> None:
    def fail(job: Job) -> Result:
        raise KeyError(job.key)

    with pytest.raises(KeyError):
        play(fail)


def test_an_interrupted_event_is_reported_and_resumed_by_the_printed_command(
    play: Play, said: Said
) -> None:
    def interrupt(job: Job) -> Result:
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
    def interrupt(job: Job) -> Result:
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
    def interrupt(job: Job) -> Result:
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


def test_faults_are_explained_by_the_last_lines(play: Play, said: Said) -> None:
    def bob_crashes_as_second(job: Job) -> Result:
        crash = crashed(job, 1).finished()
        return Result(job, crash) if job.names()[1] == "bob" else first_wins(job)

    assert play(bob_crashes_as_second) == 0

    assert said()[0].splitlines()[-2:] == [
        "2 matches with a fault, listed by: arena show 1 --faults",
        "the first is explained by: arena show --match 1",
    ]


def test_a_group_stage_is_ranked_by_groups_at_its_end(play: Play, said: Said) -> None:
    others = "{name: cat, bot: ./ann}, {name: dan, bot: ./bob}"
    config = CONFIG.replace("./bob]", f"./bob, {others}]") + "groups: 2\n"

    assert play(first_wins, config) == 0

    assert "standings by place in the group:\n" in said()[0]


def test_matches_forfeited_after_a_withdrawal_are_no_faults(play: Play, said: Said) -> None:
    def bob_crashes(job: Job) -> Result:
        crash = crashed(job, job.names().index("bob")) if "bob" in job.names() else None
        return Result(job, crash.finished()) if crash else first_wins(job)

    assert play(bob_crashes, f"{CONFIG}withdraw_after: 1\n") == 0

    out = said()[0]
    assert out.splitlines()[-1] == "1 match with a fault, explained by: arena show --match 1"
    header, *rows = [line.split() for line in out.splitlines() if " CPU " in line or "bob" in line]
    row = dict(zip(header[-2:], next(row for row in rows if "bob" in row)[-2:], strict=True))
    assert (row["faults"], int(row["unplayed"]) > 0) == ("1", True)


def test_void_attempts_are_explained_by_the_last_lines(play: Play, said: Said) -> None:
    broken = "ann,bob/b0/0"

    play(lambda job: void(job) if job.key == broken else first_wins(job), db=Path("my runs.db"))

    last = said()[0].splitlines()[-1]
    assert last == "3 void attempts, explained by: arena show 1 --db 'my runs.db'"


@pytest.mark.parametrize(("seats", "code"), [((), 0), ((0,), 0), ((0, 1), 3)])
def test_a_quick_match_in_which_a_bot_always_fails_ends_with_3(
    play: Play, said: Said, seats: tuple[int, ...], code: int
) -> None:
    def crashes(job: Job) -> Result:
        bobs = job.names().index("bob")
        return Result(job, crashed(job, bobs).finished()) if bobs in seats else first_wins(job)

    config = quick_config(["./ann", "./bob"], game="pente", games=2, options=[], seed=1)

    assert play(crashes, loaded=config, is_new=True) == code
    assert said()[0].startswith("ann - bob (event 1")


def test_a_failed_preflight_leaves_no_event_behind(play: Play) -> None:
    def fail(job: Job) -> Result:
        raise PreflightError({"ann": f"{job.key}: crash"})

    play(config=CONFIG.replace("cup", "other"))
    with pytest.raises(PreflightError):
        play(fail)

    store = Store(Path("arena.db"))
    assert [event.name for event in store.events()] == ["other"]
    store.close()


@pytest.mark.parametrize("error", [HostError, DiskError, LockedError])
def test_an_error_after_the_first_match_keeps_the_event_and_names_the_command(
    play: Play, error: type[ArenaError]
) -> None:
    left = [first_wins]

    def fail_later(job: Job) -> Result:
        if left:
            return left.pop()(job)
        raise error("no space")

    with pytest.raises(error, match=r"^no space; resume with: arena tournament cup\.yaml$"):
        play(fail_later, reports=ReportFiles(onward="resume with: arena tournament cup.yaml"))

    store = Store(Path("arena.db"))
    assert [len(store.keys(event.id)) for event in store.events()] == [1]
    store.close()


def test_new_starts_over_and_keeps_what_was_played(play: Play, said: Said) -> None:
    play()
    said()

    assert play(is_new=True) == 0

    out, _ = said()
    assert "results: arena.db, event 2; seed 5" in out
    store = Store(Path("arena.db"))
    assert [len(store.keys(event.id)) for event in store.events()] == [4, 4]
    store.close()


def test_a_changed_config_is_refused_with_what_changed(play: Play) -> None:
    play()

    with pytest.raises(EventError, match="repeat: 4 -> 2"):
        play(config=CONFIG.replace("repeat: 4", "repeat: 2"))


@pytest.mark.usefixtures("play")
def test_a_missing_toolchain_in_a_quick_match_names_existing_options_only() -> None:
    config = quick_config(["./ann", "./missing"], game="pente", games=2, options=[], seed=1)

    with pytest.raises(ConfigError) as refusal:
        prepare_players(config, skip_missing=False)

    assert 'needs "no-such-language"' in str(refusal.value)
    assert "--skip-missing" not in str(refusal.value)


def test_a_bot_whose_toolchain_is_missing_is_an_error_or_left_out(play: Play, said: Said) -> None:
    config = CONFIG.replace("[./ann, ./bob]", "[./ann, ./bob, ./missing]")

    with pytest.raises(ConfigError, match="--skip-missing plays without it"):
        play(config=config)
    said()
    assert play(config=config, skip_missing=True) == 0

    out, err = said()
    left_out = 'LEFT OUT: missing: needs "no-such-language"'
    assert err[0].startswith(left_out)
    assert left_out in out
    assert err[1] == "cup: event 1 in arena.db, seed 5, 4 matches, 0 played before, 1 slot"


def test_another_database_is_named_in_the_advice(play: Play, said: Said) -> None:
    assert play(db=Path("other.db")) == 0

    assert "matches: arena show 1 --matches --db other.db" in said()[0]


def test_a_closed_output_does_not_end_the_event(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, buffering in (("stdout", -1), ("stderr", 1)):
        reader, writer = os.pipe()
        os.close(reader)
        monkeypatch.setattr(sys, name, os.fdopen(writer, "w", buffering))

    assert play() == 0

    store = Store(Path("arena.db"))
    assert len(store.keys(1)) == 4
    store.close()
    sys.stdout.close()
    sys.stderr.close()
