"""Handling of void matches: they count for no player and are played again a few times.

* A match void `ATTEMPTS` times in one run of the event stays undecided.
* A bot suspected of making the same match void twice forfeits, whatever happened in between: it
  loses its seat before the match begins. So does a bot after making other matches void `FORGIVEN`
  times: otherwise a losing bot could have every match played again. Matches that were running, or
  waiting in their slots, at the same time count once, since one lost line ends all of them.
* A match repeated after a suspicion has other draws, since the bot knows the former.
* A match that has lost its worker `ATTEMPTS` times, alone on it the last time, is a forfeit of all
  its bots: one of them ends workers, and which one is unknown.
* Two different void matches in a row without a suspect point to a problem of the machine or an
  internal error: the event is halted before more matches are void.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from math import ceil

from arena.results.store import ATTEMPTS
from arena.results.voids import VoidRow
from protocol.vocabulary import Termination
from referee.job import Absence, Job
from referee.match_end import MatchEnd

FORGIVEN = 3
"""How often a bot may make matches void without a forfeit."""


class Voids:
    """Follows the void matches of an event."""

    def __init__(
        self, known: Iterable[VoidRow], begun: Mapping[str, int] | None = None, slots: int = 1
    ) -> None:
        """Start from earlier runs: void matches, and last attempts of matches that were cut off."""
        self.is_alarming = False
        """Whether two different matches in a row were void without a suspect."""
        self._attempts: Counter[str] = Counter(begun or {})
        self._suspects: dict[str, set[str]] = defaultdict(set)
        """Keys of the matches that each player is suspected of having made void."""
        self._suspicions: Counter[str] = Counter()
        self._begins: dict[str, int] = {}
        """Number of the last begin of each match, in the order of this run."""
        self._last_begin = 0
        self._cuts: Counter[str] = Counter()
        """How often each player is suspected of having made matches void."""
        self._cut_at: dict[str, int] = {}
        """Number of the last begin before the last of these times, by player."""
        for void in known:
            self._attempts[void.key] = max(self._attempts[void.key], void.attempt)
            if void.suspect is not None:
                self._suspects[void.suspect].add(void.key)
                self._suspicions[void.key] += 1
        for player, keys in self._suspects.items():
            # The times are not stored. At one match per slot each time, it was this often:
            self._cuts[player] = ceil(len(keys) / slots)
        self._condemned: dict[str, list[Absence]] = defaultdict(list)
        self._tries: Counter[str] = Counter()
        self._losses: Counter[str] = Counter()
        self._last: str | None = None

    def attempt(self, key: str) -> int:
        """Return the number, from 1, of the running or next attempt at a match."""
        return self._attempts[key] + 1

    def begin(self, key: str) -> int:
        """Note the begin of a match; return the number of the attempt."""
        self._last_begin += 1
        self._begins[key] = self._last_begin
        return self.attempt(key)

    def suspicions(self, key: str) -> int:
        """Return how often a bot was suspected of making a match void."""
        return self._suspicions[key]

    def absences(self, key: str) -> list[Absence]:
        """Return the seats of a match lost by making it void twice."""
        return self._condemned.get(key, [])

    def finished(self) -> None:
        """Record a match that was not void."""
        self._last = None

    def add(self, end: MatchEnd) -> bool:
        """Add a void match; return whether to play it again, or to decide it by its absences.

        A match that is lost with its machine is no evidence of a problem with the others.
        """
        job, suspect = end.job, end.suspect
        key = job.key
        self._attempts[key] += 1
        self._tries[key] += 1
        if end.is_lost:
            self._losses[key] += 1
            if end.is_alone and self._losses[key] >= ATTEMPTS:
                self._condemned[key] += _culprits(job)
                return True  # without its bots
        elif suspect is None:
            self.is_alarming |= self._last not in (None, key)
            self._last = key
        elif not self._forgive(key, job.player(suspect.seat).name):
            self._condemned[key].append(suspect)
            return True  # the bot cannot make it void again
        return self._tries[key] < ATTEMPTS

    def _forgive(self, key: str, player: str) -> bool:
        if self._begins.get(key, 0) >= self._cut_at.get(player, 0):
            self._cuts[player] += 1
            self._cut_at[player] = self._last_begin + 1
        keys = self._suspects[player]
        is_forgiven = key not in keys and self._cuts[player] <= FORGIVEN
        keys.add(key)
        self._suspicions[key] += 1
        return is_forgiven


def _culprits(job: Job) -> list[Absence]:
    detail = f"{ATTEMPTS} workers ended with this match, the last one while it played nothing else"
    return [
        Absence(seat=seat, termination=Termination.CRASH, detail=detail)
        for seat in range(len(job.players))
    ]
