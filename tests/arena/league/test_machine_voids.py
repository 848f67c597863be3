"""The results of a bad machine are voided in one action, with a preview."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from events import first_wins, player
from leagues import cast, client_of
from test_league_director import Bench

from arena.cluster.orders import DIRECTOR
from arena.errors import UsageError
from arena.league.directing.roster import Roster
from arena.league.directing.standing import Standing
from arena.league.directing.voiding import voided
from arena.league.seasons.season import PAIR
from arena.league.site.models import Audit, MachineVoid, Version
from referee.job import Job
from referee.records.match_end import MatchEnd, Worker

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def bench(league: Any, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    return Bench(league)


def on_two_machines(job: Job) -> MatchEnd:
    """Play every third pair on a worker."""
    unit = int(job.key.split("/")[1][1:])
    return replace(first_wins(job), worker=Worker("pc-3", 1.0) if unit % 3 == 0 else None)


def lines(bench: Bench, machine: str, since: datetime = LONG_AGO, *, yes: bool = False) -> str:
    return "\n".join(voided(bench.league, machine, since, is_meant=yes))


def test_a_preview_changes_nothing(bench: Bench) -> None:
    matches = bench.play(on_two_machines, 30)
    theirs = [match for match in matches if match.board % 3 == 0]

    said = lines(bench, "pc-3")

    assert said.startswith(f"{len(theirs)} matches of 4 versions in pairs that pc-3 has played")
    assert "becomes" in said
    assert said.endswith("--yes voids them")
    assert not MachineVoid.objects.exists()
    assert len(bench.play(on_two_machines, 1)) >= len(matches)


def test_the_results_of_a_machine_are_voided_in_whole_pairs(bench: Bench) -> None:
    before = bench.play(on_two_machines, 30)

    lines(bench, "pc-3", yes=True)
    after = bench.play(first_wins, 30)

    kept = {match.id for match in before if match.board % 3 != 0}
    assert kept <= {match.id for match in after}
    assert not [m for m in after if m.board % 3 == 0 and m.board < max(m.board for m in before)]
    order = MachineVoid.objects.get()
    assert order.done is not None
    assert order.matches == sum(match.board % 3 == 0 for match in before)
    assert Audit.objects.filter(action="voided a machine", thing__startswith="pc-3").exists()
    # no pair is played again, and the ratings are those of a fit without them
    fresh = Standing({})
    for match in after:
        fresh.add(match)
    with closing(bench.open()) as store:
        director = bench.director(store)
        assert director.standing.tally.matches == fresh.tally.matches
        assert list(director.standing.tally.pairings()) == list(fresh.tally.pairings())
    assert Version.objects.get(player="ann.1").matches <= fresh.tally.matches["ann.1"]


def test_a_running_director_takes_counts_back_as_a_new_one_would(bench: Bench) -> None:
    bench.play(on_two_machines, 24)
    with closing(bench.open()) as store:
        director = bench.director(store)
        director.save()
        MachineVoid.objects.create(machine="pc-3", since=LONG_AGO)
        director.standing.void_machines(store, director._event.id)
        changed = director.standing.to_values()
        director.save()
        again = bench.director(store).standing.to_values()

        fresh = Standing({})
        for match in store.matches(bench.season(store)[1].id):
            fresh.add(match)
    assert again == changed
    assert changed["tally"]["pairings"] == fresh.to_values()["tally"]["pairings"]
    assert changed["count"] == fresh.count


def test_only_results_since_the_time_are_void(bench: Bench) -> None:
    bench.play(on_two_machines, 20)
    later = datetime.now(UTC) + timedelta(hours=1)

    with pytest.raises(UsageError, match="nothing that counts since"):
        lines(bench, "pc-3", later, yes=True)
    with pytest.raises(UsageError, match=r"machines that have: director \(\d+ matches\), pc-3"):
        lines(bench, "pc-4")

    assert lines(bench, DIRECTOR)
    assert not MachineVoid.objects.exists()


def test_a_pair_that_is_half_played_is_not_rated_after_the_void(bench: Bench) -> None:
    with closing(bench.open()) as store:
        from events import FakeSlots

        director = bench.director(store)
        places = FakeSlots(lambda job: replace(first_wins(job), worker=Worker("pc-3", 1.0)), 1, [])
        while director.standing.count < PAIR + 1:
            director.step(places)
            places.running()
            bench.now_s += 0.1
        MachineVoid.objects.create(machine="pc-3", since=LONG_AGO)
        director.standing.void_machines(store, director._event.id)
        assert director.standing.count == 0
        assert director.standing.tally.matches.total() == 0


def test_staff_sees_what_a_void_changes_and_orders_it_on_a_page(bench: Bench) -> None:
    people = cast()
    client = client_of(people.staff)
    assert "No match was played yet" in client.get("/staff/machines").content.decode()
    matches = bench.play(on_two_machines, 20)
    theirs = [match for match in matches if match.board % 3 == 0]
    form = {"machine": "pc-3", "since": "2020-01-01T00:00:00"}

    page = client.get("/staff/machines", form).content.decode()

    assert f"{len(theirs)} matches of" in page
    assert "becomes" in page
    assert not MachineVoid.objects.exists()
    assert client.post("/staff/machines/void", form).status_code == 302
    order = MachineVoid.objects.get()
    assert (order.machine, order.since, order.person) == ("pc-3", LONG_AGO, people.staff)
    assert Audit.objects.filter(action="voided a machine", person=people.staff).exists()
    assert "the director has not done it yet" in client.get("/staff/machines").content.decode()
    bench.play(first_wins, 1)
    assert f": {len(theirs)} matches</li>" in client.get("/staff/machines").content.decode()


@pytest.mark.parametrize(
    "form",
    [
        {"machine": "<b>pc-9</b>", "since": "2020-01-01T00:00"},
        {"machine": "pc-3", "since": "yesterday"},
        {"machine": "pc-3", "since": "0001-01-01T00:00+14:00"},
        {"machine": "pc-3"},
    ],
)
def test_a_void_of_nothing_is_refused_on_a_page(bench: Bench, form: dict[str, str]) -> None:
    bench.play(first_wins, 2)
    client = client_of(cast().staff)

    shown = client.get("/staff/machines", form)
    assert shown.status_code == 400
    assert "<b>" not in shown.content.decode()
    assert client.post("/staff/machines/void", form).status_code == 400
    assert not MachineVoid.objects.exists()
