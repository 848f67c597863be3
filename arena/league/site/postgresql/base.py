"""Django's backend for PostgreSQL, with transactions that are writers from their start.

With SQLite a league begins each transaction as the only writer, so what it has read stays true
until it writes. A lock of the whole database keeps the same promise here: quotas, names and
receipts need no second way.
"""

from typing import Any

from django.db.backends.postgresql import base

LOCK = 0x41524E41
"""Number of the lock."""


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection."""

    def _set_autocommit(self, autocommit: bool) -> Any:  # noqa: FBT001 - Django's
        super()._set_autocommit(autocommit)
        if not autocommit:
            with self.wrap_database_errors, self.connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
