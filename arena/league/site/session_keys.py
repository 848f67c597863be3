"""Sessions of Django, looked up by keys alone that Django may have made.

A cookie in quotes may hold any character, also the one that PostgreSQL takes in no text: anybody
could then have an internal error, and its traceback in the log of the league, with each request.
"""

import re

from django.contrib.sessions.backends import db

_KEY = re.compile("[a-z0-9]{8,40}")


class SessionStore(db.SessionStore):
    """The sessions in the database of the site."""

    def _validate_session_key(self, key: str | None) -> bool:
        """Whether a key may be that of a session; Django takes any other for none."""
        return bool(key and _KEY.fullmatch(key))
