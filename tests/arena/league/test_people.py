"""Class lists, links that nobody's preview uses up, passwords and tokens."""

from datetime import timedelta

import pytest
from django.utils import timezone
from leagues import PASSWORD, cast, client_of

from arena.errors import UsageError
from arena.league.folder import League
from arena.league.people import add_class, add_person, new_slip, new_token, person_of_token
from arena.league.site.models import Invite, Person, Token
from arena.league.web import own
from arena.league.web.throttle import FREE, WINDOW_S, Throttle


def test_opening_a_link_does_not_use_it_up() -> None:
    slip = new_slip(add_person("Anna"))
    for _ in range(3):
        assert client_of().get(slip.path).status_code == 200

    answer = client_of().post(slip.path, {"password": PASSWORD})

    assert (answer.status_code, answer["Location"]) == (302, "/me")
    assert client_of(Person.objects.get()).get("/me").status_code == 200


def test_a_link_works_once() -> None:
    slip = new_slip(add_person("Anna"))
    client_of().post(slip.path, {"password": PASSWORD})

    assert client_of().get(slip.path).status_code == 404
    assert client_of().post(slip.path, {"password": "another horse"}).status_code == 400
    assert client_of(Person.objects.get())


def test_an_old_link_and_an_expired_one_do_not_work() -> None:
    person = add_person("Anna")
    old, new = new_slip(person), new_slip(person)
    assert client_of().get(old.path).status_code == 404
    Invite.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert client_of().get(new.path).status_code == 404


def test_a_short_password_keeps_the_link() -> None:
    slip = new_slip(add_person("Anna"))

    assert client_of().post(slip.path, {"password": "short"}).status_code == 400
    assert client_of().post(slip.path, {"password": PASSWORD}).status_code == 302


def test_neither_links_nor_tokens_are_in_the_database(league: League) -> None:
    person = add_person("Anna")
    slip, token = new_slip(person), new_token(person, "laptop")
    stored = league.site_db.read_bytes() + league.site_db.with_name("site.db-wal").read_bytes()

    assert slip.secret.encode() not in stored
    assert token.encode() not in stored
    assert league.site_db.stat().st_mode & 0o077 == 0
    assert league.site_db.with_name("site.db-wal").stat().st_mode & 0o077 == 0


def test_a_class_list_is_added_whole_or_not_at_all() -> None:
    with pytest.raises(UsageError, match="line 2"):
        add_class("Anna\n<b>\nBen", None)
    assert not Person.objects.exists()

    slips = add_class("Anna\n\n  Ben ; Blue\nCleo; Blue\n", None)

    assert [slip.person.name for slip in slips] == ["Anna", "Ben", "Cleo"]
    blue = Person.objects.get(name="Ben").teams.get()
    assert sorted(member.name for member in blue.members.all()) == ["Ben", "Cleo"]


def test_a_list_with_old_and_new_persons_adds_the_new_ones() -> None:
    add_class("Anna", None)

    assert [slip.person.name for slip in add_class("ANNA\nBen", None)] == ["Ben"]


def test_nobody_joins_the_team_of_another_by_its_name() -> None:
    add_class("Anna; Blue", None)

    with pytest.raises(UsageError, match="team"):
        add_class("Blue", None)


@pytest.mark.parametrize(
    "name", ["", "x" * 41, "a\nb", "\u202eevil", "\u0430nna", "<script>", "a\x1b[2J"]
)
def test_a_name_that_could_deceive_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        add_person(name) if name else add_person(" ")


def test_an_ended_token_is_nobodys() -> None:
    token = new_token(add_person("Anna"), "laptop")
    assert person_of_token(token) == Person.objects.get()
    Token.objects.update(revoked=timezone.now())
    assert person_of_token(token) is None
    assert person_of_token("") is None


def test_wrong_passwords_close_an_account_for_a_while_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = [0.0]
    monkeypatch.setattr(own, "_THROTTLE", Throttle(lambda: now_s[0]))
    people = cast()
    for _ in range(FREE):
        client_of().post("/log-in", {"name": "olga", "password": "guess"})

    right = {"name": "Olga", "password": PASSWORD}
    assert client_of().post("/log-in", right).status_code == 403
    assert client_of(people.rival)
    now_s[0] += WINDOW_S + 1
    assert client_of().post("/log-in", right).status_code == 302


@pytest.mark.parametrize("onward", ["//evil.example", "https://evil.example/", "javascript:x", ""])
def test_the_way_after_the_log_in_leads_nowhere_else(onward: str) -> None:
    cast()
    answer = client_of().post("/log-in", {"name": "Olga", "password": PASSWORD, "next": onward})

    assert answer["Location"] == "/me"


def test_a_person_without_a_password_cannot_log_in() -> None:
    add_person("Anna")

    for password in ("", "!", "None"):
        answer = client_of().post("/log-in", {"name": "Anna", "password": password})
        assert answer.status_code == 403
