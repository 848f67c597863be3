"""The director plays pairs for ever; whatever ends it, nothing is lost and nothing is doubled."""

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.utils import timezone
from events import FakeSlots, crashed, first_wins, player

from arena.errors import UsageError
from arena.league.directing import standing
from arena.league.directing.counts import last_unit
from arena.league.directing.director import LeagueDirector
from arena.league.directing.roster import Roster
from arena.league.directing.standing import Standing
from arena.league.folder import League
from arena.league.hand_ins.versions import add_version
from arena.league.ladder.breaker import FAULTS
from arena.league.ladder.ratings import fit
from arena.league.seasons.season import PAIR, Season, begun_season, season_of
from arena.league.site.models import Bot, Notice, RatingPoint, Team, Version
from arena.league.upkeep.backups import export_season
from arena.league.upkeep.verifying import verified
from arena.results.secrecy import close_event, seed_hash, told_seed
from arena.results.store import EventRow, Store
from protocol.vocabulary import Termination
from referee.job import Absence, Job
from referee.records.match_end import MatchEnd

NAMES = ("ann", "bob", "cat", "dan")
Script = Callable[[Job], MatchEnd]


class Bench:
    """A league with four bots, and directors that play without processes."""

    def __init__(self, league: League) -> None:
        self.league = league
        self.config = league.season()
        self.now_s = 1000.0
        team = Team.objects.create(name="all", folded="all")
        for name in NAMES:
            add_version(Bot.objects.create(name=name, team=team), f"tree of {name}")

    def open(self) -> Store:
        return Store(self.league.arena_db, is_new_allowed=True)

    def season(self, store: Store) -> tuple[Season, EventRow]:
        event = begun_season(store, self.config, {})
        return season_of(self.config, event.seed), event

    def director(self, store: Store) -> LeagueDirector:
        season, event = self.season(store)
        director = LeagueDirector(
            self.league, store, season, event, now_s=lambda: self.now_s, time_s=lambda: self.now_s
        )
        director.roster.refresh()
        director.roster.include({n for due in director.pending for n in due.pairing.players})
        return director

    def play(self, script: Script, steps: int, slots: int = 3) -> list[Any]:
        """Play and return the matches of the season."""
        with closing(self.open()) as store:
            director = self.director(store)
            places = FakeSlots(script, slots, [])
            for _ in range(steps):
                director.step(places)
                places.running()
                self.now_s += 1
            return list(store.matches(self.season(store)[1].id))


@pytest.fixture
def bench(league: League, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    return Bench(league)


def test_a_pair_has_one_board_and_both_seats(bench: Bench) -> None:
    seeds: dict[str, tuple[int, tuple[Any, ...]]] = {}

    def script(job: Job) -> MatchEnd:
        seeds[job.key] = (job.board_seed, job.history)
        return first_wins(job)

    matches = bench.play(script, 24)

    units: dict[int, list[Any]] = {}
    for match in matches:
        units.setdefault(match.board, []).append(match)
    whole = [unit for unit in units.values() if len(unit) == PAIR]
    assert len(whole) > 5
    for one, other in whole:
        assert [seat.player for seat in one.seats] == [seat.player for seat in other.seats][::-1]
        assert seeds[one.key] == seeds[other.key]
    assert len({seeds[one.key][0] for one, _ in whole}) == len(whole)


def test_nobody_waits_for_its_share(bench: Bench) -> None:
    matches = bench.play(first_wins, 56)

    counts = Counter(seat.player for match in matches for seat in match.seats)
    assert set(counts) == {f"{name}.1" for name in NAMES}
    assert max(counts.values()) < 1.5 * min(counts.values())


def test_killed_directors_lose_nothing_and_double_nothing(bench: Bench) -> None:
    """A director is left at a random moment, as by a kill: the next one has the file alone."""
    chance = Random(7)
    acknowledged: set[str] = set()
    for _ in range(20):
        with closing(bench.open()) as store:
            director = bench.director(store)
            places = FakeSlots(first_wins, 3, [])
            for _ in range(chance.randint(1, 4)):
                director.step(places)
                places.running()
            acknowledged |= store.keys(bench.season(store)[1].id)

    matches = bench.play(first_wins, 6)

    keys = [match.key for match in matches]
    assert len(keys) == len(set(keys))
    assert acknowledged <= set(keys)
    boards = Counter(match.board for match in matches)
    last = max(boards)
    assert all(boards[board] == PAIR for board in range(last - 6)), boards


def test_units_are_never_used_twice(bench: Bench) -> None:
    bench.play(first_wins, 10)
    with closing(bench.open()) as store:
        season, event = bench.season(store)
        begun = {season.pairing_of(key).board for key in store.begun(event.id)}
        played = {match.board for match in store.matches(event.id)}
        standing = bench.director(store).standing
        assert standing.unit == max(played)
        assert max(last_unit(store, event.id), standing.unit) == max(begun | played)


def test_a_version_with_many_faults_is_parked_and_its_team_is_told(bench: Bench) -> None:
    def script(job: Job) -> MatchEnd:
        seats = [seat for seat, name in enumerate(job.names()) if name == "bob.1"]
        return MatchEnd(job, crashed(job, *seats).finished()) if seats else first_wins(job)

    matches = bench.play(script, 44)

    assert "5 faults in 10 matches" in Bot.objects.get(name="bob").parked
    played = sum("bob.1" in [seat.player for seat in match.seats] for match in matches)
    assert FAULTS <= played < FAULTS + 4
    assert len(matches) > 2 * played


def test_a_fault_of_a_house_bot_and_its_rival_holds_the_league_up(bench: Bench) -> None:
    Bot.objects.update(team=None)
    matches = bench.play(lambda job: MatchEnd(job, crashed(job, 0, 1).finished()), 3)

    assert matches == []
    with closing(bench.open()) as store:
        assert store.voids(bench.season(store)[1].id)
    assert Notice.objects.filter(text__contains="no match begins").exists()


def test_bots_that_fail_against_each_other_are_parked_and_hold_nobody_up(bench: Bench) -> None:
    def script(job: Job) -> MatchEnd:
        if "dan.1" in job.names():
            return first_wins(job)
        return MatchEnd(job, crashed(job, 0, 1).finished())

    matches = bench.play(script, 24)

    assert len(matches) > 12
    assert all("dan.1" in [seat.player for seat in match.seats] for match in matches)
    assert not Notice.objects.filter(text__contains="no match begins").exists()
    parked = Bot.objects.filter(parked__contains="5 faults in 10 matches")
    assert parked.exists()
    assert not parked.filter(name="dan").exists()
    with closing(bench.open()) as store:
        assert len(store.voids(bench.season(store)[1].id)) < 4 * FAULTS


def test_a_bot_that_fills_the_machine_alone_loses_the_second_time(bench: Bench) -> None:
    asked: Counter[str] = Counter()

    def script(job: Job) -> MatchEnd:
        if "ann.1" not in job.names():
            return first_wins(job)
        asked[job.key] += 1
        seat = job.names().index("ann.1")
        filled = Absence(seat=seat, termination=Termination.MEMORY, detail="most of the memory")
        return MatchEnd(
            job,
            void="too little memory",
            suspect=filled,
            is_exhausted=True,
            is_short=True,
            is_alone=True,
        )

    matches = bench.play(script, 30)

    lost = [match for match in matches if "ann.1" in [seat.player for seat in match.seats]]
    assert lost
    assert all(each.fault for m in lost for each in m.seats if each.player == "ann.1")
    assert max(asked.values()) <= 2


def test_ratings_are_published_and_points_are_never_changed(bench: Bench) -> None:
    from django.db import DatabaseError

    bench.play(first_wins, 30)

    assert all(version.rating is not None for version in Version.objects.all())
    points = RatingPoint.objects.count()
    assert points >= len(NAMES)
    with pytest.raises(DatabaseError, match="only added to"):
        RatingPoint.objects.update(rating=3000)
    with pytest.raises(DatabaseError, match="only added to"):
        RatingPoint.objects.all().delete()
    assert RatingPoint.objects.count() == points


def test_ratings_overwrite_nothing_that_is_written_meanwhile(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.play(first_wins, 8)

    def fit_meanwhile(*args: Any, **keywords: Any) -> Any:
        Version.objects.update(prior=1234)
        return fit(*args, **keywords)

    monkeypatch.setattr(standing, "fit", fit_meanwhile)
    with closing(bench.open()) as store:
        director = bench.director(store)
        director.standing.publish(director.roster.ranked, timezone.now())

    assert set(Version.objects.values_list("prior", flat=True)) == {1234}


def test_a_season_that_was_begun_differently_is_not_continued(bench: Bench) -> None:
    bench.play(first_wins, 1)
    season = bench.league.folder / "season.yaml"
    text = season.read_text()

    season.write_text(text.replace("per_move: 500ms", "per_move: 900ms"))
    with closing(bench.open()) as store:
        begun_season(store, bench.league.season(), {})
    season.write_text(text.replace("{name: pente}", "{name: pente, half_size: 10}"))
    with closing(bench.open()) as store, pytest.raises(UsageError, match="half_size"):
        begun_season(store, bench.league.season(), {})


def test_a_full_disk_begins_no_match_and_says_so(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arena.league.files.FREE_BYTES", 1 << 60)

    assert bench.play(first_wins, 5) == []
    assert Notice.objects.filter(text__contains="free").exists()
    said = capsys.readouterr().err
    assert said.startswith(f"no match begins: the disk of {bench.league.folder} has less than ")
    assert said.endswith("MB free; remove files from it, or move the league to a larger disk\n")
    assert said.count("\n") == 1, "each step would print it again"


def test_a_match_that_lacked_memory_is_told_and_begins_later(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking: list[str] = []

    def script(job: Job) -> MatchEnd:
        if lacking:
            return first_wins(job)
        lacking.append(job.key)
        return MatchEnd(job, void="no memory for a bot", is_exhausted=True)

    assert bench.play(script, 10)
    assert capsys.readouterr().err.splitlines() == [
        "no memory for a bot: waiting for free resources",
        "resources are free again, resuming",
    ]
    assert Notice.objects.filter(text__startswith="no memory for a bot").count() == 1


def test_a_sound_league_is_verified_and_a_forged_rating_is_found(bench: Bench) -> None:
    def texts() -> tuple[list[str], list[str]]:
        found = list(verified(bench.league, Random(1)))
        return [f.text for f in found if not f.is_fault], [f.text for f in found if f.is_fault]

    assert texts() == (
        ["the databases are whole, and every hand-in has its file", "no match was played yet"],
        [],
    )
    count = len(bench.play(first_wins, 30))
    good, bad = texts()
    assert bad == []
    assert good[1] == f"{count} matches of {count} replayed, 0 wrong"
    assert good[2] == "4 ratings fitted again, 0 far from those published"

    Version.objects.filter(player="bob.1").update(rating=9000)
    assert [text.split(":")[0] for text in texts()[1]] == ["bob.1"]


def test_an_exported_season_is_a_database_of_arena(bench: Bench, tmp_path: Path) -> None:
    count = len(bench.play(first_wins, 6))

    assert export_season(bench.league, tmp_path / "season.db") == count

    with closing(Store(tmp_path / "season.db")) as store:
        event = store.latest_event()
        assert event is not None
        assert store.count(event.id) == count
    with pytest.raises(UsageError, match="exists"):
        export_season(bench.league, tmp_path / "season.db")


def test_an_export_has_the_seed_only_after_the_end_of_the_season(
    bench: Bench, tmp_path: Path
) -> None:
    bench.play(first_wins, 6)
    with closing(bench.open()) as store:
        event = store.latest_event()
        assert event is not None
        export_season(bench.league, tmp_path / "before.db")
        close_event(store, event)
    export_season(bench.league, tmp_path / "after.db")

    seed = str(event.seed).encode()
    assert seed not in (tmp_path / "before.db").read_bytes()
    assert seed in (tmp_path / "after.db").read_bytes()
    with closing(Store(tmp_path / "before.db")) as store:
        found = store.latest_event()
        assert found is not None
        assert (told_seed(found), seed_hash(found)) == (None, sha256(seed).hexdigest())
        number = next(store.matches(found.id)).id
        assert str(event.seed) not in store.record_line(number)


@pytest.mark.usefixtures("bench")
def test_a_new_version_of_a_house_bot_keeps_its_place_on_the_scale() -> None:
    Bot.objects.filter(name__in=["ann", "bob"]).update(team=None)
    add_version(Bot.objects.get(name="ann"), "another tree")
    standing = Standing({"ann": 2000.0, "bob": 2000.0})

    elos = standing.fitted(["ann.2", "bob.1"]).elos

    assert round((elos["ann.2"].value + elos["bob.1"].value) / 2) == 2000
