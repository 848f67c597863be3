"""Forms in UTF-8 alone, the only encoding that a browser uses for a page of a league.

Django decodes a form by the encoding that its sender names. Some of Python's make no text of
bytes, so that a stranger could have as many internal errors in the log as requests; others bring
characters that no database takes.
"""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import BadRequest

_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_ENCODING = "utf-8"


def in_utf_8(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a middleware that refuses a form in another encoding before anything reads it."""

    def middleware(request: Any) -> Any:
        named = request.content_params.get("charset", _ENCODING).lower()
        if request.content_type in _FORMS and named != _ENCODING:
            raise BadRequest("a form must be in UTF-8")
        return answer(request)

    return middleware
