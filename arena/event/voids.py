"""What becomes of a void match: it counts for nobody and is played again, but not for ever.

* A match that was void `ATTEMPTS` times in one run of the event is left undecided.
* Where a bot seems to have caused it, the second time is that bot's forfeit, whatever happened in
  between: its seat is then lost before the match begins.
* Two different matches void in a row, and no bot suspected, mean that something is wrong with the
  machine or with us: the event is halted before more of them are.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from arena.results.store import ATTEMPTS, VoidRow
from referee.job import Absence, Job


class Voids:
    """Follows the void matches of an event."""

    def __init__(self, known: Iterable[VoidRow], begun: Mapping[str, int] | None = None) -> None:
        """Begin with what was void in earlier runs of the event.

        `begun` are the last attempts at matches that were cut off with such a run, by key.
        """
        self.is_alarming = False
        """Whether two different matches in a row were void for no bot's sake."""
        self._attempts: Counter[str] = Counter(begun or {})
        self._suspects: set[tuple[str, str]] = set()
        for void in known:
            self._attempts[void.key] = max(self._attempts[void.key], void.attempt)
            if void.suspect is not None:
                self._suspects.add((void.key, void.suspect))
        self._condemned: dict[str, list[Absence]] = defaultdict(list)
        self._tries: Counter[str] = Counter()
        self._last: str | None = None

    def attempt(self, key: str) -> int:
        """Return the number of the attempt at a match that is running or comes next, 1 first."""
        return self._attempts[key] + 1

    def absences(self, key: str) -> list[Absence]:
        """Return the seats of a match that were lost by making it void twice."""
        return self._condemned[key]

    def finished(self) -> None:
        """Take in that a match was not void."""
        self._last = None

    def add(self, job: Job, suspect: Absence | None) -> bool:
        """Take in that a match was void; return whether it is to be played again."""
        key = job.key
        self._attempts[key] += 1
        self._tries[key] += 1
        if suspect is None:
            self.is_alarming |= self._last not in (None, key)
            self._last = key
        elif self._is_second_time(key, job.player(suspect.seat).name):
            self._condemned[key].append(suspect)
            return True  # there is one bot less to make it void
        return self._tries[key] < ATTEMPTS

    def _is_second_time(self, key: str, player: str) -> bool:
        is_second = (key, player) in self._suspects
        self._suspects.add((key, player))
        return is_second
