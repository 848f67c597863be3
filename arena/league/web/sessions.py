"""Who asks: the person of a session, of whom a changed password ends all other sessions."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

from django.conf import settings
from django.db import connections
from django.http.cookie import parse_cookie
from django.utils.crypto import constant_time_compare

from arena.league.persons.people import person_of_token
from arena.league.site.models import Person
from arena.league.web.uploads import Asker

_PERSON, _KEY = "person", "key"
_BEARER, _BASIC = "Bearer ", "Basic "


def with_person(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a middleware that sets `request.person`; None is a stranger."""

    def middleware(request: Any) -> Any:
        request.person = _person_of(request.session)
        return answer(request)

    return middleware


def _person_of(session: Any) -> Person | None:
    person: Person | None = None
    if (number := session.get(_PERSON)) is not None:
        person = Person.objects.filter(pk=number).first()
    if person is None:
        return None
    is_current = constant_time_compare(session.get(_KEY, ""), person.get_session_auth_hash())
    return person if is_current else None


def asker_of(headers: Mapping[bytes, bytes]) -> Asker | None:
    """Return the person of a token or session, with the teams; None for a stranger.

    No connection to the database stays open: this runs outside of the requests of Django.
    """
    try:
        person = _person_of_headers(headers)
        if person is None:
            return None
        return Asker(person.pk, frozenset(person.teams.values_list("pk", flat=True)))
    finally:
        connections.close_all()


def _person_of_headers(headers: Mapping[bytes, bytes]) -> Person | None:
    if b"authorization" in headers:
        return person_of_header(headers[b"authorization"].decode("latin-1"))
    cookies = parse_cookie(headers.get(b"cookie", b"").decode("latin-1"))
    engine = import_module(settings.SESSION_ENGINE)
    return _person_of(engine.SessionStore(cookies.get(settings.SESSION_COOKIE_NAME)))


def person_of_header(authorization: str) -> Person | None:
    """Return the person of a token: a bearer's, or as the password for any name, as git has it."""
    if authorization.startswith(_BASIC):
        with suppress(ValueError):
            pair = b64decode(authorization.removeprefix(_BASIC), validate=True).decode()
            return person_of_token(pair.partition(":")[2])
    elif authorization.startswith(_BEARER):
        return person_of_token(authorization.removeprefix(_BEARER))
    return None


def log_in(request: Any, person: Person) -> None:
    """Begin the session of a person, under a new name."""
    request.session.flush()
    request.session[_PERSON] = person.pk
    request.session[_KEY] = person.get_session_auth_hash()
    request.person = person


def log_out(request: Any) -> None:
    """End the session."""
    request.session.flush()
    request.person = None


def of_page(request: Any) -> dict[str, Any]:
    """Return what every page shows: the league and the person."""
    from arena.league.web.here import site

    return {"person": getattr(request, "person", None), "title": site().title}
