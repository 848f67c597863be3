"""Triggers of tables whose rows are only added, in the words of each database; for migrations."""

from typing import Any

_SQLITE = """
CREATE TRIGGER {table}_{what} BEFORE {what} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is only added to'); END
"""
_POSTGRESQL = """
CREATE OR REPLACE FUNCTION {table}_{what}() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN RAISE EXCEPTION '{table} is only added to'; END$$;
CREATE TRIGGER {table}_{what} BEFORE {what} ON {table}
EXECUTE FUNCTION {table}_{what}()
"""


def refuse(editor: Any, table: str, what: str) -> None:
    """Have the database refuse UPDATE or DELETE of a table."""
    text = _SQLITE if editor.connection.vendor == "sqlite" else _POSTGRESQL
    editor.execute(text.format(table=table, what=what), params=None)


def allow(editor: Any, table: str, what: str) -> None:
    """Have the database allow it again."""
    of_table = "" if editor.connection.vendor == "sqlite" else f" ON {table}"
    editor.execute(f"DROP TRIGGER {table}_{what}{of_table}", params=None)
