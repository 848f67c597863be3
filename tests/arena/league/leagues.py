"""Persons, bots and hand-ins for tests of a league."""

import io
import zipfile
from dataclasses import dataclass
from typing import Any

from django.test import Client

from arena.league.folder import League
from arena.league.hand_ins.reception import Receipt, new_bot, receive
from arena.league.persons.people import add_person, new_token
from arena.league.site.models import Bot, HandIn, Person

PASSWORD = "correct horse"  # noqa: S105 - of tests
HOST = "localhost"


@dataclass(frozen=True)
class Cast:
    """Everybody who may ask."""

    owner: Person
    mate: Person
    rival: Person
    staff: Person
    bot: Bot


def cast() -> Cast:
    """Add everybody, and the bot of owner and mate."""
    owner = add_person("Olga", team="Blue")
    mate = add_person("Max", team="Blue")
    rival = add_person("Rita")
    staff = add_person("Sam", is_staff=True)
    for person in (owner, mate, rival, staff):
        person.set_password(PASSWORD)
        person.save()
    return Cast(owner, mate, rival, staff, new_bot(owner, owner.teams.get(), "deep-blue"))


def client_of(person: Person | None = None, **options: Any) -> Client:
    """Return a browser without a screen, logged in as a person."""
    client = Client(SERVER_NAME=HOST, raise_request_exception=True, **options)
    if person is not None:
        answer = client.post("/log-in", {"name": person.name, "password": PASSWORD})
        assert answer.status_code == 302, answer.content
    return client


def bearer(person: Person) -> dict[str, str]:
    """Return the headers of a request with a new token of a person."""
    return {"Authorization": f"Bearer {new_token(person, 'test')}"}


def zipped(files: dict[str, str]) -> bytes:
    """Return a zip of these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def hand_in(league: League, bot: Bot, data: bytes, name: str = "bot.zip") -> Receipt:
    """Hand in for a bot, as a member of its team."""
    assert bot.team is not None
    person: Person = bot.team.members.first()
    return receive(league, person, bot, name, [data])


def state_of(receipt: Receipt) -> str:
    """Return the state of a hand-in now."""
    state: str = HandIn.objects.get(pk=receipt.number).state
    return state
