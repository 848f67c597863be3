"""The contract of a format: the matches of an event as a pure function of its results.

The director asks the format for all known matches, plays them, and asks again after each result. No
round is stored anywhere: an event resumes after a kill because the same results lead to the same
matches. Every format therefore follows these rules:

* `known` depends only on the format and the given results, not on their order. Results of unknown
  matches change nothing.
* Results are only ever added. A known match stays known until it has ended; a format with enough
  evidence may drop matches that have not ended.
* A player's matches are known in their order of play.
* A match that stays void has ended without seats and counts as a draw. An unplayed match of a
  withdrawn player is an ordinary result with a fault.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

from arena.results.standings import Ranking
from arena.schedule.pairing import Pairing
from referee.records.result import SeatRow

Results: TypeAlias = Mapping[str, Sequence[SeatRow]]
"""Seats of every ended match by its key; no seats for a match that stayed void."""


class Format(Protocol):
    """The matches of an event. `Schedule` is the implementation with all matches known at once."""

    @property
    def is_fixed(self) -> bool:
        """Whether all matches are known from the start; `known` is then called without results."""

    @property
    def imbalance(self) -> tuple[str, ...]:
        """Inequalities between bots, one line each; empty for a balanced schedule."""

    def known(self, results: Results) -> Sequence[Pairing]:
        """Return all matches known so far in order of play, including ended ones."""

    def total(self, results: Results) -> int:
        """Return the number of matches, or its upper bound while it depends on results."""

    def ranking(self, results: Results) -> Ranking | None:
        """Return the places of all players so far; None if the sum of scores ranks them."""

    def text(self, results: Results) -> str:
        """Return the format's own view of the results, like a bracket; empty if it has none."""
