"""A person gets another name, and so the team that has it."""

import pytest
from leagues import PASSWORD, Cast, cast, client_of

from arena.errors import UsageError
from arena.league.hand_ins.reception import new_bot
from arena.league.persons.people import add_person, change_name
from arena.league.site.models import Audit, Person, Team


def _renamed(people: Cast, person: Person, name: str) -> str:
    path = f"/staff/persons/{person.pk}/name"
    page: str = client_of(people.staff).post(path, {"name": name}).content.decode()
    person.refresh_from_db()
    return page


def test_a_person_keeps_bots_and_password_under_another_name() -> None:
    people = cast()
    bot = new_bot(people.rival, people.rival.teams.get(), "rita-bot")

    page = _renamed(people, people.rival, " Student 7 ")

    assert "Rita is Student 7 now." in page
    assert "Rita" not in page.replace("Rita is Student 7 now.", "")
    assert client_of().post("/log-in", {"name": "Rita", "password": PASSWORD}).status_code != 302
    shown = client_of(people.rival).get(f"/bots/{bot.name}").content.decode()
    assert "of Student 7" in shown
    assert "Rita" not in shown
    add_person("Rita")


def test_a_team_of_another_name_keeps_it() -> None:
    people = cast()

    _renamed(people, people.owner, "Olga Two")

    assert people.owner.teams.get().name == "Blue"
    assert Audit.objects.last().thing == "Olga: Olga Two"
    assert Audit.objects.last().person == people.staff


def test_the_form_of_the_own_name_may_change() -> None:
    people = cast()

    _renamed(people, people.rival, "RITA")

    assert (people.rival.name, people.rival.teams.get().name) == ("RITA", "RITA")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "a name "),
        ("<b>", "a name "),
        ("olga", "there is a person"),
        ("O1ga", "looks like the person"),
        ("BLUE", "there is a team"),
        ("B1ue", "looks like the team"),
    ],
)
def test_a_name_that_cannot_be_had_changes_nothing(name: str, why: str) -> None:
    people = cast()

    page = _renamed(people, people.rival, name)

    assert why in page
    assert people.rival.name == "Rita"
    assert Team.objects.filter(name="Rita").exists()
    assert not Audit.objects.filter(action="changed a name").exists()
    with pytest.raises(UsageError, match=why):
        change_name(people.rival, name, None)
