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

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Literal

from arena.results.store import ATTEMPTS
from arena.results.voids import VoidRow
from protocol.vocabulary import Termination
from referee.job import Absence, Job
from referee.records.match_end import MatchEnd

FORGIVEN = 3
"""How often a bot may make matches void without a forfeit."""


Sequel = Literal["replayed", "forfeited", "given up"]
"""What follows a void match: it is played again, its absences decide it, or it stays undecided."""


@dataclass(slots=True)
class _VoidMatch:
    """A match that was void, or cut off in an earlier run."""

    attempts: int = 0
    """Attempts in all runs."""
    tries: int = 0
    """Void attempts in this run."""
    losses: int = 0
    """Those of this run that were lost with their worker."""
    suspicions: int = 0
    """Void attempts in all runs with a suspect."""
    absences: list[Absence] = field(default_factory=list)
    """Seats lost by making it void twice."""


@dataclass(slots=True)
class _Suspect:
    """A player suspected of having made matches void."""

    keys: set[str] = field(default_factory=set)
    """Those matches."""
    times: int = 0
    """How often: matches that ran at the same time count once."""
    next_begin: int = 0
    """Number of the first begin after the last of these times."""


class Voids:
    """Follows the void matches of an event."""

    def __init__(
        self, known: Iterable[VoidRow], begun: Mapping[str, int] | None = None, slots: int = 1
    ) -> None:
        """Start from earlier runs: void matches, and last attempts of matches that were cut off."""
        self.is_alarming = False
        """Whether two different matches in a row were void without a suspect."""
        self._last: str | None = None
        """Key of the last match, if it was void without a suspect."""
        self._begins: dict[str, int] = {}  # {key: number of its last begin in this run}
        self._last_begin = 0
        self._matches: dict[str, _VoidMatch] = defaultdict(_VoidMatch)  # {key: ...}
        self._suspects: dict[str, _Suspect] = defaultdict(_Suspect)  # {player: ...}
        for key, attempt in (begun or {}).items():
            self._matches[key].attempts = attempt
        for void in known:
            match = self._matches[void.key]
            match.attempts = max(match.attempts, void.attempt)
            if void.suspect is not None:
                match.suspicions += 1
                self._suspects[void.suspect].keys.add(void.key)
        for suspect in self._suspects.values():
            # The times are not stored. At one match per slot each time, it was this often:
            suspect.times = ceil(len(suspect.keys) / slots)

    def attempt(self, key: str) -> int:
        """Return the number, from 1, of the running or next attempt at a match."""
        return self._match(key).attempts + 1

    def begin(self, key: str) -> int:
        """Note the begin of a match; return the number of the attempt."""
        self._last_begin += 1
        self._begins[key] = self._last_begin
        return self.attempt(key)

    def suspicions(self, key: str) -> int:
        """Return how often a bot was suspected of making a match void."""
        return self._match(key).suspicions

    def absences(self, key: str) -> list[Absence]:
        """Return the seats of a match lost by making it void twice."""
        return self._match(key).absences

    def forgive(self, player: str) -> None:
        """Forget how often a bot has made matches void, but not which ones."""
        self._suspects[player].times = 0

    def finished(self) -> None:
        """Record a match that was not void."""
        self._last = None

    def forget(self, key: str) -> None:
        """Drop what is known of a match that is never played again."""
        self._begins.pop(key, None)
        self._matches.pop(key, None)

    def add(self, end: MatchEnd) -> Sequel:
        """Add a void match; return what follows.

        A match that is lost with its machine is no evidence of a problem with the others.
        """
        job, suspect, key = end.job, end.suspect, end.job.key
        match = self._matches[key]
        match.attempts += 1
        match.tries += 1
        if end.is_lost:
            match.losses += 1
            if end.is_alone and match.losses >= ATTEMPTS:
                match.absences += _culprits(job)
                return "forfeited"
        elif suspect is None:
            self.is_alarming |= self._last not in (None, key)
            self._last = key
        elif not self._forgive(key, job.player(suspect.seat).name):
            match.absences.append(suspect)
            return "forfeited"  # the bot cannot make it void again
        return "replayed" if match.tries < ATTEMPTS else "given up"

    def _match(self, key: str) -> _VoidMatch:
        """Return the state of a match to read, without an entry for one that was never void."""
        return self._matches.get(key) or _VoidMatch()

    def _forgive(self, key: str, player: str) -> bool:
        suspect = self._suspects[player]
        if self._begins.get(key, 0) >= suspect.next_begin:
            suspect.times += 1
            suspect.next_begin = self._last_begin + 1
        is_forgiven = key not in suspect.keys and suspect.times <= FORGIVEN
        suspect.keys.add(key)
        self._matches[key].suspicions += 1
        return is_forgiven


def _culprits(job: Job) -> list[Absence]:
    detail = f"{ATTEMPTS} workers ended with this match, the last one while it played nothing else"
    return [
        Absence(seat=seat, termination=Termination.CRASH, detail=detail)
        for seat in range(len(job.players))
    ]
