"""Published ratings and the audit are only added to: the database itself refuses changes."""

from django.db import migrations

_TRIGGER = """
CREATE TRIGGER {table}_{what} BEFORE {what} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is only added to'); END;
"""
_REMOVAL = "DROP TRIGGER {table}_{what};"
_KINDS = [(t, w) for t in ("league_ratingpoint", "league_audit") for w in ("UPDATE", "DELETE")]


class Migration(migrations.Migration):
    dependencies = [("league", "0001_initial")]

    operations = [
        migrations.RunSQL(
            [_TRIGGER.format(table=table, what=what) for table, what in _KINDS],
            [_REMOVAL.format(table=table, what=what) for table, what in _KINDS],
        )
    ]
