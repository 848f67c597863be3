"""Openings chosen by a bot that plays itself: before the event, once, in an event of their own."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from events import FakeSlots, Script, first_wins, void
from fakes import FIRST, RESIGN, FakeBot, played

from arena.commands import run_event as run
from arena.commands.run_event import Run, run_event
from arena.config.loading import load_config
from arena.errors import ConfigError, EventError
from arena.event.play import playing
from arena.event.resume import balancing
from arena.results.store import Store
from referee.job import Job
from referee.records.match_end import MatchEnd

CONFIG = """
name: cup
game: {name: damspel, rows: 6, cols: 6, men_rows: 2}
bots: [./ann, ./bob]
boards: 3
openings: {random_plies: 4, balanced_by: ./judge}
seed: 5
slots: 1
"""
Play = Callable[..., int]


def by_length(lengths: str) -> Script:
    """Return matches of the judge against itself with these numbers of moves, in order."""
    left = iter(lengths)

    def play(job: Job) -> MatchEnd:
        if not job.key.startswith("judge"):
            return first_wins(job)
        bots = [FakeBot(*[FIRST] * int(next(left)), RESIGN), FakeBot()]
        return MatchEnd(job, played(job, bots).record.finished())

    return play


@pytest.fixture
def jobs() -> list[Job]:
    """The played matches, in order."""
    return []


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: list[Job]) -> Play:
    """Return a function that plays the config like the command, with scripted matches."""
    for name in ("ann", "bob", "judge"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.yaml").write_text("run: [./bot]\n")
        (tmp_path / name / "bot").write_text(f"#!/bin/sh\n# {name}\n")
        (tmp_path / name / "bot").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for module in (balancing, run):
        monkeypatch.setattr(module, "isolated", lambda config, players, db: (players, ""))  # noqa: ARG005 - as it is

    def play(script: Script, config: str = CONFIG, **options: Any) -> int:
        def noted(job: Job) -> MatchEnd:
            jobs.append(job)
            return script(job)

        def open_slots(plan: Any, pending: Any, spared: Any, _: Any) -> FakeSlots:
            del pending, spared
            return FakeSlots(noted, len(plan.cores), [])

        monkeypatch.setattr(playing, "open_checked", open_slots)
        Path("cup.yaml").write_text(config)
        return run_event(load_config("cup.yaml"), Run(**{"db": Path("arena.db"), **options}))

    return play


def test_two_candidates_for_each_board_are_played_and_the_more_even_one_is_taken(
    play: Play, jobs: list[Job]
) -> None:
    assert play(by_length("250143")) == 0

    tried, after = jobs[:6], jobs[6:]
    assert [job.key for job in tried] == [
        f"judge-1,judge-2/b{board}/{number}" for board in range(3) for number in range(2)
    ]
    assert len({str(job.history) for job in tried}) == 6
    openings = {job.key.split("/")[1]: job.history for job in after}
    assert openings == {"b0": tried[1].history, "b1": tried[3].history, "b2": tried[4].history}
    assert [len(job.history) for job in after] == [4] * 6


def test_candidates_are_a_separate_event_played_first(play: Play) -> None:
    play(by_length("111111"))

    store = Store(Path("arena.db"))
    names = [(event.name[:9], len(store.keys(event.id))) for event in store.events()]
    store.close()
    assert names == [("openings-", 6), ("cup", 6)]


def test_candidates_are_played_once(play: Play, jobs: list[Job]) -> None:
    play(by_length("250143"))
    first = list(jobs)
    jobs.clear()

    assert play(by_length(""), CONFIG.replace("boards: 3", "boards: 2"), is_new=True) == 0

    assert [job.history for job in jobs] == [
        job.history for job in first[6:] if "/b2/" not in job.key
    ]


def test_openings_are_chosen_for_added_boards(play: Play, jobs: list[Job]) -> None:
    play(by_length("2501"), CONFIG.replace("boards: 3", "boards: 2"))
    jobs.clear()

    assert play(by_length("43")) == 0

    assert [job.key for job in jobs[:2]] == ["judge-1,judge-2/b2/0", "judge-1,judge-2/b2/1"]
    assert len(jobs) == 4


def test_an_interrupted_choice_of_openings_resumes(play: Play, jobs: list[Job]) -> None:
    script = by_length("250143")

    def interrupt(job: Job) -> MatchEnd:
        if job.key == "judge-1,judge-2/b1/0":
            os.kill(os.getpid(), signal.SIGINT)
        return script(job)

    assert play(interrupt) == 130
    assert len(jobs) == 4  # the third ended with the interruption, so the fourth had begun
    assert play(script) == 0
    assert len(jobs) == 12


def test_a_drawn_seed_is_kept(play: Play, jobs: list[Job]) -> None:
    config = CONFIG.replace("seed: 5\n", "")
    play(by_length("250143"), config)
    number = len(jobs)

    assert play(by_length(""), config) == 0
    assert len(jobs) == number


def test_a_drawn_seed_is_stored_before_openings_are_chosen(play: Play, jobs: list[Job]) -> None:
    script, config = by_length("250143"), CONFIG.replace("seed: 5\n", "")

    def interrupt(job: Job) -> MatchEnd:
        if job.key == "judge-1,judge-2/b1/0":
            os.kill(os.getpid(), signal.SIGINT)
        return script(job)

    assert play(interrupt, config) == 130
    assert play(script, config) == 0
    assert len(jobs) == 12


def test_a_ladder_has_no_balanced_openings(play: Play) -> None:
    config = CONFIG.replace("boards: 3", "format: ladder")

    with pytest.raises(ConfigError, match=r"cup\.yaml:6:29: .*balanced_by is not for a ladder"):
        play(by_length(""), config)


def test_openings_of_a_tie_break_are_chosen_too(play: Play, jobs: list[Job]) -> None:
    config = CONFIG.replace("boards: 3", "format: knockout\ntie_breaks: 2")

    assert play(by_length("250143"), config) == 0

    assert [job.key for job in jobs[:6]] == [
        f"judge-1,judge-2/b{board}/{number}" for board in range(3) for number in range(2)
    ]
    chosen = {job.key.split("/")[1]: job.history for job in jobs[6:]}
    assert chosen == {"b0": jobs[1].history, "b1": jobs[3].history, "b2": jobs[4].history}


def test_a_candidate_that_stays_void_is_taken_last(play: Play, jobs: list[Job]) -> None:
    script = by_length("99999")
    broken = "judge-1,judge-2/b0/0"

    assert play(lambda job: void(job) if job.key == broken else script(job)) == 0

    chosen = next(job for job in jobs if job.key == "judge-1,judge-2/b0/1")
    assert chosen.history in [job.history for job in jobs if job.key == "ann,bob/b0/0"]


def test_another_judge_is_refused(play: Play) -> None:
    play(by_length("250143"))
    Path("judge/bot").write_text("#!/bin/sh\n# another\n")

    with pytest.raises(EventError, match=r"openings\.balanced_by: judge \w+ -> judge \w+"):
        play(by_length("250143"))


def test_a_judge_that_fails_to_build_is_reported_at_its_key(play: Play) -> None:
    Path("judge/bot.yaml").write_text("run: [no-such-language, main]\n")

    with pytest.raises(ConfigError, match=r"cup\.yaml:6:42: bot judge: needs"):
        play(by_length("250143"))
