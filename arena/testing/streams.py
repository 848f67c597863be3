"""Random numbers for draws under examination: some streams, and one with a number changed.

A draw of all cards or dice at once hardly ever gives a seat the same part twice. Changing
one number of its stream usually changes one die or swaps two cards, so a seat's part stays equal.
"""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final

CHANGED: Final = 24
"""Limit of the numbers of a stream that are changed, one at a time."""


class OnlyRandom:
    """The numbers of a stream, by its method `random()` and no other."""

    def __init__(
        self,
        numbers: Random,
        refuse: Callable[[str], Exception],
        changed: Mapping[int, float] | None = None,
    ) -> None:
        """`refuse` returns the error for another method, `changed` has numbers by position."""
        self._numbers = numbers
        self._refuse = refuse
        self._changed = changed or {}
        self.given: list[float] = []
        """The numbers so far."""

    def random(self) -> float:
        """Return the next number."""
        own = self._numbers.random()
        self.given.append(self._changed.get(len(self.given), own))
        return self.given[-1]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._refuse(name)


def changes(given: list[float]) -> Iterator[dict[int, float]]:
    """Yield changes of one number each: to a neighbouring number, and to numbers far off."""
    step = -(-len(given) // CHANGED) or 1
    near = 1 / (len(given) + 1)
    for place in range(0, len(given), step):
        for distance in (near, -near, 1 / 3, 2 / 3):
            yield {place: (given[place] + distance) % 1.0}
