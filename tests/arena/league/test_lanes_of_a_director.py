"""Lanes of the director: tests of parked versions, challenges, old versions, and its counts."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from django.utils import timezone
from events import crashed, first_wins, player
from test_league_director import Bench

from arena.league.directing.roster import PREPARE_S, Roster
from arena.league.directing.standing import Standing
from arena.league.hand_ins.versions import add_version
from arena.league.ladder.breaker import FIRST_WAIT_S
from arena.league.seasons.season import PAIR, unrated_name
from arena.league.site.models import Bot, Challenge, Person, Version
from arena.results.store import MatchRow
from referee.job import Job
from referee.records.match_end import MatchEnd

Script = Callable[[Job], MatchEnd]


@pytest.fixture
def bench(league: Any, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    return Bench(league)


def crashing(name: str) -> Script:
    def script(job: Job) -> MatchEnd:
        seats = [seat for seat, each in enumerate(job.names()) if each == name]
        return MatchEnd(job, crashed(job, *seats).finished()) if seats else first_wins(job)

    return script


def unrated(bench: Bench) -> list[MatchRow]:
    with closing(bench.open()) as store:
        event = store.latest_event(unrated_name(bench.config))
        assert event is not None
        return list(store.matches(event.id))


def make_house(name: str) -> None:
    Bot.objects.filter(name=name).update(team=None)


def test_a_house_bot_tests_a_parked_version_after_a_while(bench: Bench) -> None:
    make_house("ann")
    bench.play(crashing("bob.1"), 40)
    assert Bot.objects.get(name="bob").parked
    assert unrated(bench) == []

    bench.now_s += FIRST_WAIT_S
    bench.play(first_wins, 20)

    assert Bot.objects.get(name="bob").parked == ""
    tests = unrated(bench)
    assert {frozenset(seat.player for seat in match.seats) for match in tests} == {
        frozenset({"ann.1", "bob.1"})
    }
    assert len(tests) == PAIR


def test_a_failed_test_doubles_the_wait_even_over_a_restart(bench: Bench) -> None:
    make_house("ann")
    bench.play(crashing("bob.1"), 40)
    bench.now_s += FIRST_WAIT_S
    bench.play(crashing("bob.1"), 20)
    failed = len(unrated(bench))
    assert 1 <= failed <= PAIR
    assert Bot.objects.get(name="bob").parked

    bench.now_s += FIRST_WAIT_S + 1
    bench.play(first_wins, 20)
    assert len(unrated(bench)) == failed

    bench.now_s += FIRST_WAIT_S
    bench.play(first_wins, 20)
    assert len(unrated(bench)) == failed + PAIR
    assert Bot.objects.get(name="bob").parked == ""


def challenge(one: str, other: str) -> Challenge:
    person = Person.objects.get_or_create(name="Pat", folded="pat")[0]
    rows = {name: Version.objects.get(player=name) for name in (one, other)}
    found: Challenge = Challenge.objects.create(person=person, one=rows[one], other=rows[other])
    return found


def test_a_challenge_is_played_once_and_never_rated(bench: Bench) -> None:
    asked = challenge("ann.1", "bob.1")

    rated = bench.play(first_wins, 12)

    asked.refresh_from_db()
    assert asked.ended is not None
    matches = unrated(bench)
    assert [match.board for match in matches] == [asked.unit] * PAIR
    assert asked.unit not in {match.board for match in rated}


def test_challenges_leave_most_slots_to_the_ladder(bench: Bench) -> None:
    for _ in range(40):
        challenge("ann.1", "bob.1")

    rated = bench.play(first_wins, 60)

    assert 2 <= len(unrated(bench)) < 0.2 * len(rated)


def test_a_challenge_of_a_version_that_cannot_play_ends(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arena.errors import BotError

    def prepared(_: Roster, version: Version) -> Any:
        if version.player == "dan.1":
            raise BotError(version.player, "cannot be built")
        return player(version.player)

    monkeypatch.setattr(Roster, "_prepared", prepared)
    asked = challenge("ann.1", "dan.1")

    bench.play(first_wins, 12)

    asked.refresh_from_db()
    assert asked.ended is not None
    assert unrated(bench) == []


def test_the_version_before_plays_on_in_few_matches(bench: Bench) -> None:
    bench.play(first_wins, 10)
    add_version(Bot.objects.get(name="bob"), "another tree of bob")

    matches = bench.play(first_wins, 120)

    later = [match for match in matches if any(s.player == "bob.2" for s in match.seats)]
    begun = min(match.id for match in later)
    after = [match for match in matches if match.id > begun + 6]
    old = [match for match in after if any(seat.player == "bob.1" for seat in match.seats)]
    assert 0 < len(old) < 0.08 * len(after)
    assert not any({"bob.1", "bob.2"} == {s.player for s in match.seats} for match in old)


def test_a_director_starts_from_its_counts(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.play(first_wins, 30)
    with closing(bench.open()) as store:
        first = bench.director(store)
        first.standing.publish(first.roster.ranked, timezone.now())
        first.save()
    read: list[int] = []
    add = Standing.add

    def seen(self: Standing, match: MatchRow, now_s: float = 0.0) -> None:
        read.append(match.id)
        add(self, match, now_s)

    monkeypatch.setattr(Standing, "add", seen)

    with closing(bench.open()) as store:
        again = bench.director(store)

    assert read == []
    assert again.standing.to_values() == first.standing.to_values()
    assert first.standing.start is not None
    assert again.standing.start == first.standing.start
    assert again.standing.count > 0
    matches = bench.play(first_wins, 4)
    assert read == [match.id for match in matches if match.id > first.standing.last]


@pytest.mark.parametrize("damage", ["text", "void", "none", "other"])
def test_counts_that_are_wrong_are_made_again(bench: Bench, damage: str) -> None:
    bench.play(first_wins, 30)
    path = bench.league.counts
    with closing(bench.open()) as store:
        director = bench.director(store)
        director.save()
        last = director.standing.last
        if damage == "text":
            path.write_text('{"format": 1')
        elif damage == "none":
            path.unlink()
        elif damage == "other":
            path.write_text(path.read_text().replace('"key": "', '"key": "not '))
        else:
            with store.database.transaction() as db:
                db.execute("UPDATE match SET aside = 1 WHERE id <= ?", (last // 2,))

        again = bench.director(store).standing

        assert again.count == store.count(bench.season(store)[1].id)
        fresh = Standing({})
        for match in store.matches(bench.season(store)[1].id):
            fresh.add(match, 0.0)
        values = again.to_values()
        assert {**values, "breakers": {}} == {**fresh.to_values(), "breakers": {}}


def test_matches_begin_before_all_bots_are_prepared(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]

    def prepared(_: Roster, version: Version) -> Any:
        clock[0] += 0.6 * PREPARE_S
        return player(version.player)

    monkeypatch.setattr(Roster, "_prepared", prepared)
    with closing(bench.open()) as store:
        season, _ = bench.season(store)
        roster = Roster(bench.league, season, lambda: clock[0])
        roster.refresh()
        assert list(roster.active) == ["ann.1", "bob.1"]
        assert list(roster.ranked) == ["ann.1", "bob.1", "cat.1", "dan.1"]
        roster.refresh()
        assert list(roster.active) == ["ann.1", "bob.1", "cat.1", "dan.1"]
