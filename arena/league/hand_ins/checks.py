"""The lanes of builds and checks: the oldest hand-in first, several at a time while others wait."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from arena.league.files import place
from arena.league.folder import SEASON, League
from arena.league.hand_ins.examiner import Examiner, Outcome
from arena.league.hand_ins.versions import add_version, kept_version
from arena.league.seasons.deadlines import counts, season_now
from arena.league.site.models import Bot, HandIn, Notice

TRIES = 3
"""Limit of examinations of a hand-in that the machine ends."""
ENDS_A_TRY = 7
"""Ends of the director that count as one of them: a hand-in may be the cause of none."""
LOG = 64 * 1024
"""Limit of the characters of a log."""
MACHINE = "the machine could not examine it; hand it in again, or ask staff"


class Lender(Protocol):
    """Whoever has a slot to lend while several hand-ins wait."""

    def borrow(self) -> tuple[int, ...] | None:
        """Return the cores of a slot, which plays nothing from now on; None if none is free."""

    @property
    def wants_quiet(self) -> bool:
        """Whether no examination may begin now."""

    def is_due(self) -> bool:
        """Whether the slot should be given back."""

    def give_back(self, cores: tuple[int, ...]) -> None:
        """Have the slot with these cores play again."""

    def sweep(self) -> None:
        """End and reap what an examination has left behind."""


@dataclass
class _Lane:
    """Cores for examinations, and the running one."""

    cores: tuple[int, ...]
    examiner: Examiner | None = None
    row: HandIn | None = None
    """The hand-in that is examined."""
    told: int = 0
    """Number of lines of its report that are kept."""


class Checks:
    """Examines the waiting hand-ins, and makes the good ones active."""

    def __init__(
        self,
        league: League,
        seed: int,
        cores: Sequence[int],
        start: Callable[[], Examiner] = Examiner,
    ) -> None:
        """Put back what a killed director has left unfinished; `start` begins a process."""
        self._start = start
        self._league = league
        self._seed = seed
        self._lanes = [_Lane(tuple(cores))]
        """The own lane, and those of borrowed slots."""
        self.lender: Lender | None = None
        for row in HandIn.objects.filter(state=HandIn.CHECKING):
            _put_back(row, 1)

    @property
    def pids(self) -> set[int]:
        """PIDs of the processes of examinations."""
        return {lane.examiner.pid for lane in self._lanes if lane.examiner is not None}

    def is_busy(self) -> bool:
        """Whether a hand-in is being examined."""
        return any(lane.row is not None for lane in self._lanes)

    def step(self) -> bool:
        """Look at the running examinations or start the next; return whether a bot has changed."""
        self._borrow()
        is_new = False
        for lane in list(self._lanes):
            if lane.row is not None:
                is_new = self._look(lane, lane.row) or is_new
            elif self._is_due(lane) or not self._begin(lane):
                self._rest(lane)
        return is_new

    def close(self) -> None:
        """End the running examinations; they begin again later."""
        for lane in list(self._lanes):
            self._rest(lane)

    def _borrow(self) -> None:
        """Examine another hand-in at the same time, on a slot of the ladder."""
        is_full = all(lane.row is not None for lane in self._lanes)
        if self.lender is None or not is_full:
            return
        if self._waiting().exists() and (cores := self.lender.borrow()) is not None:
            self._lanes.append(_Lane(cores))

    def _is_due(self, lane: _Lane) -> bool:
        return lane is not self._lanes[0] and self.lender is not None and self.lender.is_due()

    def _rest(self, lane: _Lane) -> None:
        """End the process of a lane, and give back what was borrowed."""
        if lane.examiner is not None:
            lane.examiner.close()
            self._forget(lane)
        if lane is not self._lanes[0]:
            self._lanes.remove(lane)
            if self.lender is not None:
                self.lender.give_back(lane.cores)

    def _forget(self, lane: _Lane) -> None:
        """Forget a process that has ended; its orphans have become children of this process."""
        lane.examiner = None
        if self.lender is not None:
            self.lender.sweep()

    def _look(self, lane: _Lane, row: HandIn) -> bool:
        """Look at an examination; return whether a bot has changed."""
        assert lane.examiner is not None  # noqa: S101 - it examines the row
        outcome = lane.examiner.look()
        if len(lane.examiner.lines) > lane.told or outcome is not None:
            lane.told = len(lane.examiner.lines)
            row.report = list(lane.examiner.lines)
            row.save(update_fields=["report"])
        if outcome is None:
            return False
        lane.row = None
        if outcome.end == "machine":
            self._forget(lane)
        _END[outcome.end](row, outcome)
        return outcome.end == "accepted"

    def _waiting(self) -> QuerySet[HandIn]:
        """Return the waiting hand-ins, none of a bot that is being examined.

        Otherwise the older one of two might end last, and play in place of the newer.
        """
        busy = [lane.row.bot_id for lane in self._lanes if lane.row is not None]
        waiting = HandIn.objects.select_related("bot__active").filter(state=HandIn.WAITING)
        return waiting.exclude(bot__in=busy).order_by("received", "pk")

    def _begin(self, lane: _Lane) -> bool:
        """Begin to examine the oldest hand-in that waits; return whether it has begun."""
        if self.lender is not None and self.lender.wants_quiet:
            return False
        with transaction.atomic():
            row = self._waiting().first()
            if row is None:
                return False
            row.state, row.report = HandIn.CHECKING, []
            row.save(update_fields=["state", "report"])
        order = {
            "season": str(self._league.folder / SEASON),
            "seed": self._seed,
            "bots": str(self._league.bots),
            "archive": str(place(self._league.files, row.digest)),
            "suffix": row.suffix,
            "bot": row.bot.name,
            "playing": _playing_tree(row.bot),
            "cores": lane.cores,
        }
        lane.examiner = lane.examiner or self._start()
        lane.examiner.begin(order)
        lane.row, lane.told = row, 0
        return True


def _playing_tree(bot: Bot) -> str:
    """Return the hash of the files that play, which need no second examination; else nothing."""
    return "" if bot.active is None or bot.parked else bot.active.tree


def _accept(row: HandIn, outcome: Outcome) -> None:
    with transaction.atomic():
        row.bot.refresh_from_db()
        row.refresh_from_db(fields=["is_late"])  # staff may have moved the deadline meanwhile
        keep = add_version if counts(season_now(), row) else kept_version
        row.version = keep(row.bot, outcome.tree, row.digest, row.suffix)
        _end(row, HandIn.ACCEPTED, outcome)


def _refuse(row: HandIn, outcome: Outcome) -> None:
    row.report.append(outcome.reason)
    _end(row, HandIn.REFUSED, outcome)
    if outcome.notice:
        Notice.objects.get_or_create(text=outcome.notice[:1000])


def _retry(row: HandIn, outcome: Outcome) -> None:
    Notice.objects.create(text=f"hand-in {row.pk} of {row.bot.name}: {outcome.reason}"[:1000])
    _put_back(row, ENDS_A_TRY)


def _put_back(row: HandIn, weight: int) -> None:
    """Have a hand-in examined again, unless a newer one has replaced it meanwhile."""
    with transaction.atomic():
        row.refresh_from_db(fields=["is_late"])
        row.tries += weight
        newer = HandIn.objects.filter(bot=row.bot_id, pk__gt=row.pk).exclude(state=HandIn.LATE)
        if (newer if row.is_late else newer.filter(is_late=False)).exists():
            row.state, row.ended = HandIn.REPLACED, timezone.now()
        elif row.tries >= TRIES * ENDS_A_TRY:
            row.report.append(MACHINE)
            row.state, row.ended = HandIn.REFUSED, timezone.now()
        else:
            row.state = HandIn.WAITING
        row.save(update_fields=["tries", "state", "ended", "report"])


def _end(row: HandIn, state: str, outcome: Outcome) -> None:
    row.state, row.ended, row.log = state, timezone.now(), outcome.log[-LOG:]
    row.save(update_fields=["state", "ended", "log", "report", "version"])


_END: dict[str, Callable[[HandIn, Outcome], None]] = {
    "accepted": _accept,
    "refused": _refuse,
    "machine": _retry,
}
