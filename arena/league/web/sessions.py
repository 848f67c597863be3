"""Who asks: the person of a session, of whom a changed password ends all other sessions."""

from collections.abc import Callable
from typing import Any

from django.utils.crypto import constant_time_compare

from arena.league.site.models import Person

_PERSON, _KEY = "person", "key"


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
