"""Matches ended by the scores that bots report, or by tablebases of chess.

A match in progress and the check of its record use the same class, and both give it the calls of
the record, so that a record alone shows whether its match had to end so.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from protocol.vocabulary import Seat
from referee.job import Adjudication, Job
from referee.records.calls import Call
from referee.records.scores import score_of
from referee.rules import Game, Outcome
from referee.tablebases import NOBODY, opened

MAX_PLIES = "stopped by max_plies"
DRAW = "draw by score"
RESIGN = "resign by score"
TABLE_DRAW = "tablebase draw"
TABLE_WIN = "tablebase win"
"""Reasons of an adjudication."""


class Adjudicator:
    """The scores of a match so far, and the rules by which they end it."""

    def __init__(
        self,
        terms: Adjudication,
        game: Game[Any, Any],
        winner: Callable[[Any], Seat | None] = lambda _: None,
    ) -> None:
        """Begin a match; `winner` looks a position up in tablebases, as `Tables.winner` does."""
        self._terms, self._game, self._winner = terms, game, winner
        self._moves = 0
        self._runs: dict[str, Counter[Seat]] = {"low": Counter(), "high": Counter()}
        """Number of moves in a row with a score of this kind, by seat."""
        self._runs["even"] = Counter()

    def add(self, call: Call, state: Any) -> Outcome | None:
        """Add a move and the position after it; return the result if the match ends here.

        The rules of the game come first.
        """
        if call.seat is None:
            return None
        self._moves += 1
        self._count(call.seat, score_of(call))
        if self._game.outcome(state) is not None:
            return None
        return self._by_table(state) or self._by_resigning(state) or self._by_drawing(state)

    def _count(self, seat: Seat, score: int | None) -> None:
        """Continue the runs of a seat, or end them: so does a move without a score."""
        draw, resign = self._terms.draw, self._terms.resign
        is_there = {
            "even": draw is not None and score is not None and abs(score) <= draw.score,
            "low": resign is not None and score is not None and score <= -resign.score,
            "high": resign is not None and score is not None and score >= resign.score,
        }
        for kind, runs in self._runs.items():
            runs[seat] = runs[seat] + 1 if is_there[kind] else 0

    def _by_resigning(self, state: Any) -> Outcome | None:
        rule = self._terms.resign
        for loser in (0, 1):
            low, high = self._runs["low"][loser], self._runs["high"][1 - loser]
            if rule is not None and min(low, high) >= rule.moves:
                return lost(self._game, state, loser, RESIGN)
        return None

    def _by_drawing(self, state: Any) -> Outcome | None:
        """Return a draw, unless the game counts a match that is stopped here for one of them."""
        rule, even = self._terms.draw, self._runs["even"]
        if rule is None or self._moves < rule.after or min(even[0], even[1]) < rule.moves:
            return None
        stopped = self._game.adjudicate(state, DRAW)
        return stopped if len(set(stopped.places)) == 1 else None

    def _by_table(self, state: Any) -> Outcome | None:
        won = self._winner(state)
        if won is None:
            return None
        if won == NOBODY:
            return self._game.adjudicate(state, TABLE_DRAW)
        return lost(self._game, state, 1 - won, TABLE_WIN)


def adjudicator_of(job: Job, game: Game[Any, Any]) -> Adjudicator | None:
    """Return the adjudicator of a match; None without such rules.

    Raises TablebaseError if the tablebases of the match cannot be read.
    """
    if job.adjudicate is None:
        return None
    if not job.tablebases:
        return Adjudicator(job.adjudicate, game)
    from referee.games.chess import Chess  # slow import

    if not isinstance(game, Chess):
        raise TypeError(f"there are no tablebases of {game.name}")
    tables = opened(job.tablebases)
    return Adjudicator(job.adjudicate, game, lambda state: tables.winner(game.fen_of(state)))


def lost(game: Game[Any, Any], state: Any, seat: Seat, reason: str) -> Outcome | None:
    """Return the result if a seat of two loses here."""
    outcome = game.outcome(game.retire(state, seat))
    return None if outcome is None else Outcome(outcome.points, outcome.places, reason)
