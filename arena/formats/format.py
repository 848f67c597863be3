"""What a format is: the matches of an event as a pure function of its results.

A format is asked for all matches that are known; the director plays them, and asks again whenever
one has ended. Nothing about rounds is kept anywhere: an event goes on after it was killed because
the same results lead to the same matches. Hence the rules that every format keeps to:

* `known` depends on nothing but the format and the results it is given, and not on the order in
  which these came in. Results of matches that it did not ask for change nothing.
* Results are only ever added. A match that is known stays known, at least until it has ended; a
  format that has seen enough may drop those that have not ended.
* Of one player's matches those known later come later.
* A match that stays void has ended, with no seats: it counts as a draw. A match that a withdrawn
  player forfeits unplayed is an ordinary result with a fault.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

from arena.results.standings import Seat
from arena.schedule.pairing import Pairing

Results: TypeAlias = Mapping[str, Sequence[Seat]]
"""The seats of every match that has ended, by its key. No seats: it stayed void."""


class Format(Protocol):
    """Knows the matches of an event. `Schedule` is the one that knows all at once."""

    @property
    def is_fixed(self) -> bool:
        """Whether all matches are known from the start: then it is asked once, with no results."""
        ...

    @property
    def imbalance(self) -> tuple[str, ...]:
        """What is not equal for all bots, a line a fact; empty when everything is."""
        ...

    def known(self, results: Results) -> Sequence[Pairing]:
        """Return all matches that are known by now in order of play, the ended ones among them."""
        ...

    def total(self, results: Results) -> int:
        """Return how many matches the event has: at most, while it is not known; then exactly."""
        ...

    def text(self, results: Results) -> str:
        """Return what the format makes of the results; empty where the table says it all."""
        ...
