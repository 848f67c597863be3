"""While a season is frozen, entrants see nothing of what happens, on whatever page."""

import asyncio
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from events import first_wins, new_store, player, won_by
from leagues import PASSWORD, bearer, cast, client_of
from test_league_director import Bench

from arena.league.directing.roster import Roster
from arena.league.folder import League
from arena.league.persons.people import add_person
from arena.league.seasons.deadlines import open_season
from arena.league.seasons.freeze import freeze, reveal
from arena.league.site.models import Audit, Bot, Person, RatingPoint, Season, Team, Version
from arena.league.web.live import Boards
from arena.league.web.results import rivals_of
from arena.league.web.watching import projector_key
from referee.records.match_end import MatchEnd


@pytest.fixture
def bench(league: League, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    open_season("season-1")
    return Bench(league)


def ratings() -> dict[str, float]:
    return {version.player: version.rating for version in Version.objects.all()}


def member(name: str, team: Team) -> Person:
    person = add_person(name, team=team.name)
    person.set_password(PASSWORD)
    person.save()
    return person


def test_ratings_of_a_frozen_season_reach_staff_alone(bench: Bench) -> None:
    people = cast()
    bench.play(first_wins, 12)
    before, points = ratings(), RatingPoint.objects.count()
    assert {point.season.name for point in RatingPoint.objects.all()} == {"season-1"}

    freeze(people.staff, None)
    bench.play(lambda job: MatchEnd(job, won_by(job, job.names()[0] > "b").finished()), 24)

    assert ratings() == before
    assert RatingPoint.objects.count() == points
    sealed = {row["player"]: row for row in Season.objects.get().table}
    assert {f"{row['rating']:.0f}" for row in sealed.values()}
    page = client_of(people.staff).get("/staff/season").content.decode()
    assert all(player in page for player in sealed)

    reveal(people.staff)
    assert ratings() == {name: sealed[name]["rating"] for name in before}
    assert ratings() != before


def seen_by(person: Person, matches: list[Any], hidden: set[int]) -> set[int]:
    """Return the matches that a person may see, which pages and API agree about."""
    client = client_of(person)
    found = set()
    for match in matches:
        codes = {client.get(f"/matches/{match.id}{end}").status_code for end in ("", "/board")}
        assert len(codes) == 1
        found |= {match.id} if codes == {200} else set()
    headers = bearer(person)
    by_api = client.get("/api/bots/bob/matches", headers=headers).json()["matches"]
    assert {each["number"] for each in by_api} <= found
    for match in matches:
        for end in ("", "/file"):
            answer = client.get(f"/api/matches/{match.id}{end}", headers=headers)
            assert (answer.status_code == 200) == (match.id in found)
    listed = client.get("/bots/bob").content.decode()
    assert all((f"/matches/{each}" in listed) <= (each in found) for each in hidden)
    return found


def test_matches_after_the_freeze_are_hidden_from_all_who_did_not_play_them(bench: Bench) -> None:
    people = cast()
    team = Team.objects.create(name="Ann", folded="ann")
    Bot.objects.filter(name="ann").update(team=team)
    own = member("Anna", team)
    matches = bench.play(first_wins, 16)
    times = sorted(match.finished for match in matches)
    frozen = datetime.fromisoformat(times[len(times) // 2])
    Season.objects.update(frozen=frozen)
    hidden = {each.id for each in matches if datetime.fromisoformat(each.finished) > frozen}
    played = {each.id for each in matches if "ann.1" in [seat.player for seat in each.seats]}
    assert hidden & played
    assert hidden - played

    rows = rivals_of("bob.1")
    bobs = [each for each in matches if "bob.1" in [seat.player for seat in each.seats]]
    assert sum(row.matches for row in rows) == sum(each.id not in hidden for each in bobs)
    assert hidden & {each.id for each in bobs}

    every = {match.id for match in matches}
    assert seen_by(people.rival, matches, hidden) == every - hidden
    assert seen_by(own, matches, hidden) == every - (hidden - played)
    assert seen_by(people.staff, matches, hidden) == every


def test_boards_in_play_are_hidden_from_the_freeze_on() -> None:
    people = cast()
    open_season("season-1")
    key = projector_key()
    freeze(people.staff, None)

    for person in (people.rival, people.owner):
        assert client_of(person).get("/live/changes").status_code == 503
    assert client_of().get(f"/projector/{key}/changes").status_code == 503


def test_a_page_of_boards_that_is_open_at_the_freeze_ends(tmp_path: Path) -> None:
    new_store(tmp_path).close()
    boards = Boards(tmp_path / "arena.db", lambda: True)

    async def hear() -> list[bytes]:
        messages = boards.open(None)
        assert messages is not None
        return [data async for data in messages]

    assert asyncio.run(asyncio.wait_for(hear(), 200)) == [b": the boards in play\n\n"]


def test_a_freeze_is_recorded_and_can_be_scheduled() -> None:
    people = cast()
    season = open_season("season-1")
    client = client_of(people.staff)

    client.post("/staff/season/freeze", {"since": "2999-01-01T00:00"})
    season.refresh_from_db()
    assert not season.is_frozen
    assert "frozen" not in client_of(people.owner).get("/").content.decode()
    client.post("/staff/season/reveal")
    client.post("/staff/season/freeze")
    season.refresh_from_db()
    assert season.is_frozen
    assert client.post("/staff/season/freeze").status_code == 400
    owner = client_of(people.owner)
    for page in ("/", f"/bots/{people.bot.name}"):
        assert "The table is frozen since" in owner.get(page).content.decode()

    done = Audit.objects.filter(person=people.staff).order_by("pk")
    assert [row.action for row in done] == [
        "froze the table",
        "revealed the table",
        "froze the table",
    ]
    assert "Reveal the table" in client.get("/staff/season").content.decode()
    assert "froze the table" in client.get("/staff/actions").content.decode()


@pytest.mark.usefixtures("bench")
def test_a_season_that_ended_frozen_keeps_its_hidden_table() -> None:
    people = cast()
    freeze(people.staff, None)
    season = Season.objects.get()
    row = {"player": "ann.1", "place": 1, "rating": 1.0, "error": 1.0, "mean_score": 0.5}
    season.table = [{**row, "matches": 2}]
    season.save()
    open_season("season-2")  # as after an edit of season.yaml by hand

    client = client_of(people.rival)

    assert "season-1" not in client.get("/seasons").content.decode()
    assert client.get(f"/seasons/{season.pk}").status_code == 404
    assert client.get(f"/seasons/{season.pk}/bots/ann").status_code == 404
