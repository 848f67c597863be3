"""Two persons, teams or bots whose names look alike are not both in a league."""

import pytest
from leagues import cast

from arena.errors import UsageError
from arena.league.hand_ins.reception import new_bot
from arena.league.persons.looks import alike
from arena.league.persons.people import add_person
from arena.league.site.models import Person

ALIKE = [
    ("Anna Lenz", "Anna  Lenz"),
    ("Anna Lenz", "anna lenz"),
    ("Ida", "lda"),
    ("Tom", "Torn"),
    ("Bob 1", "Bob l"),
    ("Bob", "B0b"),
    ("Poco", "\u0420\u043e\u0441\u043e"),  # in Cyrillic
    ("A", "\N{GREEK CAPITAL LETTER ALPHA}"),
    ("H", "\N{CYRILLIC CAPITAL LETTER EN}"),
]
HIDDEN = [
    "An\N{ZERO WIDTH SPACE}na",
    "An\N{ZERO WIDTH JOINER}na",
    "An\N{SOFT HYPHEN}na",
    "An\N{RIGHT-TO-LEFT OVERRIDE}na",
    "An\N{LEFT-TO-RIGHT ISOLATE}na",
    "Anna\N{HANGUL FILLER}",
    "An\x1b[31mna",
    "An\nna",
    "\N{HEBREW LETTER ALEF}nna",
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_are_found(one: str, other: str) -> None:
    assert alike(other, [one]) == one
    assert alike(one, [other]) == other


@pytest.mark.parametrize(
    ("one", "other"), [("Anna", "Anne"), ("Max", "Mia"), ("J\u00f6rg", "Jorg"), ("Li", "Lu")]
)
def test_different_names_are_no_trouble(one: str, other: str) -> None:
    assert alike(other, [one]) is None


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_the_second_person_and_team_of_two_alike_are_refused(one: str, other: str) -> None:
    add_person(one, team="first")
    with pytest.raises(UsageError, match=r"looks like|already"):
        add_person(other, team="second")
    add_person("Zoe", team=one)
    if one.casefold() != other.casefold():  # otherwise it is the same team
        with pytest.raises(UsageError, match="looks like"):
            add_person("Zac", team=other)


@pytest.mark.parametrize("name", ["deep-b1ue", "deep-bIue", "greedy", "gree\u0501y", "rand0m"])
def test_a_bot_does_not_pass_for_another_one(name: str) -> None:
    people = cast()
    with pytest.raises(UsageError):
        new_bot(people.rival, people.rival.teams.get(), name)


@pytest.mark.parametrize("name", HIDDEN)
def test_a_name_hides_nothing(name: str) -> None:
    with pytest.raises(UsageError):
        add_person(name)
    assert not Person.objects.exists()
