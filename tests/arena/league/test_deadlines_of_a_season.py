"""Deadlines: the time of receipt counts, and what came late displaces nothing."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from leagues import Cast, cast, client_of, hand_in, state_of
from test_checks import accept, checks_of, run

from arena.errors import UsageError
from arena.league.folder import League
from arena.league.hand_ins import reception
from arena.league.hand_ins.reception import BusyError, quota_of, receive
from arena.league.seasons.deadlines import (
    Subject,
    extend,
    late_versions,
    open_season,
    restore,
    season_now,
    set_deadline,
)
from arena.league.site.models import Audit, Bot, Extension, HandIn, Person, Season

NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)
Set = Callable[[datetime], None]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Set:
    """Set the time of the league; before the first setting it is an hour before noon."""

    def at(time: datetime) -> None:
        monkeypatch.setattr(timezone, "now", lambda: time)

    at(NOON - timedelta(hours=1))
    return at


@pytest.fixture
def people(clock: Set) -> Cast:
    del clock
    open_season("season-1")
    found = cast()
    set_deadline(found.staff, NOON, Season.UNRANKED)
    return found


def later(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def playing() -> int | None:
    """Return the number of the version that plays."""
    active = Bot.objects.get().active
    return None if active is None else active.number


def checked(league: League) -> None:
    run(checks_of(league, accept))


def test_a_hand_in_after_the_deadline_is_examined_and_does_not_play(
    league: League, people: Cast, clock: Set
) -> None:
    first = hand_in(league, people.bot, b"in time")
    checked(league)
    clock(later(0.001))
    second = hand_in(league, people.bot, b"too late")
    checked(league)

    assert (first.is_late, second.is_late) == (False, True)
    assert [state_of(each) for each in (first, second)] == ["accepted", "accepted"]
    assert playing() == 1
    late = Bot.objects.get().versions.get(number=2)
    assert late_versions(Bot.objects.get().versions.all()) == {late.pk}
    page = client_of(people.owner).get(f"/hand-ins/{second.number}").content.decode()
    assert "version 2 is kept and does not play" in page
    table = client_of(people.rival).get("/").content.decode()
    assert "version 2, received 2026-11-27 12:00:00 UTC" in table
    extend(people.staff, Subject(person=people.owner), later(1))
    assert "not ranked" not in client_of(people.rival).get("/").content.decode()


def test_the_last_instant_is_in_time(league: League, people: Cast, clock: Set) -> None:
    clock(NOON)
    assert not hand_in(league, people.bot, b"bytes").is_late


def test_a_late_hand_in_never_replaces_one_that_waits_in_time(
    league: League, people: Cast, clock: Set
) -> None:
    first = hand_in(league, people.bot, b"in time")
    clock(later(1))
    second = hand_in(league, people.bot, b"too late")
    third = hand_in(league, people.bot, b"later yet")

    assert [state_of(each) for each in (first, second, third)] == ["waiting", "replaced", "waiting"]
    checked(league)
    assert (state_of(first), playing()) == ("accepted", 1)


def test_a_check_that_the_machine_ended_still_waits_beside_a_late_hand_in(
    league: League, people: Cast, clock: Set
) -> None:
    first = hand_in(league, people.bot, b"in time")
    HandIn.objects.update(state=HandIn.CHECKING)
    clock(later(1))
    hand_in(league, people.bot, b"too late")

    checked(league)

    assert (state_of(first), playing()) == ("accepted", 1)


def test_a_closed_deadline_keeps_and_does_not_examine(
    league: League, people: Cast, clock: Set
) -> None:
    set_deadline(people.staff, NOON, Season.CLOSED)
    clock(later(1))
    receipt = hand_in(league, people.bot, b"too late")
    checked(league)

    assert state_of(receipt) == "late"
    page = client_of(people.owner).get(f"/hand-ins/{receipt.number}").content.decode()
    assert page.count("kept and not examined") == 1
    assert HandIn.objects.get().report == []


@pytest.mark.parametrize("late", [Season.UNRANKED, Season.CLOSED])
def test_an_extension_given_afterwards_has_the_late_one_play(
    league: League, people: Cast, clock: Set, late: str
) -> None:
    set_deadline(people.staff, NOON, late)
    clock(later(5))
    hand_in(league, people.bot, b"1")
    hand_in(league, people.bot, b"2")
    checked(league)
    assert playing() is None

    extend(people.staff, Subject(team=people.owner.teams.get()), later(10))
    checked(league)

    row = HandIn.objects.get(version=Bot.objects.get().active)
    assert (row.pk, row.is_late) == (HandIn.objects.latest("pk").pk, False)


def test_an_extension_of_a_person_is_not_one_of_the_team(
    league: League, people: Cast, clock: Set
) -> None:
    extend(people.staff, Subject(person=people.mate), later(10))
    clock(later(5))

    mine = receive(league, people.owner, people.bot, "bot.zip", [b"x"])
    mates = receive(league, people.mate, people.bot, "bot.zip", [b"y"])

    assert (mine.is_late, mates.is_late) == (True, False)


def test_the_newest_extension_counts_and_never_one_before_the_deadline(
    league: League, people: Cast, clock: Set
) -> None:
    team = Subject(team=people.owner.teams.get())
    extend(people.staff, team, later(60))
    extend(people.staff, team, later(-30))
    clock(later(-10))
    assert not hand_in(league, people.bot, b"x").is_late
    clock(later(5))
    assert hand_in(league, people.bot, b"y").is_late


def test_an_earlier_deadline_has_the_last_one_in_time_play(
    league: League, people: Cast, clock: Set
) -> None:
    hand_in(league, people.bot, b"1")
    checked(league)
    clock(later(-10))
    hand_in(league, people.bot, b"2")
    checked(league)
    assert playing() == 2

    set_deadline(people.staff, later(-30), Season.UNRANKED)
    assert playing() == 1
    set_deadline(people.staff, later(-90), Season.UNRANKED)
    assert playing() is None
    set_deadline(people.staff, None, Season.UNRANKED)
    assert playing() == 2


def test_late_ones_play_where_staff_has_chosen_so(league: League, people: Cast, clock: Set) -> None:
    clock(later(1))
    receipt = hand_in(league, people.bot, b"1")
    checked(league)
    assert playing() is None

    set_deadline(people.staff, NOON, Season.RANKED)

    assert (playing(), HandIn.objects.get(pk=receipt.number).is_late) == (1, True)


def test_a_deadline_that_staff_moves_during_a_check_decides(
    league: League, people: Cast, clock: Set
) -> None:
    clock(later(1))
    hand_in(league, people.bot, b"1")
    checks = checks_of(league, accept)
    checks.step()
    set_deadline(people.staff, later(2), Season.UNRANKED)
    run(checks)

    assert (playing(), HandIn.objects.get().is_late) == (1, False)


def test_the_owner_has_an_earlier_version_play_until_the_deadline(
    league: League, people: Cast, clock: Set
) -> None:
    for data in (b"1", b"2"):
        hand_in(league, people.bot, data)
        checked(league)
    owner, rival = client_of(people.owner), client_of(people.rival)
    address = "/bots/deep-blue/versions/1/play"

    assert rival.post(address).status_code == 403
    assert owner.post(address).status_code == 302
    assert playing() == 1
    assert Audit.objects.filter(action="had a version play again", person=people.owner).exists()
    assert owner.post("/bots/deep-blue/versions/9/play").status_code == 400

    clock(later(1))
    with pytest.raises(UsageError, match="deadline is over"):
        restore(people.owner, people.bot, 2)
    restore(people.staff, people.bot, 2)
    assert playing() == 2


def test_a_late_version_is_only_played_again_by_staff(
    league: League, people: Cast, clock: Set
) -> None:
    clock(later(1))
    hand_in(league, people.bot, b"1")
    checked(league)
    clock(later(-1))  # as in a season without a deadline
    with pytest.raises(UsageError, match="handed in late"):
        restore(people.owner, people.bot, 1)


def test_a_page_offers_only_versions_that_its_reader_may_have_play_again(
    league: League, people: Cast, clock: Set
) -> None:
    def offered(person: Person) -> list[int]:
        client = client_of(person)
        page = client.get("/bots/deep-blue").content.decode()
        buttons = [int(number) for number in re.findall(r"/versions/(\d+)/play", page)]
        for number in buttons:
            assert client.post(f"/bots/deep-blue/versions/{number}/play").status_code == 302
            restore(people.staff, people.bot, 2)
        assert ("Action" in page) == bool(buttons)
        return buttons

    for minutes, data in ((-2, b"1"), (-1, b"2"), (1, b"3")):
        clock(later(minutes))
        hand_in(league, people.bot, data)
        checked(league)

    assert (offered(people.owner), offered(people.staff)) == ([], [3, 1])
    assert "3, accepted, late" in client_of(people.owner).get("/me").content.decode()
    clock(later(-1))
    assert offered(people.owner) == [1]


def test_a_quota_says_what_fills_it_and_when_the_next_is_free(
    league: League, people: Cast, clock: Set, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "PER_HOUR", 2)
    for minutes, state in ((-50, "refused"), (-40, "accepted"), (-30, "accepted")):
        clock(later(minutes))
        receipt = hand_in(league, people.bot, b"12345")
        HandIn.objects.filter(pk=receipt.number).update(state=state)

    text = str(quota_of(people.bot))
    assert text == (
        "2 of 2 hand-ins in the last hour, and 1 refused or replaced, which are free;"
        " 0.0 of 1000 MB kept; the next one is accepted at 12:20:00 UTC"
    )
    with pytest.raises(BusyError, match="12:20:00"):
        hand_in(league, people.bot, b"more")
    clock(later(20))
    assert quota_of(people.bot).next_at is None
    assert "1 of 2" in client_of(people.owner).get("/me").content.decode()


def test_staff_sets_deadline_and_extension_by_page(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(people.staff)
    team = people.owner.teams.get()

    client.post("/staff/season/deadline", {"deadline": "2026-12-24T18:00", "late": "closed"})
    client.post("/staff/season/extensions", {"who": f"team {team.pk}", "until": "2026-12-25T18:00"})

    season = season_now()
    assert season is not None
    assert season.deadline == datetime(2026, 12, 24, 18, tzinfo=UTC)
    assert Extension.objects.get().until == datetime(2026, 12, 25, 18, tzinfo=UTC)
    page = client.get("/staff/season").content.decode()
    assert re.search(r"Now it is \d{4}-\d\d-\d\d \d\d:\d\d UTC", page)
    entrant = client_of(people.owner)
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 12, 25, 9, 5, tzinfo=UTC))
    page = entrant.get("/me").content.decode()
    assert (
        "Deadline 2026-12-25 18:00:00 UTC, now it is 2026-12-25 09:05 UTC;"
        " late hand-ins are kept and not examined." in page
    )


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("deadline", {"deadline": "soon", "late": "closed"}),
        ("deadline", {"deadline": "2026-12-24T18:00", "late": "always"}),
        ("deadline", {"deadline": "9" * 30, "late": "closed"}),
        ("extensions", {"who": "team 99", "until": "2026-12-24T18:00"}),
        ("extensions", {"who": "bot 1", "until": "2026-12-24T18:00"}),
        ("extensions", {"who": "", "until": ""}),
        ("freeze", {"since": "\x00"}),
        ("reveal", {}),
    ],
)
def test_a_wrong_form_changes_nothing(people: Cast, address: str, form: dict[str, str]) -> None:
    before = Audit.objects.count()

    assert client_of(people.staff).post(f"/staff/season/{address}", form).status_code == 400
    assert Audit.objects.count() == before


@pytest.mark.usefixtures("people")
def test_another_name_of_a_season_begins_a_new_one() -> None:
    open_season("season-2")
    assert [each.name for each in Season.objects.filter(ended=None)] == ["season-2"]
    season = season_now()
    assert season is not None
    assert season.deadline is None
    assert open_season("season-1").deadline == NOON
