"""Challenges are asked for by owners, within limits, and seen by the owners of both bots."""

from contextlib import closing
from dataclasses import replace

import pytest
from django.test import Client
from leagues import Cast, bearer, cast, client_of
from random_matches import random_record

from arena.league.directing.challenging import MOST_OPEN, PER_DAY
from arena.league.folder import League
from arena.league.hand_ins.reception import new_bot
from arena.league.hand_ins.versions import add_version
from arena.league.seasons.season import begun_season, unrated_event
from arena.league.site.models import Challenge
from arena.results.store import Store

PAGE = "/bots/deep-blue/challenges"
FORM = {"version": "2", "rival": "rook.1"}


@pytest.fixture
def people() -> Cast:
    people = cast()
    add_version(people.bot, "first tree")
    add_version(people.bot, "second tree")
    rook = new_bot(people.rival, people.rival.teams.get(), "rook")
    add_version(rook, "tree")
    return people


def play_the_challenge(league: League, *players: str) -> None:
    """Keep the matches of the only challenge, as the director does."""
    challenge = Challenge.objects.get()
    config = league.season()
    with closing(Store(league.arena_db, is_new_allowed=True)) as store:
        event = unrated_event(store, config, begun_season(store, config, {}))
        for names in (players, players[::-1]):
            record = random_record("pente", key=",".join(names))
            seats = [
                replace(seat, name=name) for seat, name in zip(record.seats, names, strict=True)
            ]
            verdict = replace(record.verdict, places=(1, 2) if names == players else (2, 1))
            match = replace(record, seats=seats, verdict=verdict).finished()
            store.add_match(event, board=77, variant="", attempt=1, match=match)
    Challenge.objects.update(unit=77)
    challenge.refresh_from_db()
    challenge.end()


def test_a_challenge_is_played_and_both_owners_see_it(people: Cast, league: League) -> None:
    client = client_of(people.mate)

    assert client.post(PAGE, FORM).status_code == 302
    assert "waiting" in client.get(PAGE).content.decode()
    play_the_challenge(league, "deep-blue.2", "rook.1")

    mine = client.get(PAGE).content.decode()
    theirs = client_of(people.rival).get("/bots/rook/challenges").content.decode()
    assert mine.count("</a> won") == 2
    assert theirs.count("</a> lost") == 2
    assert "Max" in theirs
    assert client_of(people.rival).get(PAGE).status_code == 403
    assert "Not rated" in client.get("/matches/1").content.decode()


def test_versions_of_one_bot_meet_each_other(people: Cast) -> None:
    answer = client_of(people.owner).post(PAGE, {"version": "2", "rival": "deep-blue.1"})

    assert answer.status_code == 302
    assert Challenge.objects.get().other.player == "deep-blue.1"


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"version": "2", "rival": "deep-blue.2"}, "different"),
        ({"version": "9", "rival": "rook.1"}, "no version"),
        ({"version": "²", "rival": "rook.1"}, "no version"),
        ({"version": "1" * 30, "rival": "rook.1"}, "no version"),
        ({"version": "2", "rival": "<b>\u202e" * 300}, "there is no version"),
        ({}, "no version"),
    ],
)
def test_a_wrong_challenge_is_refused_with_a_reason(
    people: Cast, form: dict[str, str], why: str
) -> None:
    answer = client_of(people.owner).post(PAGE, form)

    assert answer.status_code == 400
    assert why in answer.content.decode()
    assert "<b>" not in answer.content.decode()
    assert not Challenge.objects.exists()


def test_an_old_version_of_a_rival_cannot_be_challenged(people: Cast) -> None:
    add_version(people.rival.teams.get().bots.get(), "newer tree")

    answer = client_of(people.owner).post(PAGE, FORM)

    assert "does not play now" in answer.content.decode()


def test_a_person_has_few_open_challenges_and_a_limit_a_day(people: Cast) -> None:
    client = client_of(people.owner)

    for _ in range(MOST_OPEN):
        assert client.post(PAGE, FORM).status_code == 302
    assert "are open" in client.post(PAGE, FORM).content.decode()
    for challenge in Challenge.objects.all():
        challenge.end()
    fields = ("person_id", "one_id", "other_id")
    values = Challenge.objects.values(*fields)[0]
    Challenge.objects.bulk_create(Challenge(**values) for _ in range(PER_DAY - MOST_OPEN))
    Challenge.objects.filter(unit=None).update(ended="2026-01-01T00:00:00Z")
    assert "a day" in client.post(PAGE, FORM).content.decode()
    assert client_of(people.mate).post(PAGE, FORM).status_code == 302


def test_programs_challenge_by_the_api(people: Cast) -> None:
    headers = bearer(people.owner)
    client = Client(SERVER_NAME="localhost")
    address = "/api/bots/deep-blue/challenges"
    kind = "application/json"

    asked = client.post(address, {"rival": "rook.1"}, kind, headers=headers)
    wrong = [
        client.post(address, body, kind, headers=headers).status_code
        for body in ("[", "[1]", '{"rival": 7}', '{"other": 1}', "[" * 900)
    ]

    assert asked.status_code == 201
    (told,) = client.get(address, headers=headers).json()["challenges"]
    assert (told["own"], told["rival"], told["state"]) == ("deep-blue.2", "rook.1", "waiting")
    assert told["matches"] == []
    assert wrong == [400] * 5


def test_half_of_a_surrogate_pair_names_no_version(people: Cast) -> None:
    answer = Client(SERVER_NAME="localhost").post(
        "/api/bots/deep-blue/challenges",
        r'{"version": 1, "rival": "\ud800"}',
        content_type="application/json",
        headers=bearer(people.owner),
    )

    assert answer.status_code == 400
