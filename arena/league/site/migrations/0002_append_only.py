"""Published ratings and the audit are only added to: the database itself refuses changes."""

from typing import Any

from django.db import migrations

from arena.league.site.append_only import allow, refuse

_TABLES = ("league_ratingpoint", "league_audit")
_KINDS = [(table, what) for table in _TABLES for what in ("UPDATE", "DELETE")]


def _refuse(_: Any, editor: Any) -> None:
    for table, what in _KINDS:
        refuse(editor, table, what)


def _allow(_: Any, editor: Any) -> None:
    for table, what in _KINDS:
        allow(editor, table, what)


class Migration(migrations.Migration):
    dependencies = [("league", "0001_initial")]

    operations = [migrations.RunPython(_refuse, _allow)]
