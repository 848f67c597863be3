"""Class lists, links that nobody's preview uses up, passwords and tokens."""

import re
from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.utils import timezone
from leagues import PASSWORD, cast, client_of

from arena.errors import UsageError
from arena.league.folder import League
from arena.league.persons.people import (
    add_class,
    add_person,
    change_team,
    new_slip,
    new_token,
    person_of_token,
)
from arena.league.persons.staff_link import slip_for
from arena.league.site.models import Invite, Person, Token
from arena.league.web import own, throttle
from arena.league.web.throttle import AT_ONCE_OF_ONE, FREE, WINDOW_S, Place, Throttle, Trials


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
    rows = [list(model.objects.values()) for model in apps.get_models()]
    stored = repr(rows).encode()

    assert slip.secret.encode() not in stored
    assert token.encode() not in stored
    assert league.site_db.stat().st_mode & 0o077 == 0
    if connection.vendor == "sqlite":
        assert league.site_db.with_name("site.db-wal").stat().st_mode & 0o077 == 0


def test_a_class_list_is_added_whole_or_not_at_all() -> None:
    with pytest.raises(UsageError, match="line 2"):
        add_class("Anna\n<b>\nBen", None)
    assert not Person.objects.exists()

    slips = add_class("Anna\n\n  Ben ; Blue\nCleo\tBlue\n", None).slips

    assert [slip.person.name for slip in slips] == ["Anna", "Ben", "Cleo"]
    blue = Person.objects.get(name="Ben").teams.get()
    assert sorted(member.name for member in blue.members.all()) == ["Ben", "Cleo"]


def test_a_list_with_old_and_new_persons_adds_the_new_ones() -> None:
    add_class("Anna", None)

    added = add_class("ANNA; Red\nBen", None)

    assert [slip.person.name for slip in added.slips] == ["Ben"]
    assert [person.name for person in added.kept] == ["Anna"]


@pytest.mark.parametrize("second", ["Anna", "anna; Red", "ANNA\tRed"])
@pytest.mark.parametrize("there", ["", "Anna"])
def test_no_person_of_a_list_is_taken_for_another_of_the_name(second: str, there: str) -> None:
    add_class(there, None)

    with pytest.raises(UsageError, match=r'line 3: "\w+" is in line 1 already; .* a difference'):
        add_class(f"Anna\nBen\n{second}", None)

    assert not Person.objects.filter(name="Ben").exists()


def test_all_wrong_lines_of_a_list_are_named_by_their_numbers() -> None:
    with pytest.raises(UsageError) as caught:
        add_class("Anna\n\nLee, Sam\nBen; <b>\nCleo; Red", None)

    lines = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["line 3", "line 4", "nobody was added"]
    assert "Lee, Sam" in lines[0]
    assert "a team stands behind a semicolon" in lines[0]
    assert "semicolon" not in lines[1]
    assert not Person.objects.exists()


def test_of_many_wrong_lines_the_first_are_named() -> None:
    with pytest.raises(UsageError) as caught:
        add_class("<\n" * 30, None)

    assert str(caught.value).splitlines()[-2:] == ["and 10 more", "nobody was added"]


def test_the_page_names_who_was_there_already_and_every_wrong_line() -> None:
    staff = client_of(cast().staff)

    text = staff.post("/staff/class-list", {"list": "Rita; Blue"}).content.decode()
    assert "<li>Rita, team Rita</li>" in text
    text = staff.post("/staff/class-list", {"list": "a,b\nc,d"}).content.decode()
    assert re.search("line 1: .*<br>line 2: .*<br>nobody was added", text)


def test_names_are_in_the_order_of_a_class_list() -> None:
    client = client_of(cast().staff)
    order = ["ann", "Bob", "Student 2", "Student 10"]
    add_class("\n".join(reversed(order)), None)

    shown = client.get("/staff").content.decode()

    found = [name for name in re.findall("|".join(order), shown) if name in order]
    assert found[: len(order)] == order


def test_staff_moves_a_person_to_another_team() -> None:
    people = cast()
    staff, path = client_of(people.staff), f"/staff/persons/{people.mate.pk}/team"
    assert f'action="{path}#persons"' in staff.get("/staff").content.decode()

    page = staff.post(path, {"team": " red "}).content.decode()

    assert "Max is in the team red now." in page
    assert [team.name for team in people.mate.teams.all()] == ["red"]
    assert people.bot.team == people.owner.teams.get(), "its bots stay with a team"
    assert client_of(people.mate).post("/bots/deep-blue/hand-ins").status_code == 403
    staff.post(path, {"team": "BLUE"})
    assert people.mate.teams.get() == people.owner.teams.get()


@pytest.mark.parametrize(("team", "why"), [("", "a name "), ("../x", "a name "), ("B1ue", "looks")])
def test_a_wrong_team_changes_nothing_and_says_why(team: str, why: str) -> None:
    people = cast()

    answer = client_of(people.staff).post(f"/staff/persons/{people.rival.pk}/team", {"team": team})

    assert answer.status_code == 400
    assert why in answer.content.decode()
    assert [team.name for team in people.rival.teams.all()] == ["Rita"]
    with pytest.raises(UsageError, match="is staff"):
        change_team(people.staff, "Blue", None)


@pytest.mark.parametrize("name", ["Zoë O'Brien", "D\u2019Angelo", "'t Hooft"])
def test_names_with_apostrophes_are_of_people(name: str) -> None:
    person = add_person(name)
    person.set_password(PASSWORD)
    person.save()

    other = name.replace("'", "\u2019") if "'" in name else name.replace("\u2019", "'")
    form = {"name": other, "password": PASSWORD}
    assert client_of().post("/log-in", form).status_code == 302
    with pytest.raises(UsageError, match="already"):
        add_person(other)


@pytest.mark.parametrize("name", ["'", "O''Brien", "Ann'", "=1'1", "x'" * 20 + "x"])
def test_an_apostrophe_stands_before_a_letter(name: str) -> None:
    with pytest.raises(UsageError):
        add_person(name)


def test_a_link_of_nobody_says_where_the_names_are() -> None:
    with pytest.raises(UsageError, match="the first `arena league start` adds staff"):
        slip_for("staff")
    add_person("staff", is_staff=True)
    assert slip_for("Staff").person.name == "staff"
    with pytest.raises(UsageError, match="the page Staff lists all persons"):
        slip_for("Anna")


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


RIGHT = {"name": "Olga", "password": PASSWORD}


@pytest.fixture
def now_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of a new throttle."""
    found = [0.0]
    monkeypatch.setattr(own, "_THROTTLE", Throttle(lambda: found[0]))
    return found


def guess(address: str, times: int = FREE, **headers: str) -> None:
    for _ in range(times):
        form = {"name": "olga", "password": "guess"}
        client_of().post("/log-in", form, REMOTE_ADDR=address, **headers)


def code_from(address: str, client: Client | None = None, **headers: str) -> int:
    client = client or client_of()
    code: int = client.post("/log-in", RIGHT, REMOTE_ADDR=address, **headers).status_code
    return code


def test_wrong_passwords_close_an_account_for_a_while_and_no_other(now_s: list[float]) -> None:
    people = cast()
    guess("192.0.2.1")

    assert code_from("192.0.2.1") == 403
    assert client_of(people.rival, REMOTE_ADDR="192.0.2.1")
    now_s[0] += WINDOW_S + 1
    assert code_from("192.0.2.1") == 302


@pytest.mark.usefixtures("now_s")
def test_a_rival_locks_nobody_out_of_another_address() -> None:
    cast()
    guess("192.0.2.1", 3 * FREE)

    assert code_from("192.0.2.2") == 302


@pytest.mark.usefixtures("now_s")
def test_a_rival_behind_the_same_address_does_not_lock_a_browser_out_that_was_there_before() -> (
    None
):
    people = cast()
    browser = client_of(people.owner, REMOTE_ADDR="192.0.2.1")
    browser.post("/log-out")
    guess("192.0.2.1", 3 * FREE)

    assert code_from("192.0.2.1") == 403
    assert code_from("192.0.2.1", browser) == 302


@pytest.mark.usefixtures("now_s")
def test_a_known_browser_may_not_guess_for_ever_and_a_mark_is_for_one_account() -> None:
    people = cast()
    browser = client_of(people.owner)
    for _ in range(FREE):
        browser.post("/log-in", {"name": "Olga", "password": "guess"})
    assert code_from("127.0.0.1", browser) == 403

    rival = client_of(people.rival)
    for _ in range(FREE):
        rival.post("/log-in", {"name": "Max", "password": "guess"})
    right = {"name": "Max", "password": PASSWORD}
    assert rival.post("/log-in", right).status_code == 403
    rival.cookies["league_known_8642"] = "forged:1:x"
    assert rival.post("/log-in", right).status_code == 403


@pytest.mark.usefixtures("now_s")
def test_guesses_from_many_addresses_have_a_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "FREE_OF_ALL", 20)
    browser = client_of(cast().owner)
    for number in range(20):
        guess(f"2001:db8:{number}::1", 1)

    assert code_from("2001:db8:ffff::1") == 403
    assert code_from("2001:db8:ffff::1", browser) == 302


@pytest.mark.usefixtures("now_s")
def test_all_addresses_of_one_net_are_one_place() -> None:
    cast()
    for number in range(FREE):
        guess(f"2001:db8::{number}", 1)

    assert code_from("2001:db8::ffff") == 403
    assert code_from("2001:db8:1::1") == 302


@pytest.mark.usefixtures("now_s")
def test_a_header_that_anybody_may_send_makes_no_other_place() -> None:
    cast()
    for number in range(FREE):
        guess("192.0.2.1", 1, HTTP_X_FORWARDED_FOR=f"198.51.100.{number}")

    assert code_from("192.0.2.1", HTTP_X_FORWARDED_FOR="203.0.113.1") == 403


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


@pytest.mark.usefixtures("now_s")
def test_guesses_that_come_together_count_like_those_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cast()
    tried: list[str] = []

    def check(_: Person, password: str) -> bool:
        """Find the password wrong, after all guesses that came meanwhile."""
        tried.append(password)
        if len(tried) < 2 * FREE:
            guess("192.0.2.1", 1)
        return False

    monkeypatch.setattr(Person, "check_password", check)
    guess("192.0.2.1", 1)

    assert len(tried) == FREE


@pytest.mark.usefixtures("now_s")
def test_few_passwords_of_one_place_are_tried_at_once_and_the_pages_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cast()
    trials = Trials()
    monkeypatch.setattr(own, "_TRIALS", trials)
    with ExitStack() as held:
        for _ in range(AT_ONCE_OF_ONE):
            held.enter_context(trials.one(Place("192.0.2.1")))

        assert code_from("192.0.2.1") == 429
        assert client_of().get("/log-in", REMOTE_ADDR="192.0.2.1").status_code == 200
        assert code_from("192.0.2.2") == 302
    assert code_from("192.0.2.1") == 302


def test_a_link_that_does_not_exist_costs_no_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Person, "set_password", lambda *_: pytest.fail("hashed"))

    assert client_of().post("/link/nothing", {"password": "another horse"}).status_code == 400
