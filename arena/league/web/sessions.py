"""Who asks: the person of a session, of whom a changed password ends all other sessions."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from django.conf import settings
from django.http.cookie import parse_cookie
from django.utils.crypto import constant_time_compare

from arena.league.people import person_of_token
from arena.league.site.models import Person

_PERSON, _KEY = "person", "key"
BEARER = "Bearer "


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


def asker_of(headers: Mapping[bytes, bytes]) -> int | None:
    """Return the number of the person of a token or session; None for a stranger."""
    authorization = headers.get(b"authorization", b"").decode("latin-1")
    if authorization.startswith(BEARER):
        person = person_of_token(authorization.removeprefix(BEARER))
    else:
        cookies = parse_cookie(headers.get(b"cookie", b"").decode("latin-1"))
        engine = import_module(settings.SESSION_ENGINE)
        person = _person_of(engine.SessionStore(cookies.get(settings.SESSION_COOKIE_NAME)))
    return None if person is None else int(person.pk)


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
