"""Every route in every state of a league, for everybody: no internal error, and nothing that leaks.

A state is a function that changes a league with a season, bots and matches. Each text that not all
may read holds a mark of those who may.
"""

import random
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import product

import pytest
from django.test import Client
from django.utils import timezone
from events import rekeyed
from kept import kept
from leagues import Cast, bearer, cast, client_of, hand_in, zipped
from test_matches_on_pages import DETAIL, NOTE, PRINTED, spoken

from arena.league.directing.challenging import new_challenge
from arena.league.files import place
from arena.league.folder import League
from arena.league.hand_ins.reception import new_bot
from arena.league.hand_ins.versions import add_version
from arena.league.persons.people import close_account
from arena.league.remote.presence import NOT_THERE
from arena.league.seasons.deadlines import open_season
from arena.league.seasons.freeze import freeze
from arena.league.site.models import (
    Bot,
    Final,
    HandIn,
    Notice,
    Person,
    RatingPoint,
    Season,
    Version,
)
from arena.league.web.here import serve_league
from arena.league.web.routes import RULES, Rule

Values = Mapping[str, Sequence[object]]
MINE, THEIRS, HOUSE = "deep-blue", "rook", "random"
OWN_MARKS = (f"{NOTE} own", f"{PRINTED} own", f"{DETAIL} own", "my build log", "my report")
OF_HOUSE = "arguments of a house bot"
STAFF_MARKS = ("notice of the machine", "987654321", "hidden.1")
"""Texts that staff alone may read: notices, and the table that a freeze hides."""
USUAL: Values = {"number": (1,), "seat": (0,), "name": (MINE,)}
ODD: Values = {
    "number": (1, 999, 2**62, 2**63, 10**30),
    "seat": (1, 7, 2**63),
    "name": (HOUSE, "nobody", "%00", "%ff", "%E2%80%AE", "x" * 250),
    "secret": ("%ff", "x" * 250),
    "key": ("%ff", "x" * 250),
}


@dataclass
class Scene:
    """A league in a state, and its people."""

    league: League
    people: Cast


def populated(league: League) -> Scene:
    """Have a season with two bots of teams and one of the house, and matches of each two."""
    people = cast()
    open_season("season-1")
    league = replace(league, site=league.site.model_copy(update={"public": True}))
    serve_league(league)
    theirs = new_bot(people.rival, people.rival.teams.get(), THEIRS)
    house = Bot.objects.create(name=HOUSE)
    for bot in (people.bot, theirs, house):
        version = add_version(bot, f"tree of {bot.name}")
        RatingPoint.objects.create(
            version=version, happened=timezone.now(), rating=1.0, error=2.0, matches=3
        )
    receipt = hand_in(league, people.bot, zipped({"bot.yaml": "x"}))
    HandIn.objects.filter(pk=receipt.number).update(
        state=HandIn.REFUSED, log="my build log", report=["my report"]
    )
    Notice.objects.create(text="notice of the machine")
    kept(
        league,
        spoken("deep-blue.1", "rook.1"),
        rekeyed(spoken("rook.1", HOUSE, mark="other"), "k2"),
    )
    new_challenge(people.owner, people.bot.active, theirs.active)
    return Scene(league, people)


def _usual(_: Scene) -> None:
    """Change nothing."""


def _frozen(scene: Scene) -> None:
    freeze(scene.people.staff, None)
    row = {"player": "hidden.1", "place": 1, "rating": 987654321.0, "error": 4.0, "mean_score": 0.5}
    Season.objects.update(table=[{**row, "matches": 5}])


def _ended_frozen(scene: Scene) -> None:
    _frozen(scene)
    open_season("season-2")


def _between(_: Scene) -> None:
    rows = [{"player": "deep-blue.1", "place": None, "rating": None, "error": None}]
    Season.objects.update(
        ended=timezone.now(), table=[{**row, "mean_score": None, "matches": 0} for row in rows]
    )
    Version.objects.update(rating=None, place=None)


def _final_running(_: Scene) -> None:
    Final.objects.create(season=Season.objects.get(), locked=timezone.now())


def _final_over(_: Scene) -> None:
    Final.objects.create(
        season=Season.objects.get(),
        locked=timezone.now(),
        ended=timezone.now(),
        table=[{"player": "rook.1", "place": 1, "score": "1", "matches": 2}],
    )


def _parked(_: Scene) -> None:
    Bot.objects.update(parked="five faults in ten matches")


def _remote(scene: Scene) -> None:
    Bot.objects.filter(name=MINE).update(is_remote=True, away=NOT_THERE)
    Version.objects.filter(bot__name=MINE).update(key="x" * 40, key_ended=timezone.now())
    site = scene.league.site.model_copy(update={"remote": "tcp://0.0.0.0:7777"})
    serve_league(replace(scene.league, site=site))


def _no_version(_: Scene) -> None:
    Bot.objects.update(active=None)


def _files_gone(scene: Scene) -> None:
    row = HandIn.objects.get()
    Version.objects.filter(bot__name=MINE).update(digest=row.digest, suffix=row.suffix)
    place(scene.league.files, row.digest).unlink()


def _disbanded(_: Scene) -> None:
    for person in Person.objects.all():
        person.teams.clear()


def _closed(scene: Scene) -> None:
    for person in (scene.people.owner, scene.people.mate, scene.people.rival):
        close_account(person, scene.people.staff)


def _sql(scene: Scene, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(scene.league.arena_db)) as database:
        database.execute(statement, values)
        database.commit()


def _damaged_records(scene: Scene) -> None:
    _sql(scene, "UPDATE record SET body = ?", random.Random(1).randbytes(500))


def _wrong_rows(scene: Scene) -> None:
    _sql(scene, "UPDATE seat SET place = 'x', points = 'y', score = 'z', charged_ns = x'ff'")
    _sql(scene, "UPDATE match SET finished = '', plies = 'many', termination = 'none'")


def _seats_gone(scene: Scene) -> None:
    _sql(scene, "DELETE FROM seat WHERE seat = 0")


def _no_database(scene: Scene) -> None:
    for end in ("", "-wal", "-shm"):
        scene.league.arena_db.with_name(f"arena.db{end}").unlink(missing_ok=True)


def _no_database_at_all(scene: Scene) -> None:
    _no_database(scene)
    scene.league.arena_db.write_bytes(b"this is no database\n" * 400)


def _wrong_season_file(scene: Scene) -> None:
    (scene.league.folder / "season.yaml").write_text(f"bots: [{OF_HOUSE}\n")


def _no_season_file(scene: Scene) -> None:
    (scene.league.folder / "season.yaml").unlink()


DAMAGED: tuple[Callable[[Scene], None], ...] = (
    *(_files_gone, _damaged_records, _wrong_rows, _seats_gone, _no_database),
    *(_no_database_at_all, _wrong_season_file, _no_season_file),
)
"""States in which a league may say that it is unwell."""
STATES: tuple[Callable[[Scene], None], ...] = (
    *(_usual, _frozen, _ended_frozen, _between, _final_running, _final_over, _parked, _remote),
    *(_no_version, _disbanded, _closed, *DAMAGED),
)


def addresses_of(rule: Rule, values: Values) -> Iterator[str]:
    """Yield the address of a rule with each value of its parts."""
    kinds = [each.split(":")[1].rstrip(">") for each in re.findall("<.*?>", rule.address)]
    for some in product(*(values.get(kind, ("x",)) for kind in kinds)):
        rest = iter(some)
        yield "/" + re.sub("<.*?>", lambda _: str(next(rest)), rule.address)  # noqa: B023


READS = [
    rule
    for rule in RULES
    if rule.method == "GET" and not rule.address.endswith(("stream", "changes"))
]


@dataclass
class Asker:
    """Somebody who asks, logged in before anything happens to the league."""

    name: str
    client: Client
    headers: Mapping[str, str]
    hidden: Collection[str]
    """Texts that are not for this person."""
    is_patient: bool = False
    """Whether the league may be unwell."""

    def is_wrong(self, code: int) -> bool:
        """Whether an answer has this code by a fault of the league."""
        return code >= 500 and not (self.is_patient and code == 503)

    def faults(self, rules: Iterable[Rule], values: Values) -> Iterator[str]:
        """Yield what is wrong with the answers of some routes."""
        for rule in rules:
            for address in addresses_of(rule, values):
                ask = self.client.get if rule.method == "GET" else self.client.post
                answer = ask(address, headers=self.headers if rule.is_for_tokens else {})
                text = "" if answer.streaming else answer.content.decode(errors="replace")
                found = [mark for mark in self.hidden if mark in text]
                answer.close()
                if self.is_wrong(answer.status_code) or found:
                    yield f"{self.name} {rule.method} {address}: {answer.status_code} {found}"


def askers_of(scene: Scene, *, is_patient: bool = False) -> list[Asker]:
    """Return those who ask; strangers in a public league, too."""
    path = str(scene.league.folder)
    found = []
    for name in ("stranger", "rival", "owner", "staff"):
        person = None if name == "stranger" else getattr(scene.people, name)
        client = client_of(person)
        client.raise_request_exception = False
        own = () if name in ("owner", "staff") else OWN_MARKS
        hidden = () if name == "staff" else (path, OF_HOUSE, *STAFF_MARKS, *own)
        found.append(Asker(name, client, bearer(person) if person else {}, hidden, is_patient))
    return found


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__.strip("_"))
def test_no_state_has_an_error_or_a_leak(league: League, state: Callable[[Scene], None]) -> None:
    scene = populated(league)
    askers = askers_of(scene, is_patient=state in DAMAGED)
    state(scene)

    wrong = [fault for asker in askers for fault in asker.faults(READS, USUAL)]

    assert not wrong, "\n".join(wrong)


def test_no_odd_address_has_an_error_or_a_leak(league: League) -> None:
    askers = askers_of(populated(league))
    wrong = [fault for asker in askers for fault in asker.faults(READS, ODD)]
    assert not wrong, "\n".join(wrong)
