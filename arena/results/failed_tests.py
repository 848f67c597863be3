"""Failed preflights of bots; some are kept so that an unchanged bot is not tested again."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.results.one_line import one_line
from arena.results.store import Store


@dataclass(frozen=True, kw_only=True)
class FailedTest:
    """A failed preflight of a bot."""

    terms: str
    """Hash of the bot and of the terms of the test."""
    is_lasting: bool
    """Whether the same test would fail again: neither load nor the machine explains it."""


def add_failures(store: Store, event: int, failures: Mapping[str, str]) -> None:
    """Record players that have failed the preflight, beside the others with broken bots."""
    with store.database.transaction() as db:
        db.executemany(
            "INSERT OR REPLACE INTO broken (event, player, detail) VALUES (?, ?, ?)",
            [(event, player, detail) for player, detail in failures.items()],
        )


def keep_tests(store: Store, event: int, tests: Mapping[str, FailedTest]) -> None:
    """Record the failed tests of players with broken bots."""
    with store.database.transaction() as db:
        db.executemany(
            "UPDATE broken SET terms = ?, is_lasting = ? WHERE event = ? AND player = ?",
            [(test.terms, test.is_lasting, event, player) for player, test in tests.items()],
        )


def forget_tests(store: Store, event: int) -> None:
    """Forget all failed tests of an event, so that every bot is tested again."""
    with store.database.transaction() as db:
        db.execute("UPDATE broken SET terms = NULL WHERE event = ?", (event,))


def kept_tests(store: Store, event: int) -> dict[str, tuple[FailedTest, str]]:
    """Return the kept tests of an event, each with the reason of its failure, by player."""
    query = (
        "SELECT player, terms, is_lasting, detail FROM broken"
        " WHERE event = ? AND terms IS NOT NULL ORDER BY player"
    )
    return {
        one_line([player])[0]: (FailedTest(terms=terms, is_lasting=bool(lasts)), detail)
        for player, terms, lasts, detail in store.database.rows(query, (event,))
    }
