"""The lane of builds and checks: one hand-in at a time, the oldest first."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from arena.league.deadlines import counts, season_now
from arena.league.examiner import Examination, Outcome
from arena.league.files import place
from arena.league.folder import SEASON, League
from arena.league.roster import add_version, kept_version
from arena.league.site.models import HandIn, Notice

TRIES = 3
"""Limit of examinations of a hand-in that the machine ends."""
ENDS_A_TRY = 7
"""Ends of the director that count as one of them: a hand-in may be the cause of none."""
LOG = 64 * 1024
"""Limit of the characters of a log."""
MACHINE = "the machine could not examine it; hand it in again, or ask staff"


class Checks:
    """Examines the waiting hand-ins, and makes the good ones active."""

    def __init__(
        self,
        league: League,
        seed: int,
        cores: Sequence[int],
        begin: Callable[[Mapping[str, Any]], Examination] = Examination,
    ) -> None:
        """Put back what a killed director has left unfinished; `begin` starts an examination."""
        self._examination = begin
        self._league = league
        self._seed = seed
        self._cores = tuple(cores)
        self._running: tuple[HandIn, Examination] | None = None
        self._told = 0
        for row in HandIn.objects.filter(state=HandIn.CHECKING):
            _put_back(row, 1)

    @property
    def pid(self) -> int | None:
        """PID of the running examination, if any."""
        return None if self._running is None else self._running[1].pid

    def step(self) -> bool:
        """Look at the running examination or start the next; return whether a bot has changed."""
        if self._running is None:
            self._begin()
            return False
        row, examination = self._running
        outcome = examination.look()
        if len(examination.lines) > self._told or outcome is not None:
            self._told = len(examination.lines)
            row.report = list(examination.lines)
            row.save(update_fields=["report"])
        if outcome is None:
            return False
        self._running = None
        _END[outcome.end](row, outcome)
        return outcome.end == "accepted"

    def close(self) -> None:
        """End the running examination; it begins again later."""
        if self._running is not None:
            self._running[1].close()

    def _begin(self) -> None:
        waiting = HandIn.objects.select_related("bot").filter(state=HandIn.WAITING)
        with transaction.atomic():
            row = waiting.order_by("received", "pk").first()
            if row is None:
                return
            row.state, row.report = HandIn.CHECKING, []
            row.save(update_fields=["state", "report"])
        order = {
            "season": str(self._league.folder / SEASON),
            "seed": self._seed,
            "bots": str(self._league.bots),
            "archive": str(place(self._league.files, row.digest)),
            "suffix": row.suffix,
            "bot": row.bot.name,
            "cores": self._cores,
        }
        self._told = 0
        self._running = (row, self._examination(order))


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
