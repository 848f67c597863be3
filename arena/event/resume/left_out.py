"""Bots left out since they failed the preflight of an earlier run: an unchanged one is not new."""

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from arena.config.event import Config
from arena.event.resume.players import LEFT_OUT, Unavailable
from arena.results.failed_tests import FailedTest, forget_tests, kept_tests
from referee.job import Player

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.errors import PreflightError
    from arena.results.store import Store

_TERMS: Final = frozenset(
    {
        "game",
        "runner",
        "openings",
        "seats",
        "claims",
        "max_plies",
        "time",
        "limits",
        "isolation",
        "installations",
        "cores",
        "restart",
        "transport",
    }
)
"""Keys of a config that may change the result of a bot's preflight."""


@dataclass(frozen=True)
class LeftOut:
    """Bots that would be tested again as they were."""

    lasting: "Sequence[Unavailable]" = ()
    """Those that would fail again: they are not tested."""
    doubtful: "Sequence[Unavailable]" = ()
    """Those that a busy machine, or a program missing on it, may have failed."""


def left_out_before(
    store: "Store", config: Config, players: "Mapping[str, Player]", *, is_new: bool
) -> LeftOut:
    """Return the players whose bots failed the same test in the last run of the event.

    Where a broken bot stops the event, all are tested, and the results of earlier tests forgotten.
    """
    begun = None if is_new else store.latest_event(config.name)
    if begun is None:
        return LeftOut()
    found = kept_tests(store, begun.id)
    if config.broken != "leave_out":
        if found:
            forget_tests(store, begun.id)
        return LeftOut()
    same = [
        Unavailable(
            player=name,
            detail=reason.removeprefix(LEFT_OUT),
            is_forfeit=False,
            test=test,
        )
        for name, (test, reason) in found.items()
        if name in players and test.terms == _terms(config, players[name])
    ]
    return LeftOut(
        lasting=[bot for bot in same if bot.test is not None and bot.test.is_lasting],
        doubtful=[bot for bot in same if bot.test is None or not bot.test.is_lasting],
    )


def failed_now(
    config: Config, players: "Mapping[str, Player]", error: "PreflightError"
) -> list[Unavailable]:
    """Return the players whose bots have failed the preflight."""
    return [
        Unavailable(
            player=name,
            detail=text,
            is_forfeit=False,
            test=FailedTest(
                terms=_terms(config, players[name]),
                # the machine of a remote bot may change, too
                is_lasting=name in error.lasting and not players[name].is_remote,
            ),
        )
        for name, text in error.failures.items()
    ]


def _terms(config: Config, player: Player) -> str:
    """Return a hash of a bot and of all that its preflight depends on, except the machine."""
    form = config.form()
    has_scratch = player.scratch is not None
    parts = [player.content, player.tier, has_scratch, {key: form[key] for key in _TERMS}]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
