"""A bot is withdrawn: no version of it plays until it is handed in again or one is restored."""

from contextlib import closing

import pytest
from django.utils import timezone
from events import first_wins, player
from leagues import Cast, cast, client_of, hand_in, zipped
from test_checks import accept, checks_of, run
from test_league_director import Bench

from arena.errors import UsageError
from arena.league.directing.roster import Roster
from arena.league.folder import GradeSection, League
from arena.league.hand_ins.versions import withdraw
from arena.league.seasons.deadlines import open_season
from arena.league.seasons.finals import entrants
from arena.league.seasons.grades import Grading
from arena.league.site.models import Audit, Bot, Final, HandIn, Person
from arena.league.web.table import table_rows

DATA = zipped({"bot.yaml": 'run: ["{python}", main.py]\n', "main.py": "print()\n"})
ADDRESS = "/bots/deep-blue"


@pytest.fixture
def people(league: League) -> Cast:
    """The bot of a team, of which one version plays."""
    found = cast()
    open_season("season-1")
    hand_in(league, found.bot, DATA)
    run(checks_of(league, accept))
    return found


def shown(person: Person, address: str = ADDRESS) -> str:
    return str(client_of(person).get(address).content.decode())


def table() -> list[str]:
    return [row.bot.name for row in table_rows()]


def test_a_bot_that_its_team_has_withdrawn_is_not_in_the_table_until_it_is_restored(
    people: Cast,
) -> None:
    assert "Withdraw" not in shown(people.rival)
    assert client_of(people.rival).post(f"{ADDRESS}/withdraw").status_code == 403
    assert table() == ["deep-blue"]

    assert "Withdraw deep-blue" in shown(people.mate)
    assert client_of(people.mate).post(f"{ADDRESS}/withdraw").status_code == 302

    assert table() == []
    assert "no version plays" in shown(people.rival)
    assert "no version plays" in shown(people.owner, "/me")
    assert "Withdraw" not in shown(people.owner)
    assert Audit.objects.filter(action="withdrew a bot", person=people.mate).count() == 1
    again = client_of(people.owner).post(f"{ADDRESS}/withdraw")
    assert (again.status_code, "no version of deep-blue plays" in again.content.decode()) == (
        *(400, True),
    )
    assert client_of(people.owner).post(f"{ADDRESS}/versions/1/play").status_code == 302
    assert table() == ["deep-blue"]


def test_the_same_files_handed_in_again_play_as_the_same_version(
    league: League, people: Cast
) -> None:
    withdraw(people.owner, people.bot)

    hand_in(league, people.bot, DATA)
    run(checks_of(league, accept))

    assert Bot.objects.get().active == Bot.objects.get().versions.get()


def test_a_bot_whose_hand_in_waits_is_not_withdrawn(league: League, people: Cast) -> None:
    """The end of the check would have it play again, to the surprise of its owner."""
    hand_in(league, people.bot, zipped({"bot.yaml": "x"}))
    for state in (HandIn.WAITING, HandIn.CHECKING):
        HandIn.objects.filter(version=None).update(state=state)

        with pytest.raises(UsageError, match="hand-in 2 would have deep-blue play again; wait"):
            withdraw(people.owner, people.bot)

    assert Bot.objects.get().active is not None


def test_a_house_bot_is_not_withdrawn(people: Cast) -> None:
    Bot.objects.create(name="greedy")

    answer = client_of(people.staff).post("/bots/greedy/withdraw")

    assert (answer.status_code, "season.yaml" in answer.content.decode()) == (400, True)
    assert "Withdraw" not in shown(people.staff, "/bots/greedy")


def test_a_withdrawn_bot_is_in_no_final_and_has_no_grade(people: Cast) -> None:
    final = Final.objects.create(season=open_season("season-1"), locked=timezone.now())
    assert [version.bot.name for version in entrants(final)] == ["deep-blue"]

    withdraw(people.staff, people.bot)

    assert entrants(final) == []
    grades = Grading([GradeSection(against="nobody", score=50)]).grades()
    assert [each.reason for each in grades if each.bot] == 2 * ["the bot was withdrawn"]


def test_a_withdrawn_bot_finishes_its_pair_and_begins_no_other(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    bench, staff = Bench(league), cast().staff
    before = {match.key for match in bench.play(first_wins, 7)}
    with closing(bench.open()) as store:
        begun = [due.pairing.players for due in bench.director(store).pending]
    withdraw(staff, Bot.objects.get(name="ann"))

    after = [match for match in bench.play(first_wins, 24) if match.key not in before]

    seated = [[seat.player for seat in match.seats] for match in after]
    assert len(seated) > len(begun) + 10
    assert sum("ann.1" in players for players in seated) == sum("ann.1" in each for each in begun)
