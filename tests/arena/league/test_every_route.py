"""Every route, asked by a stranger, a rival, the owner, a team mate and staff."""

import io
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from events import job_of, won_by
from kept import kept
from leagues import PASSWORD, Cast, bearer, cast, client_of, hand_in, zipped

from arena.league.folder import League
from arena.league.persons.may import Action
from arena.league.persons.own_game import OwnGame
from arena.league.persons.people import new_slip, new_token
from arena.league.seasons.deadlines import open_season
from arena.league.site.models import Audit, Person
from arena.league.web.here import serve_league
from arena.league.web.people_games import people_games
from arena.league.web.routes import RULES
from arena.league.web.sessions import asker_of
from arena.pages.playing.matches import PeopleMatch

WHO = ("stranger", "rival", "owner", "mate", "staff")
ALL = "yes yes yes yes yes"
MEMBERS = "no yes yes yes yes"
OWNERS = "no no yes yes yes"
STAFF = "no no no no yes"
MATRIX = {
    ("GET", ""): MEMBERS,
    ("GET", "log-in"): ALL,
    ("POST", "log-in"): ALL,
    ("POST", "log-out"): ALL,
    ("GET", "link/<str:secret>"): ALL,
    ("POST", "link/<str:secret>"): ALL,
    ("GET", "style/<str:name>"): ALL,
    ("GET", "finals"): MEMBERS,
    ("GET", "finals/<int:number>"): MEMBERS,
    ("GET", "seasons"): MEMBERS,
    ("GET", "seasons/<int:number>"): MEMBERS,
    ("GET", "seasons/<int:number>/bots/<str:name>"): MEMBERS,
    ("GET", "bots/<str:name>"): MEMBERS,
    ("GET", "bots/<str:name>/faults"): OWNERS,
    ("GET", "matches/<int:number>"): MEMBERS,
    ("GET", "matches/<int:number>/board"): MEMBERS,
    ("GET", "matches/<int:number>/file"): MEMBERS,
    ("GET", "matches/<int:number>/output/<int:seat>"): OWNERS,
    ("GET", "bots/<str:name>/play"): MEMBERS,
    ("POST", "bots/<str:name>/play"): MEMBERS,
    ("GET", "play/<int:number>"): "no no yes no no",
    ("POST", "play/<int:number>"): "no no yes no no",
    ("GET", "play/<int:number>/stream"): "no no yes no no",
    ("POST", "play/<int:number>/leave"): "no no yes no no",
    ("GET", "live"): MEMBERS,
    ("GET", "live/changes"): MEMBERS,
    ("GET", "projector"): MEMBERS,
    ("GET", "projector/<str:key>"): ALL,
    ("GET", "projector/<str:key>/changes"): ALL,
    ("GET", "viewer/<str:name>"): ALL,
    ("GET", "me"): MEMBERS,
    ("POST", "me/bots"): MEMBERS,
    ("POST", "me/remote-bots"): MEMBERS,
    ("POST", "bots/<str:name>/key"): OWNERS,
    ("POST", "me/tokens"): MEMBERS,
    ("POST", "me/tokens/<int:number>/end"): "no no yes no no",
    ("POST", "bots/<str:name>/hand-ins"): OWNERS,
    ("GET", "bots/<str:name>/challenges"): OWNERS,
    ("POST", "bots/<str:name>/challenges"): OWNERS,
    ("POST", "bots/<str:name>/versions/<int:number>/play"): OWNERS,
    ("POST", "bots/<str:name>/withdraw"): OWNERS,
    ("GET", "hand-ins/<int:number>"): OWNERS,
    ("GET", "hand-ins/<int:number>/file"): OWNERS,
    ("GET", "staff"): STAFF,
    ("POST", "staff/class-list"): STAFF,
    ("POST", "staff/persons/<int:number>/link"): STAFF,
    ("POST", "staff/persons/<int:number>/team"): STAFF,
    ("POST", "staff/persons/<int:number>/name"): STAFF,
    ("POST", "staff/persons/<int:number>/close"): STAFF,
    ("POST", "staff/projector"): STAFF,
    ("GET", "staff/season"): STAFF,
    ("POST", "staff/season/deadline"): STAFF,
    ("POST", "staff/season/extensions"): STAFF,
    ("POST", "staff/season/freeze"): STAFF,
    ("POST", "staff/season/reveal"): STAFF,
    ("GET", "staff/grades"): STAFF,
    ("GET", "staff/grades.csv"): STAFF,
    ("GET", "staff/machines"): STAFF,
    ("POST", "staff/machines/void"): STAFF,
    ("GET", "staff/alike"): STAFF,
    ("GET", "staff/actions"): STAFF,
    ("GET", "api/table"): MEMBERS,
    ("GET", "api/me"): MEMBERS,
    ("GET", "api/bots/<str:name>/hand-ins"): OWNERS,
    ("GET", "api/bots/<str:name>/matches"): MEMBERS,
    ("GET", "api/matches/<int:number>"): MEMBERS,
    ("GET", "api/matches/<int:number>/file"): MEMBERS,
    ("POST", "api/bots/<str:name>/hand-ins"): OWNERS,
    ("GET", "api/bots/<str:name>/challenges"): OWNERS,
    ("POST", "api/bots/<str:name>/challenges"): OWNERS,
    ("GET", "api/hand-ins/<int:number>"): OWNERS,
    ("GET", "git/<str:name>.git/info/refs"): OWNERS,
    ("POST", "git/<str:name>.git/git-receive-pack"): OWNERS,
}
"""Who may ask what, in the order of WHO."""


def test_the_matrix_has_every_route() -> None:
    assert set(MATRIX) == {(rule.method, rule.address) for rule in RULES}


@pytest.fixture
def everybody(league: League, monkeypatch: pytest.MonkeyPatch) -> Cast:
    people = cast()
    hand_in(league, people.bot, zipped({"bot.yaml": "x"}))
    # a match of this bot, which nobody has to play for this
    monkeypatch.setattr("arena.league.web.find.match_row", lambda _: _Match())
    monkeypatch.setattr("arena.league.web.find.bot_of_player", lambda _: people.bot)
    game = OwnGame(people.owner.pk, people.bot.name, PeopleMatch(1, ()), league.folder)
    monkeypatch.setattr(people_games(), "find", lambda _: game)
    return people


class _Seat:
    player = "deep-blue.1"


class _Match:
    seats = (_Seat(),)


def _address(address: str, everybody: Cast, token: int) -> str:
    values = {
        "<str:name>": "page.css" if address.startswith("style") else everybody.bot.name,
        "<str:secret>": "nothing",
        "<str:key>": "nothing",
        "<int:seat>": "0",
        "<int:number>": str(token if "tokens" in address else 1),
    }
    for mark, value in values.items():
        address = address.replace(mark, value)
    return f"/{address}{'?service=git-receive-pack' if 'info/refs' in address else ''}"


def _is_let_in(answer: Any) -> bool:
    is_sent_to_log_in = answer.status_code == 302 and answer["Location"].startswith("/log-in?")
    return answer.status_code not in (401, 403) and not is_sent_to_log_in


def test_each_route_lets_in_whom_the_matrix_names(everybody: Cast) -> None:
    new_token(everybody.owner, "theirs")
    number = everybody.owner.tokens.get().pk
    found: dict[tuple[str, str], list[str]] = {key: [] for key in MATRIX}
    for who in WHO:
        person: Person | None = None if who == "stranger" else getattr(everybody, who)
        client = client_of(person)
        headers = bearer(person) if person else {}
        for method, address in sorted(MATRIX, key=lambda key: key[1] == "log-out"):
            ask: Callable[..., Any] = client.get if method == "GET" else client.post
            own = headers if address.startswith(("api/", "git/")) else {}
            answer = ask(_address(address, everybody, number), headers=own)
            is_form_of_login = address == "log-in" and method == "POST"
            found[method, address].append("yes" if is_form_of_login or _is_let_in(answer) else "no")
            answer.close()
    assert {key: " ".join(each) for key, each in found.items()} == MATRIX


FORMS: dict[str, dict[str, str]] = {
    "staff/class-list": {"list": "Anna"},
    "staff/persons/<int:number>/link": {},
    "staff/persons/<int:number>/team": {"team": "Red"},
    "staff/persons/<int:number>/name": {"name": "Maxi"},
    "staff/persons/<int:number>/close": {},
    "staff/projector": {},
    "staff/machines/void": {"machine": "director", "since": "2020-01-01T00:00"},
    "staff/season/deadline": {"deadline": "2026-12-24T18:00", "late": "closed"},
    "staff/season/extensions": {"who": "team 1", "until": "2026-12-25T18:00"},
    "staff/season/freeze": {},
    "staff/season/reveal": {},
}
"""A form of each action of staff, in an order in which all of them can be done."""


def test_every_action_of_staff_is_recorded(everybody: Cast, league: League) -> None:
    open_season("season-1")
    kept(league, won_by(job_of("random", "greedy"), 0))
    done = {rule.address for rule in RULES if (rule.method, rule.action) == ("POST", Action.RUN)}
    assert set(FORMS) == done
    client = client_of(everybody.staff)

    for address, form in FORMS.items():
        before = Audit.objects.filter(person=everybody.staff).count()
        answer = client.post(_address(address, everybody, 1), form)
        assert answer.status_code < 400, answer.content
        assert Audit.objects.filter(person=everybody.staff).count() == before + 1, address


def test_a_public_league_shows_results_to_strangers_and_nothing_else(
    everybody: Cast, league: League
) -> None:
    serve_league(replace(league, site=league.site.model_copy(update={"public": True})))
    let_in = {
        (method, address)
        for method, address in MATRIX
        if address != "log-in"
        and _is_let_in(_ask_as_stranger(method, _address(address, everybody, 1)))
    }
    for_all = {key for key, who in MATRIX.items() if who == ALL and key[1] != "log-in"}
    results = {
        ("GET", address)
        for address in (
            *("", "finals", "bots/<str:name>", "matches/<int:number>"),
            *("finals/<int:number>", "seasons", "seasons/<int:number>"),
            "seasons/<int:number>/bots/<str:name>",
            *("live", "live/changes", "projector"),
            *("matches/<int:number>/board", "matches/<int:number>/file", "api/table"),
            *("api/bots/<str:name>/matches", "api/matches/<int:number>"),
            "api/matches/<int:number>/file",
        )
    }
    assert let_in == for_all | results


def _ask_as_stranger(method: str, address: str) -> Any:
    client = client_of()
    return client.get(address) if method == "GET" else client.post(address)


@pytest.mark.parametrize("address", ["/admin", "/files", "/site.db", "/api", "/style/../site.db"])
def test_nothing_else_is_there(everybody: Cast, address: str) -> None:
    assert client_of(everybody.staff).get(address).status_code == 404


def test_what_does_not_exist_looks_like_what_is_not_yours(everybody: Cast) -> None:
    client = client_of(everybody.rival)

    assert client.get("/hand-ins/1").status_code == client.get("/hand-ins/999").status_code == 403


def test_a_form_of_another_site_changes_nothing(everybody: Cast) -> None:
    client = client_of(everybody.owner)
    client.handler.enforce_csrf_checks = True

    answer = client.post("/me/bots", {"name": "stolen"})

    assert answer.status_code == 403
    assert not everybody.owner.teams.get().bots.filter(name="stolen").exists()


def test_a_session_is_no_token_and_a_token_is_no_session(everybody: Cast) -> None:
    logged_in = client_of(everybody.owner)
    with_token = Client(SERVER_NAME="localhost")

    assert logged_in.get("/api/hand-ins/1").status_code == 401
    assert with_token.get("/me", headers=bearer(everybody.owner)).status_code == 302


def test_a_new_password_ends_all_other_sessions(everybody: Cast) -> None:
    stolen = client_of(everybody.owner)
    assert stolen.get("/me").status_code == 200

    slip = new_slip(everybody.owner)
    client_of().post(slip.path, {"password": "another horse"})

    assert stolen.get("/me").status_code == 302


def test_wrong_requests_write_no_line_of_the_log_and_no_line_acts_on_a_terminal() -> None:
    handler = logging.getLogger("django").handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    text = io.StringIO()
    before = handler.setStream(text)
    try:
        client = client_of()
        answers = [
            client.get("/%1b]0;evil%07"),
            client.post("/log-in", {f"field-{number}": "x" for number in range(30)}),
            client.get("/api/me"),
        ]
        assert [answer.status_code for answer in answers] == [404, 400, 401]
        assert not text.getvalue()
        logging.getLogger("django.request").error("Internal Server Error: /\x1b]0;evil")
        assert text.getvalue() == "Internal Server Error: /\\x1b]0;evil\n"
    finally:
        handler.setStream(before)


@pytest.mark.parametrize(
    "cookie",
    ['"\\000aaaaaaaaa"', '"\\377\\200aaaaaaa"', "\xe9" * 32, "a" * 60_000, "../x.abcdef", ""],
)
def test_a_session_that_django_never_made_is_that_of_a_stranger(
    everybody: Cast, cookie: str
) -> None:
    owner = everybody.owner
    named = f"{settings.SESSION_COOKIE_NAME}={cookie}"
    client = Client(SERVER_NAME="localhost", HTTP_COOKIE=named)
    login = {"name": owner.name, "password": PASSWORD}

    assert asker_of({b"cookie": named.encode("latin-1")}) is None
    assert client.get("/me").status_code == 302
    assert client.post("/log-in", login).status_code == 302
    assert len(client.cookies[settings.SESSION_COOKIE_NAME].value) == 32


def test_a_closed_account_lets_nobody_in_until_a_new_link(everybody: Cast) -> None:
    owner = everybody.owner
    browser, token, slip = client_of(owner), bearer(owner), new_slip(owner)
    login = {"name": owner.name, "password": PASSWORD}

    client_of(everybody.staff).post(f"/staff/persons/{owner.pk}/close")

    assert browser.get("/me").status_code == 302
    assert client_of().get("/api/me", headers=token).status_code == 401
    assert client_of().post(slip.path, {"password": "another horse"}).status_code == 400
    assert client_of().post("/log-in", login).status_code == 403
    assert client_of().post(new_slip(owner).path, {"password": PASSWORD}).status_code == 302
    assert client_of().post("/log-in", login).status_code == 302


def test_a_closed_account_leaves_the_match_that_it_plays(
    everybody: Cast, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []
    monkeypatch.setattr(PeopleMatch, "leave", lambda match: left.append(match.number))
    for number, person in enumerate((everybody.owner, everybody.mate), start=7):
        game = OwnGame(person.pk, everybody.bot.name, PeopleMatch(number, ()), league.folder)
        monkeypatch.setitem(people_games()._games, number, game)

    client_of(everybody.staff).post(f"/staff/persons/{everybody.owner.pk}/close")

    assert left == [7]
