"""Events for tests: plans, finished matches and slots without any process."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from fakes import FIRST, RESIGN, Fail, FailedBot, FakeBot, played

from arena.event.plan import Plan
from arena.event.play.attendance import Attendance
from arena.event.play.director import Director, Ending
from arena.event.play.pause import Pause
from arena.event.watch.progress import Progress
from arena.results.standings import Table
from arena.results.store import MatchRow, Store
from arena.schedule.pairing import Pairing, round_robin
from protocol.link import ClosedError
from referee.job import Absence, Job, Player
from referee.records.match_end import MatchEnd
from referee.records.record import Record

BOTS = ("ann", "bob", "cat")
CRASH = Fail(ClosedError("gone"), ended="exit code 1")

Script = Callable[[Job], MatchEnd]


def player(name: str) -> Player:
    return Player(name=name, argv=("bot",), folder=".", content=f"content of {name}")


def plan_of(
    names: Sequence[str] = BOTS,
    *,
    slots: int = 1,
    withdraw_after: int = 0,
    seed: int = 1,
    **options: Any,
) -> Plan:
    """Return a plan; `options` are those of the schedule, or `game` and its `variants`."""
    game = options.pop("game", "pente")
    schedule = round_robin(names, **{"seats": (2,), "repeat": 2, "seed": 1, **options})
    return Plan(
        name="event",
        seed=seed,
        players={name: player(name) for name in names},
        format=schedule,
        job=Job(key="", game=game, players=(), seed=0, board_seed=0),
        variants={"": {}},
        cores=((),) * slots,
        withdraw_after=withdraw_after,
    )


def job_of(*names: str, key: str = "", **fields: Any) -> Job:
    """Return a match of pente, or of another game if `fields` say so."""
    given = {"game": "pente", "seed": 7, "board_seed": 11, **fields}
    return Job(key=key or f"{','.join(names)}/b0/0", players=tuple(map(player, names)), **given)


def won_by(job: Job, winner: int) -> Record:
    """Return the record of a match between two in which the other one resigns."""
    bots = [FakeBot(FIRST, RESIGN), FakeBot(FIRST, RESIGN)]
    bots[1 - winner] = FakeBot(RESIGN)
    return played(job, bots).record


def crashed(job: Job, *seats: int) -> Record:
    """Return the record of a match in which these seats crash at their init."""
    bots = [FakeBot(init=CRASH) if seat in seats else FakeBot(RESIGN) for seat in job.seats()]
    return played(job, bots).record


def not_started(job: Job, *seats: int) -> Record:
    """Return the record of a match in which these seats never came."""
    return played(job, [FailedBot() if seat in seats else FakeBot() for seat in job.seats()]).record


def rekeyed(record: Record, key: str) -> Record:
    """Return the record of the same match under another key."""
    return replace(record, job=replace(record.job, key=key))


def first_wins(job: Job) -> MatchEnd:
    return MatchEnd(job, won_by(job, 0).finished())


def void(job: Job, suspect: Absence | None = None) -> MatchEnd:
    return MatchEnd(job, None, "the referee ended: signal SIGKILL", suspect)


def new_event(store: Store, names: Sequence[str] = BOTS, **config: Any) -> int:
    return store.add_event("event", 1, config, {name: f"content of {name}" for name in names})


def keep(store: Store, event: int, record: Record, board: int = 0) -> MatchRow:
    """Keep a match and return its row."""
    match = store.add_match(event, board=board, variant="", attempt=1, match=record.finished())
    assert match is not None
    assert match == store.match(match.id)
    return match


class FakeSlot:
    """A place for one match."""

    def __init__(self) -> None:
        self.jobs: deque[Job] = deque()
        self.is_taken_back = False

    def submit(self, job: Job) -> None:
        assert len(self.jobs) < 2
        self.jobs.append(job)

    def take_back(self) -> None:
        self.is_taken_back = True


class FakeSlots:
    """Slots whose matches end as a script says, one at each `wait`, in the order they began."""

    def __init__(self, script: Script, count: int, log: list[str]) -> None:
        self.is_closed = False
        self._script = script
        self._log = log
        self._slots = [FakeSlot() for _ in range(count)]
        self._order: deque[FakeSlot] = deque()

    def free(self) -> list[FakeSlot]:
        return [slot for slot in self._slots if not slot.jobs]

    def ahead(self) -> list[FakeSlot]:
        waiting = [slot for slot in self._slots if len(slot.jobs) < 2]
        return sorted(waiting, key=lambda slot: not slot.jobs)

    def queues(self) -> list[FakeSlot]:
        return [slot for slot in self._slots if len(slot.jobs) == 2]

    def running(self) -> list[Job]:
        for slot in self._slots:
            if slot.jobs and slot not in self._order:
                self._order.append(slot)
                self._log.append(f"begins {slot.jobs[0].key}")
        return [slot.jobs[0] for slot in self._slots if slot.jobs]

    def wait(self, seconds: float) -> list[MatchEnd]:
        assert seconds > 0
        returned = [slot for slot in self._slots if slot.is_taken_back]
        for slot in returned:
            slot.is_taken_back = False
        results = [MatchEnd(slot.jobs.pop(), None, is_returned=True) for slot in returned]
        if not self._order or results:
            return results
        return [self._script(self._order.popleft().jobs.popleft())]

    def report_to(self, audience: int) -> None:
        raise AssertionError(f"nobody watches, not even {audience}")

    def reports(self) -> list[bytes]:
        return []

    def notices(self) -> list[str]:
        return []

    def close(self) -> None:
        self.is_closed = True


@dataclass
class Diary(Progress):
    """Records the events reported by the director."""

    lines: list[str] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.lines.append("the end")

    def finished(self, match: MatchRow) -> None:
        self.lines.append(f"kept {match.key}")

    def expect(self, total: int) -> None:
        self.totals.append(total)

    def running(self, jobs: Sequence[Job]) -> None:
        assert jobs

    def say(self, line: str) -> None:
        self.lines.append(line)


@dataclass
class Run:
    """A partly played event."""

    ending: Ending
    table: Table
    told: list[str]
    begun: list[str]
    """Keys of the started matches, in order."""
    slots: FakeSlots
    totals: list[int] = field(default_factory=list)
    """Number of matches reported to the progress."""

    def row(self, player: str) -> tuple[int, int, int, int]:
        """Return wins, draws, losses and faults."""
        row = self.table.rows[player]
        return row.wins, row.draws, row.losses, row.faults


def direct(
    plan: Plan,
    store: Store,
    event: int,
    script: Script = first_wins,
    pause: Pause | None = None,
    *,
    attendance: Attendance | None = None,
    seen: Callable[[FakeSlots], object] = lambda _: None,
) -> Run:
    """Direct the event as the same command would, on slots that follow the script.

    `seen` receives the slots before they begin.
    """
    table = Table(tuple(plan.players))
    for match in store.matches(event):
        table.add(match.seats)
    log: list[str] = []
    director = Director(plan, store, event, table, pause=pause, attendance=attendance)
    diary = Diary()
    slots = FakeSlots(script, len(plan.cores[: director.agenda.missing]), log)
    seen(slots)
    ending = director.play(slots, lambda: diary) if director.agenda.pending else director.ending()
    begun = [line.removeprefix("begins ") for line in log]
    return Run(ending, table, diary.lines, begun, slots, diary.totals)


def keys_of(pairings: Sequence[Pairing]) -> list[str]:
    return [pairing.key for pairing in pairings]


def new_store(folder: Path) -> Store:
    return Store(folder / "arena.db", is_new_allowed=True)
