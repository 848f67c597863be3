"""What an event does while its machine lacks resources: it pauses, or plays fewer matches at once.

A lack of resources is the fault of no bot, and its matches are played again with the same draws.

* A bot that cannot be started: the event pauses (`pause.py`).
* A running bot that lacks memory, processes or disk below its own limits: half as many matches
  run at once from then on. Where one match ran alone, the event pauses. A worker of a cluster has
  a limit and rests of its own (`arena/cluster/members.py`), and the others continue.
* The same match ended in this way `ATTEMPTS` times, alone: there is not enough for it, and the
  event ends with an error. Otherwise a losing bot that takes much memory could have its match
  played again and again.
* A bot that has used most of it in such a match, alone (`referee/sandbox/shortage.py`): it is
  suspected of having filled the machine, and the match is void (`voids.py`).
"""

from collections import Counter

from arena.errors import MachineError
from arena.event.play.pause import LONGEST_S, Pause
from arena.results.store import ATTEMPTS
from arena.text import plural
from referee.records.match_end import MatchEnd
from referee.sandbox import FULL_DISK, TOO_FEW_PROCESSES

_MB = 1 << 20


class Shortages:
    """Decides when the next match may begin, and how many may run."""

    def __init__(self, pause: Pause, slots: int) -> None:
        self.most = slots
        """Limit of matches that run at once."""
        self.is_reduced = False
        """Whether this limit is below the number of slots."""
        self._pause = pause
        self._begun_under: dict[str, int] = {}
        """The limit at the last begin of each match."""
        self._cuts: Counter[str] = Counter()
        """How often each match has been ended by a shortage, alone."""

    def is_pausing(self) -> bool:
        """Whether no match may begin now."""
        return self._pause.is_on()

    def begin(self, key: str) -> None:
        """Note the begin of a match."""
        self._begun_under[key] = self.most

    def places(self, running: int) -> int | None:
        """Return how many matches may begin beside the running ones; None if each slot has one."""
        return max(0, self.most - running) if self.is_reduced else None

    def has_culprit(self, end: MatchEnd) -> bool:
        """Whether a bot is suspected of the shortage: no other match took anything."""
        return end.is_short and end.suspect is not None and self._is_alone(end)

    def add(self, end: MatchEnd) -> str:
        """Add a match that a lack of resources has ended; return a notice, or an empty text.

        Raises MachineError if that lasts.
        """
        why = end.void or ""
        if not end.is_short:
            return self._pause.begin(why)
        key = end.job.key
        notice = f"match {key} is played again: {why}"
        if not self._is_alone(end):
            return notice if end.worker else self._reduce(key, notice)
        self._cuts[key] += 1
        if self._cuts[key] == ATTEMPTS:
            raise MachineError(
                f"{why}; match {key} was ended {ATTEMPTS} times: {cure_of_shortage(end)}"
            )
        return notice if end.worker else self._pause.begin(notice, LONGEST_S)

    def end(self) -> str:
        """End a pause after a played match; return a notice, empty without a pause."""
        return self._pause.end()

    def _is_alone(self, end: MatchEnd) -> bool:
        if end.worker is not None:
            return end.is_alone
        return self._begun_under.get(end.job.key) == 1

    def _reduce(self, key: str, notice: str) -> str:
        """Halve the limit, unless the match began under a larger one."""
        if self._begun_under.get(key) != self.most:
            return notice
        self.most, self.is_reduced = self.most // 2, True
        runs = "1 match runs" if self.most == 1 else f"{self.most} matches run"
        return f"{notice}; at most {runs} at once from now on"


def cure_of_shortage(end: MatchEnd) -> str:
    """Return what makes the memory, processes or disk enough for a match's bots, in words."""
    job, limit = end.job, end.job.limits.memory_bytes
    if TOO_FEW_PROCESSES in (end.void or ""):
        return (
            f"its {plural(len(job.players), 'bot')} may use"
            f" {len(job.players) * job.limits.processes} processes and threads together; allow as"
            " many there (pids.max of the control group, or `ulimit -u`), or set a lower"
            " limits.processes in the config"
        )
    if FULL_DISK in (end.void or ""):
        return (
            f"its {plural(len(job.players), 'bot')} may write"
            f" {len(job.players) * job.limits.disk_bytes // _MB} MB there together; remove other"
            " files, or set TMPDIR to a folder of another disk"
        )
    if limit is None:
        return "give Arena more memory, or set limits.memory in the config"
    bots = plural(len(job.players), "bot")
    return (
        f"its {bots} may use {len(job.players) * limit // _MB} MB together; give Arena as much,"
        " or set a lower limits.memory in the config"
    )
