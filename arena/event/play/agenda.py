"""The remaining matches of an event, updated by its format as matches end."""

from collections import deque
from collections.abc import Callable, Collection, Sequence

from arena.formats.format import Format, Results
from arena.results.standings import Ranking
from arena.schedule.pairing import Pairing
from referee.records.result import SeatRow


class Agenda:
    """The open matches of an event, the next one first.

    A format without a fixed schedule receives the result of each match at its end. A fixed format
    needs no results, so none are stored: two million matches take no more memory than their
    pairings.
    """

    def __init__(self, format_: Format, results: Results, done: Collection[str]) -> None:
        """Start from the ended matches; `done` are the keys of the finished ones."""
        self._format = format_
        self._results = dict(results)
        self.known = format_.known(self._results)
        """All known matches, in order of play."""
        ended = {*done, *self._results}
        self._pending = deque(pairing for pairing in self.known if pairing.key not in ended)
        self._running: dict[str, Pairing] = {}
        voids = {key for key, seats in self._results.items() if not seats}
        self.undecided = [p.key for p in self.known if p.key in voids] if voids else []
        """Keys of the matches given up as void."""

    @property
    def pending(self) -> Collection[Pairing]:
        """The known matches that have not begun."""
        return self._pending

    @property
    def missing(self) -> int:
        """Number of unfinished matches, or its upper bound while results decide it."""
        known = len(self._pending) + len(self._running) + len(self.undecided)
        return max(known, self.total - len(self.known) + known)

    @property
    def total(self) -> int:
        """Number of matches of the event, or its upper bound while results decide it."""
        return self._format.total(self._results)

    @property
    def ranking(self) -> Ranking | None:
        """The format's own places so far; None if the sum of scores ranks the players."""
        return self._format.ranking(self._results)

    def has_next(self, is_awaited: Callable[[Pairing], bool]) -> bool:
        """Whether a known match can begin: the others wait for a player."""
        return any(not is_awaited(pairing) for pairing in self._pending)

    def begin(self, is_awaited: Callable[[Pairing], bool] = lambda _: False) -> Pairing:
        """Remove and return the next match that can begin, and mark it as running."""
        place, pairing = next(
            found for found in enumerate(self._pending) if not is_awaited(found[1])
        )
        del self._pending[place]
        self._running[pairing.key] = pairing
        return pairing

    def running(self, key: str) -> Pairing:
        """Return the running match with this key."""
        return self._running[key]

    def put_back(self, key: str) -> None:
        """Make a running match the next one again, unless its format has dropped it meanwhile."""
        pairing = self._running.pop(key)
        if self._is_wanted(pairing):
            self._pending.appendleft(pairing)

    def finish(self, key: str, seats: Sequence[SeatRow]) -> None:
        """Add the result of a running match."""
        del self._running[key]
        self._take_in(key, seats)

    def give_up(self, key: str) -> None:
        """Mark a running match as void for good."""
        if self._is_wanted(self._running.pop(key)):
            self.undecided.append(key)
        self._take_in(key, ())

    def _take_in(self, key: str, seats: Sequence[SeatRow]) -> None:
        if self._format.is_fixed:
            return
        self._results[key] = seats
        known = self._format.known(self._results)
        if known is self.known or known == self.known:
            return
        self.known = known
        self._pending = deque(
            pairing
            for pairing in known
            if pairing.key not in self._results and pairing.key not in self._running
        )

    def _is_wanted(self, pairing: Pairing) -> bool:
        return self._format.is_fixed or pairing in self.known
