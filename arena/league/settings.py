"""The settings of Django for a league, which come from its folder alone."""

import logging
from functools import cache
from typing import Any

import django
from django.apps import apps
from django.conf import settings
from django.core.management import call_command

from arena.errors import UsageError, check_packages
from arena.league.folder import League
from arena.text import plural
from protocol.wording import escaped

APP = "arena.league.site"
TIMEOUT_S = 30
"""Time in seconds to wait for another writer of the database."""
_AT_OPENING = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
FORM_BYTES = 256 * 1024
"""Limit of the size of a form without files, such as a class list."""


@cache
def open_site(league: League) -> None:
    """Set Django up for a league, and make its tables if they are new; once in a process.

    Raises UsageError if an older Arena has made them, which `arena league upgrade` cures, or a
    later one. In PostgreSQL older ones are brought up to date at once: its backups are those of the
    server.
    """
    set_up(league)
    steps = pending()
    if is_new() or (steps and league.site.database is not None):
        call_command("migrate", verbosity=0, interactive=False)
    elif steps:
        raise UsageError(
            f"{league.site_db} was made by an older Arena ({plural(len(steps), 'step')} behind);"
            f" `arena league upgrade {league.folder}` makes a backup and brings it up to date"
        )


@cache
def set_up(league: League) -> None:
    """Set Django up for a league, whatever the state of its database; once in a process."""
    settings.configure(**_settings(league))
    django.setup()
    _limit_log()


class _Escaped(logging.Formatter):
    """Lines that do nothing to a terminal, whatever a request has put into them."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of an entry."""
        return escaped(super().format(record), "\n")


def _limit_log() -> None:
    """Write internal errors alone: everybody may send wrong requests, as many as they like."""
    log = logging.getLogger("django")
    log.setLevel(logging.ERROR)
    log.propagate = False
    log.handlers = [logging.StreamHandler()]
    log.handlers[0].setFormatter(_Escaped())
    wrong = logging.getLogger("django.security")
    wrong.propagate = False
    wrong.handlers = [logging.NullHandler()]


def is_new() -> bool:
    """Whether the database has no tables yet."""
    from django.db import connection

    return not connection.introspection.table_names()


def pending() -> list[str]:
    """Return the names of the steps that the database lacks.

    Raises UsageError if it has others: a later Arena has made it, and this one could spoil it.
    """
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    known, made = executor.loader.disk_migrations, executor.loader.applied_migrations
    if later := sorted(name for app, name in made if (app, name) not in known):
        raise UsageError(
            f"a later Arena has made the tables of this league ({', '.join(later)}): use that one,"
            " or `arena league restore` with the backup of before its upgrade, in backups/"
        )
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [migration.name for migration, _ in plan]


def is_open() -> bool:
    """Whether a league is open in this process."""
    return bool(apps.ready)


def database(league: League) -> dict[str, Any]:
    """Return the settings of the database: each transaction is a writer from its start."""
    if league.site.database is not None:
        return _postgresql(league.site.database)
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(league.site_db),
        "OPTIONS": {
            "timeout": TIMEOUT_S,
            "transaction_mode": "IMMEDIATE",
            "init_command": _AT_OPENING,
        },
    }


def _postgresql(address: str) -> dict[str, Any]:
    """Return the settings of postgresql://USER:PASSWORD@HOST:PORT/NAME, of which NAME is enough."""
    check_packages("a league in PostgreSQL", "league", "psycopg")
    from psycopg.conninfo import conninfo_to_dict

    parts = conninfo_to_dict(address)
    keys = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST"}
    return {
        "ENGINE": "arena.league.site.postgresql",
        **{key: parts.get(part) or "" for part, key in keys.items()},
        "PORT": str(parts.get("port") or ""),
        "OPTIONS": {"options": f"-c lock_timeout={TIMEOUT_S}s"},
    }


def _settings(league: League) -> dict[str, Any]:
    site = league.site
    return {
        "ALLOWED_HOSTS": ["*"],  # the guard of the server knows the hosts
        "AUTH_USER_MODEL": "league.Person",
        "CSRF_COOKIE_HTTPONLY": True,
        "CSRF_COOKIE_NAME": f"league_csrf_{site.port}",
        "CSRF_COOKIE_SECURE": site.https,
        "CSRF_FAILURE_VIEW": "arena.league.web.pages.csrf_failure",
        "CSRF_TRUSTED_ORIGINS": [f"https://{host}" for host in site.hosts],
        "DATABASES": {"default": database(league)},
        "DATA_UPLOAD_MAX_MEMORY_SIZE": FORM_BYTES,
        "DATA_UPLOAD_MAX_NUMBER_FIELDS": 20,
        "DATA_UPLOAD_MAX_NUMBER_FILES": 1,
        "DEBUG": False,
        "DEFAULT_AUTO_FIELD": "django.db.models.BigAutoField",
        "FILE_UPLOAD_TEMP_DIR": str(league.folder / "inbox"),
        "INSTALLED_APPS": ["django.contrib.sessions", APP],
        "LOGGING_CONFIG": None,
        "MIDDLEWARE": [
            "arena.league.web.headers.secured",
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "arena.league.web.sessions.with_person",
        ],
        "PASSWORD_HASHERS": ["arena.league.site.passwords.BoundedArgon2"],
        "REFERRER_POLICY": "same-origin",
        "ROOT_URLCONF": "arena.league.web.routes",
        "SECRET_KEY": league.secret,
        "SESSION_COOKIE_AGE": 30 * 24 * 3600,
        "SESSION_COOKIE_NAME": f"league_{site.port}",
        "SESSION_COOKIE_SECURE": site.https,
        "SESSION_ENGINE": "arena.league.site.session_keys",
        "TEMPLATES": [
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {"context_processors": ["arena.league.web.sessions.of_page"]},
            }
        ],
        "TIME_ZONE": "UTC",
        "USE_TZ": True,
    }
