"""What of an event is still to be played: asked of its format, and asked again as matches end."""

from collections import deque
from collections.abc import Collection, Sequence

from arena.formats.format import Format, Results
from arena.results.standings import Seat
from arena.schedule.pairing import Pairing


class Agenda:
    """The matches of an event that have not ended, the next one first.

    A format that is not fixed gets the result of each match as it ends. For one that is, nothing is
    kept of what has ended: two million matches cost no more than their pairings.
    """

    def __init__(self, format_: Format, results: Results, done: Collection[str]) -> None:
        """Begin with what has ended: `done` are the keys of the finished matches."""
        self._format = format_
        self._results = dict(results)
        self.known = format_.known(self._results)
        """All matches that are known, in order of play."""
        self._pending = deque(
            pairing
            for pairing in self.known
            if pairing.key not in done and pairing.key not in self._results
        )
        self._running: dict[str, Pairing] = {}
        self.undecided = [pairing.key for pairing in self.known if self._is_void(pairing.key)]
        """Keys of the matches that have ended void."""

    @property
    def pending(self) -> Collection[Pairing]:
        """The matches that are known and were not begun."""
        return self._pending

    @property
    def missing(self) -> int:
        """How many matches are not finished: at most, while that is not known."""
        known = len(self._pending) + len(self._running) + len(self.undecided)
        return max(known, self.total - len(self.known) + known)

    @property
    def total(self) -> int:
        """How many matches the event has: at most, while that is not known."""
        return self._format.total(self._results)

    def begin(self) -> Pairing:
        """Return the next match, which runs from now on."""
        pairing = self._pending.popleft()
        self._running[pairing.key] = pairing
        return pairing

    def running(self, key: str) -> Pairing:
        """Return the running match of that key."""
        return self._running[key]

    def put_back(self, key: str) -> None:
        """Take a running match back: it is the next one, unless it has been dropped meanwhile."""
        pairing = self._running.pop(key)
        if self._is_wanted(pairing):
            self._pending.appendleft(pairing)

    def finish(self, key: str, seats: Sequence[Seat]) -> None:
        """Take in the result of a running match."""
        del self._running[key]
        self._take_in(key, seats)

    def give_up(self, key: str) -> None:
        """Take in that a running match stays void."""
        if self._is_wanted(self._running.pop(key)):
            self.undecided.append(key)
        self._take_in(key, ())

    def _take_in(self, key: str, seats: Sequence[Seat]) -> None:
        if self._format.is_fixed:
            return
        self._results[key] = seats
        known = self._format.known(self._results)
        if known == self.known:
            return
        self.known = known
        self._pending = deque(
            pairing
            for pairing in known
            if pairing.key not in self._results and pairing.key not in self._running
        )

    def _is_wanted(self, pairing: Pairing) -> bool:
        return self._format.is_fixed or pairing in self.known

    def _is_void(self, key: str) -> bool:
        return key in self._results and not self._results[key]
