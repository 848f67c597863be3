"""The commands that play events, on slots without processes: output and exit codes."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from event_runs import CONFIG, ISOLATION, PLAYED, Play, Said
from events import crashed, first_wins

from arena.config.quick import quick_config
from arena.errors import ConfigError, EventError
from arena.event.resume.players import prepare_players
from arena.results.store import MatchRow, Store
from referee.job import Job
from referee.records.match_end import MatchEnd


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


def test_a_table_is_printed_while_it_plays(play: Play, said: Said) -> None:
    assert play(table_every=2) == 0

    _, err = said()
    assert err[3].startswith("after 2 of 4 matches, ")
    assert err[4].split()[0] in {"ann:", "bob:"}
    assert err[-1].startswith("[4/4]")  # none at the end, where the standings follow


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


def test_faults_are_explained_by_the_last_lines(play: Play, said: Said) -> None:
    def bob_crashes_as_second(job: Job) -> MatchEnd:
        crash = crashed(job, 1).finished()
        return MatchEnd(job, crash) if job.names()[1] == "bob" else first_wins(job)

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
    def bob_crashes(job: Job) -> MatchEnd:
        crash = crashed(job, job.names().index("bob")) if "bob" in job.names() else None
        return MatchEnd(job, crash.finished()) if crash else first_wins(job)

    assert play(bob_crashes, f"{CONFIG}withdraw_after: 1\n") == 0

    out = said()[0]
    assert out.splitlines()[-1] == "1 match with a fault, explained by: arena show --match 1"
    header, *rows = [line.split() for line in out.splitlines() if " CPU " in line or "bob" in line]
    row = dict(zip(header[-2:], next(row for row in rows if "bob" in row)[-2:], strict=True))
    assert (row["faults"], int(row["unplayed"]) > 0) == ("1", True)


@pytest.mark.parametrize(("seats", "code"), [((), 0), ((0,), 0), ((0, 1), 3)])
def test_a_quick_match_in_which_a_bot_always_fails_ends_with_3(
    play: Play, said: Said, seats: tuple[int, ...], code: int
) -> None:
    def crashes(job: Job) -> MatchEnd:
        bobs = job.names().index("bob")
        return MatchEnd(job, crashed(job, bobs).finished()) if bobs in seats else first_wins(job)

    config = quick_config(["./ann", "./bob"], game="pente", games=2, options=[], seed=1)

    assert play(crashes, loaded=config, is_new=True) == code
    assert said()[0].startswith("ann - bob (event 1")


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
