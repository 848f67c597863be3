"""A final in one action: locked by receipt, played as an ordinary event, published afterwards."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from events import first_wins, player
from leagues import cast, client_of, hand_in, zipped
from test_checks import accept, checks_of, run
from test_league_director import Bench

from arena.errors import UsageError
from arena.league.directing.roster import Roster
from arena.league.folder import FINAL, League
from arena.league.seasons import finals
from arena.league.seasons.deadlines import open_season
from arena.league.seasons.finals import chosen, entrants, play_final
from arena.league.seasons.freeze import freeze
from arena.league.site.models import Audit, Bot, Final, HandIn, Version

FILES = {"bot.yaml": 'run: ["{python}", main.py]\n', "main.py": "print()\n"}


def silent(_: str) -> None:
    """Tell nobody."""


@pytest.fixture
def season(league: League) -> Any:
    """A season with two house bots and the bot of a team, which has two versions."""
    path = league.folder / "season.yaml"
    text = path.read_text().replace("[random, greedy, searcher]", "[random, greedy]")
    path.write_text(text.replace("random_plies: 4", "random_plies: 2"))
    people = cast()
    found = open_season("season-1")
    for number in (1, 2):
        hand_in(league, people.bot, zipped({**FILES, "note": str(number)}))
        run(checks_of(league, accept))
    assert Bot.objects.get().active.number == 2
    return found


def test_the_final_has_the_versions_at_the_lock_by_their_receipt(season: Any) -> None:
    first, second = HandIn.objects.order_by("pk")
    final = Final.objects.create(season=season, locked=first.received)
    assert [version.number for version in entrants(final)] == [1]

    final.locked = second.received
    assert [version.number for version in entrants(final)] == [2]
    Bot.objects.update(active=Version.objects.get(number=1))  # its owner has chosen so
    assert [version.number for version in entrants(final)] == [1]
    final.locked = first.received - timedelta(seconds=1)
    assert entrants(final) == []


def test_a_final_of_house_bots_alone_locks_nothing(league: League) -> None:
    open_season("season-1")

    with pytest.raises(UsageError, match="no entrant has a bot that plays yet; nothing was locked"):
        play_final(league, silent)

    assert not Final.objects.exists()
    assert not Audit.objects.filter(action="locked a final").exists()


@pytest.mark.parametrize(
    "state",
    [HandIn.WAITING, HandIn.CHECKING, HandIn.REFUSED, HandIn.REPLACED, HandIn.LATE],
)
def test_a_hand_in_without_a_version_keeps_no_bot_from_the_final(
    league: League, season: Any, state: str
) -> None:
    hand_in(league, Bot.objects.get(), zipped({**FILES, "note": state}))
    HandIn.objects.filter(version=None).update(state=state)

    final = Final.objects.create(season=season, locked=timezone.now())

    assert [version.number for version in entrants(final)] == [2]


def test_an_interrupted_final_keeps_its_entrants(season: Any) -> None:
    final = Final.objects.create(season=season, locked=timezone.now())
    assert [version.number for version in chosen(final)] == [2]

    Bot.objects.update(active=Version.objects.get(number=1))  # its owner chooses another one

    assert [version.number for version in chosen(Final.objects.get())] == [2]


def test_a_late_version_is_not_in_the_final(season: Any) -> None:
    HandIn.objects.filter(version__number=2).update(is_late=True)
    Bot.objects.update(active=Version.objects.get(number=1))

    final = Final.objects.create(season=season, locked=timezone.now())

    assert [version.number for version in entrants(final)] == [1]


def test_checks_of_before_the_lock_are_waited_for(
    league: League, season: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finals, "played", lambda *_: None)
    monkeypatch.setattr(finals, "_publish", lambda *_: None)
    hand_in(league, Bot.objects.get(), zipped({**FILES, "note": "3"}))

    with pytest.raises(UsageError, match="start the league"):
        play_final(league, silent)
    lock = Final.objects.get().locked

    said: list[str] = []
    with league.lock("director"):
        play_final(league, said.append, lambda _: run(checks_of(league, accept)))

    assert Final.objects.get().locked == lock
    assert "waiting for the check of 1 hand-in" in said
    assert [version.number for version in entrants(Final.objects.get())] == [3]
    assert season.finals.count() == 1


def test_the_final_is_really_played_and_published(
    league: League, season: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finals, "LEAST_MATCHES", 4)
    Bot.objects.update(active=None)
    HandIn.objects.update(version=None)  # two house bots alone
    monkeypatch.setattr(finals, "_has_entrant", lambda _: True)
    client = client_of(cast_person())
    final = play_final(league, silent)

    rows = final.table
    assert {row["bot"] for row in rows} == {"random", "greedy"}
    assert {row["matches"] for row in rows} == {4}
    page = client.get("/finals").content.decode()
    assert "greedy" in page
    assert [row.action for row in Audit.objects.order_by("pk")][-2:] == [
        "locked a final",
        "published a final",
    ]
    assert not list(league.folder.glob(".season*"))
    assert season.finals.get().ended is not None


def cast_person() -> Any:
    from arena.league.site.models import Person

    return Person.objects.get(name="Rita")


def test_a_published_final_is_hidden_by_a_freeze(season: Any) -> None:
    rows = [{"place": 1, "bot": "deep-blue", "version": 1, "score": 1.0, "matches": 2}]
    now = timezone.now()
    Final.objects.create(season=season, locked=now, ended=now, table=rows)
    rival, staff = cast_person(), Bot.objects.get().hand_ins.first().person
    own = f"/finals/{Final.objects.get().pk}"
    for path in ("/finals", own):
        assert "deep-blue" in client_of(rival).get(path).content.decode()

    freeze(staff, None)

    assert "deep-blue" not in client_of(rival).get("/finals").content.decode()
    assert client_of(rival).get(own).status_code == 404


def test_all_scores_of_a_final_have_as_many_decimals(season: Any) -> None:
    scores = (12.0, 3.5, 0.0625)
    rows = [
        {"place": place, "bot": f"bot-{place}", "version": 1, "score": score, "matches": 2}
        for place, score in enumerate(scores, 1)
    ]
    now = timezone.now()
    final = Final.objects.create(season=season, locked=now, ended=now, table=rows)

    page = client_of(cast_person()).get(f"/finals/{final.pk}").content.decode()

    assert [text for text in ("12.000", "3.500", "0.062") if f"<td>{text}</td>" in page] == [
        "12.000",
        "3.500",
        "0.062",
    ]


def test_a_final_in_play_is_announced_and_shows_nothing(season: Any) -> None:
    rows = [{"bot": "deep-blue", "version": 1}]
    final = Final.objects.create(season=season, locked=timezone.now(), table=rows)
    client = client_of(cast_person())

    page = client.get("/finals").content.decode()

    assert "A final is being played" in page
    assert "deep-blue" not in page
    assert client.get(f"/finals/{final.pk}").status_code == 404


def test_the_ladder_begins_no_match_during_a_final(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    bench = Bench(league)

    with league.lock(FINAL):
        assert bench.play(first_wins, 4) == []
    assert bench.play(first_wins, 4)
