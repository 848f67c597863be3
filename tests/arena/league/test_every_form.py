"""Every form in every state of a league, with hostile values: no internal error, no right too much.

The values are text where a number is expected, numbers that no database holds, characters that no
database takes, texts without an end, files where text is expected, and bodies of no form at all.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import cycle, islice
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from test_every_route import FORMS, MATRIX, WHO
from test_every_state import DAMAGED, MINE, STATES, Asker, Scene, addresses_of, askers_of, populated

from arena.league.folder import League
from arena.league.persons.may import Action
from arena.league.site.models import Person, Token
from arena.league.web.routes import RULES, Rule
from arena.pages.playing.matches import PeopleMatch, RefusedError

Form = Mapping[str, Any]
Forms = Callable[[Rule], Iterator[tuple[str, Any]]]
URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=x"
NAMES = (
    *("name", "password", "next", "version", "rival", "machine", "since", "key", "team", "label"),
    *("seat", "deadline", "late", "who", "until", "list"),
)
"""Every field of a form."""
TEXTS = (
    *("", "-1", "9" * 30, "²", "٣", "a\0b", "\x1b[2J\r\n", "\ufffe\u202e", "<script>%s", "x" * 300),
    *(
        "team 99999999999999999999",
        "person ²",
        "9999-12-31T23:59",
        "0001-01-01T00:00",
        "x;y;z\n;;\t",
    ),
)
VALID: Mapping[str, Form] = {
    **FORMS,
    "log-in": {"name": "Nobody", "password": "right horse"},
    "me/bots": {"name": "another"},
    "me/remote-bots": {"name": "remote", "key": "x" * 40},
    "me/tokens": {"label": "laptop"},
    "bots/<str:name>/key": {"key": "x" * 40},
    "bots/<str:name>/play": {"seat": "1"},
    "bots/<str:name>/challenges": {"version": "1", "rival": "rook.1"},
}
"""Forms of which one value at a time is hostile."""
JSONS = (
    *(b"", b"{", b"[]", b"null", b"1e999", b'{"version": %s, "rival": "rook.1"}' % (b"9" * 400)),
    *(b"[" * 900, b"\xff\xfe", b"\0", b'{"version": 1, "version": 2}', b'"' + b"x" * 990 + b'"'),
    b'{"version": 1, "rival": "\\ud800"}',
    b'{"version": 1, "rival": "\\u0000"}',
    b'{"version": "\\ud800", "rival": ["rook.1"]}',
    b'{"version": true, "rival": {}}',
    b'{"version": -1, "rival": "rook.1"}',
    b'{"version": 9223372036854775808, "rival": "rook.1"}',
    b'{"seat": 0, "shown": 1, "line": "\\ud800"}',
    b'{"seat": 1e300, "shown": -1, "first": 99999999999999999999999}',
)
BODIES: tuple[tuple[str, bytes], ...] = (
    (URLENCODED, b"&".join(b"%s=%%ed%%a0%%80" % name.encode() for name in NAMES)),
    (URLENCODED, b"&".join(b"%s=%%ff%%00" % name.encode() for name in NAMES)),
    (URLENCODED, b"name=1&name=2&rival=&rival=x&version=1&version=%00"),
    (URLENCODED, b"=" * 200 + b"&" * 200),
    (URLENCODED, b"name=" + b"x" * (1 << 20)),
    (URLENCODED, b"&".join(b"a%d=1" % number for number in range(500))),
    (f"{URLENCODED}; charset=utf-7", b"name=+2AA-&list=+2AA-"),
    (f"{URLENCODED}; charset=none", b"name=x"),
    ("multipart/form-data", b"no boundary"),
    (MULTIPART, b""),
    (MULTIPART, b'--x\r\nContent-Disposition: form-data; name="list"\r\n\r\nhalf a part'),
    (MULTIPART, b'--x\r\nContent-Disposition: form-data; name="\xff\0"\r\n\r\nx\r\n--x--\r\n'),
    (MULTIPART, b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\na text\r\n--x--\r\n'),
    ("text/plain", b"\xff" * 5000),
)
OWN_TOKEN = 2
"""Number of a token of the owner."""
PER_ROUTE = 5
"""Number of bodies that are wrong altogether for each route; the next route gets the next ones."""


def whole_forms() -> Iterator[tuple[str, Any]]:
    """Yield bodies with a hostile value in every field, and bodies of no form at all."""
    for text in TEXTS:
        yield "", dict.fromkeys(NAMES, text)
    yield "", {name: ["1", "\0", "2"] for name in NAMES}
    for name in NAMES:
        yield "", {name: SimpleUploadedFile("../\u202ex.zip", b"PK\x05\x06" + bytes(18))}
    yield "", {"file": SimpleUploadedFile("x" * 250, b"")}
    yield "", {"file": SimpleUploadedFile("a\nb.tar.gz", b"\x1f\x8b")}
    yield from BODIES
    yield from (("application/json", body) for body in JSONS)


def forms_of(rule: Rule, turn: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield hostile bodies for a route: one wrong value at a time, and then everything wrong."""
    valid = VALID.get(rule.address, {})
    for name in valid:
        yield from (("", {**valid, name: text}) for text in TEXTS)
        yield "", {key: value for key, value in valid.items() if key != name}
    yield from islice(turn, PER_ROUTE)


def valid_forms(rule: Rule) -> Iterator[tuple[str, Any]]:
    """Yield the form that a route expects."""
    yield "", VALID.get(rule.address, {})


WRITES = sorted(
    (rule for rule in RULES if rule.method == "POST"), key=lambda rule: rule.address == "log-out"
)
"""The routes that change something; the one that ends the session comes last."""


def stored() -> list[Any]:
    """Return everything that a league keeps of persons and bots."""
    models = sorted(apps.get_app_config("league").get_models(), key=lambda model: model.__name__)
    return [list(model.objects.order_by("pk").values()) for model in models]


def faults(asker: Asker, forms: Forms, *, allowed: bool) -> Iterator[str]:
    """Yield what is wrong with the answers of the routes that are allowed, or of all others."""
    for rule in WRITES:
        if (MATRIX["POST", rule.address].split()[WHO.index(asker.name)] == "yes") != allowed:
            continue
        headers = asker.headers if rule.is_for_tokens else {}
        for kind, body in forms(rule):
            number = OWN_TOKEN if "tokens" in rule.address else 1
            (address,) = addresses_of(rule, {"number": (number,), "name": (MINE,)})
            client = asker.client
            if kind:
                answer = client.generic("POST", address, body, content_type=kind, headers=headers)
            else:
                answer = client.post(address, body, headers=headers)
            text = "" if answer.streaming else answer.content.decode(errors="replace")
            found = [mark for mark in asker.hidden if mark in text]
            answer.close()
            if asker.is_wrong(answer.status_code) or found:
                what = f"{asker.name} {address} {kind} {str(body)[:100]}"
                yield f"{what}: {answer.status_code} {found}"


@pytest.fixture(autouse=True)
def _no_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: Any) -> None:
        raise RefusedError("no match is played here")

    monkeypatch.setattr(PeopleMatch, "start", refuse)


def test_nobody_changes_by_a_form_what_is_not_theirs(league: League) -> None:
    askers = askers_of(populated(league))
    assert Token.objects.get(pk=OWN_TOKEN).person == Person.objects.get(name="Olga")
    before = stored()

    wrong = [fault for asker in askers for fault in faults(asker, valid_forms, allowed=False)]

    assert not wrong, "\n".join(wrong)
    assert stored() == before


def test_no_hostile_form_has_an_error_or_a_leak(league: League) -> None:
    *_, owner, staff = askers_of(populated(league))
    turn = cycle(whole_forms())

    def of_staff(rule: Rule) -> Iterator[tuple[str, Any]]:
        return forms_of(rule, turn) if rule.action is Action.RUN else iter(())

    def of_all(rule: Rule) -> Iterator[tuple[str, Any]]:
        return forms_of(rule, turn)

    wrong = [*faults(owner, of_all, allowed=True), *faults(staff, of_staff, allowed=True)]

    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__.strip("_"))
def test_no_state_has_an_error_or_a_leak_by_a_form(
    league: League, state: Callable[[Scene], None]
) -> None:
    scene = populated(league)
    stranger, _, owner, staff = askers_of(scene, is_patient=state in DAMAGED)
    state(scene)

    askers = (stranger, owner, staff)  # a rival may do a part of what an owner may
    wrong = [fault for asker in askers for fault in faults(asker, valid_forms, allowed=True)]

    assert not wrong, "\n".join(wrong)
