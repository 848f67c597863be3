"""The workers of a cluster as the director sees them, and the matches each one has."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.cluster.orders import Description
from arena.text import plural
from referee.job import Job
from referee.records.match_end import MatchEnd

AHEAD = 4
"""One batch waits on a worker for each of this many slots, and one at least."""
BATCH_S = 0.1
"""Playing time in seconds of short matches sent together."""
MATCHES_SENT = 32
"""Limit of matches sent together."""
REST_S = 30.0
"""Time in seconds for which a worker gets no match that has too little for a single one."""
MAX_GROUPS = 10_000
"""Limit of the groups of matches whose worker is remembered."""


@dataclass(eq=False)
class Task:
    """Matches on their way to a worker, there, or on their way back: one, or several short ones."""

    jobs: list[Job]
    key: str
    """Key of Dask's task: its first match and a number."""
    future: Any = None
    since_s: float | None = None
    """Time since when its matches can be running, on a monotonic clock."""
    lacks: set[str] = field(default_factory=set)
    """Bundles on their way to the worker."""
    begun_under: int = 0
    """The worker's limit of matches when this was sent."""


@dataclass(eq=False)
class Member:
    """A worker."""

    address: str
    description: Description
    tasks: dict[str, Task] = field(default_factory=dict)  # {key of the task: task}
    """Matches sent, in order."""
    outbox: list[Job] = field(default_factory=list)
    """Matches to be sent together."""
    average_s: float | None = None
    """Time in seconds of a match of the last ended task."""
    is_reserved: bool = False
    """Whether the worker gets no more matches, so that one can be played alone."""
    is_shut: bool = False
    """Whether its director gives it no match for now."""
    sending: set[str] = field(default_factory=set)
    """Bundles on their way."""
    unable: dict[str, str] = field(default_factory=dict)  # {bundle: reason}
    """Bots that the worker cannot start."""
    most: int | None = None
    """Limit of matches at a time after a shortage of the worker; None without one."""
    rests_until_s: float = 0.0
    """End of a rest, on a monotonic clock."""

    @property
    def name(self) -> str:
        """Name of the worker."""
        return self.description.name

    @property
    def slots(self) -> int:
        """Number of matches played at a time."""
        return self.description.slots if self.most is None else self.most

    @property
    def is_closed(self) -> bool:
        """Whether the worker gets no more matches now."""
        return self.is_reserved or self.is_shut or time.monotonic() < self.rests_until_s

    @property
    def window(self) -> int:
        """Limit of tasks sent to the worker: a quarter more than its slots, and one at least.

        After a shortage none may wait there, as the worker would begin it.
        """
        if self.most is not None:
            return self.most
        return self.slots + max(1, self.slots // AHEAD)

    @property
    def batch(self) -> int:
        """Number of matches to send in one task: a task costs as much as some short matches."""
        return 1 if not self.average_s else max(1, int(min(MATCHES_SENT, BATCH_S / self.average_s)))

    @property
    def free(self) -> int:
        """Number of matches to begin at once."""
        return 0 if self.is_closed else max(0, self.slots - len(self.tasks) - len(self.outbox))

    @property
    def ahead(self) -> int:
        """Number of matches allowed in addition."""
        most = (self.window - len(self.tasks)) * self.batch
        return 0 if self.is_closed else max(0, most - len(self.outbox) - self.free)

    @property
    def has_place(self) -> bool:
        """Whether the worker can be given one more match."""
        return self.free > 0 or self.ahead > 0

    @property
    def is_idle(self) -> bool:
        """Whether the worker has no matches."""
        return not self.tasks and not self.outbox

    @property
    def load(self) -> float:
        """Matches sent to the worker per slot."""
        sent = sum(len(task.jobs) for task in self.tasks.values())
        return (sent + len(self.outbox)) / self.slots

    def running(self) -> list[Task]:
        """Return the begun tasks: a worker plays them in order."""
        return list(self.tasks.values())[: self.description.slots]

    def behind(self) -> list[Task]:
        """Return the tasks not begun yet."""
        return list(self.tasks.values())[self.description.slots :]

    def batches(self) -> list[list[Job]]:
        """Empty the outbox; return its matches divided among the slots, or as many as allowed."""
        jobs, self.outbox = self.outbox, []
        parts = max(1, self.window - len(self.tasks))
        size = min(self.batch, -(-len(jobs) // parts))
        return [jobs[n : n + size] for n in range(0, len(jobs), max(1, size))]

    def after(self, end: MatchEnd, task: Task) -> MatchEnd:
        """Return the end of a match, and play fewer matches at a time if the worker is short.

        Where the match ran alone, the worker rests for a while; the others continue.
        """
        if not end.is_short:
            return end
        if task.begun_under == 1:
            self.rests_until_s = time.monotonic() + REST_S
            return replace(end, is_alone=True, void=f"{end.void}; it rests for {REST_S:g} s")
        if task.begun_under != self.slots:
            return end
        self.most = self.slots // 2
        most = f"it plays at most {plural(self.most, 'match')} at once from now on"
        return replace(end, void=f"{end.void}; {most}")

    def can_play(self, bundles: set[str]) -> bool:
        """Whether the worker can start these bots, as far as known."""
        return not bundles & self.unable.keys()


@dataclass(frozen=True)
class Loss:
    """A lost worker."""

    member: Member
    has_scheduler: bool
    """Whether the scheduler was connected; otherwise all workers are lost, none is suspected."""


class MatchGroups:
    """The worker of each group of matches: all seatings of players on a board, once each.

    So no player of a group has the better machine. A repetition is another group, so that a duel
    uses all workers.
    """

    def __init__(self) -> None:
        self._members: dict[object, Member] = {}  # {group: its worker}, the oldest first

    def of(self, job: Job) -> object:
        """Return the group of a match: its players in their circle, board, variant and repeat."""
        names = list(job.names())
        first = names.index(min(names))
        return (*names[first:], *names[:first], job.key.partition("/")[2])

    def member(self, job: Job) -> Member | None:
        """Return the worker of the group of a match."""
        return self._members.get(self.of(job))

    def put(self, job: Job, member: Member) -> None:
        """Keep the worker of the group of a match; forget the oldest above MAX_GROUPS."""
        group = self.of(job)
        self._members.pop(group, None)
        self._members[group] = member
        if len(self._members) > MAX_GROUPS:
            del self._members[next(iter(self._members))]

    def surplus(self, held: Sequence[Job]) -> list[Job]:
        """Return the last of the matches held for workers that begin fewer of them next.

        Those of the worker with most of them come first. A worker keeps one match for each slot,
        so that a match waits at most for one other to stay with its group.
        """
        extra = Counter(map(self.member, held))
        extra.subtract({home: home.slots for home in extra if home is not None})
        left = [job for job in reversed(held) if extra[self.member(job)] > 0]
        return sorted(left, key=lambda job: -extra[self.member(job)])

    def forget(self, member: Member) -> None:
        """Forget the groups of a lost worker."""
        self._members = {group: m for group, m in self._members.items() if m is not member}


def spread(speeds: list[float]) -> float:
    """Return the share by which the slowest is slower than the fastest; 0 for none."""
    return 1 - min(speeds) / max(speeds) if speeds and max(speeds) > 0 else 0.0
