"""A match on a page of an event in play: as far as it is reported, and then as it is stored."""

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from arena.pages.scenes import Scene
from referee.job import Job
from referee.records.calls import Call
from referee.records.record import JOBS, Record
from referee.records.replay import ReplayError, game_of
from referee.rules import RuleError


@dataclass(frozen=True)
class StoredMatch:
    """A finished match in the database."""

    record: Record
    row: dict[str, Any]
    """The match in the list of the page."""


class LiveMatch:
    """A match on a page: up to its last reported call, or whole."""

    def __init__(self, key: str, players: list[str], job: Job | None) -> None:
        """Begin without a call; the job is None if the match must not or cannot be shown."""
        self.key = key
        self.players = players
        self.run: int | None = None
        """Number of the shown attempt; None before the first report."""
        self.result: dict[str, Any] | None = None
        """The match in the list of the page; None until its record has been read."""
        self.ended_s: float | None = None
        """Time at which its end was shown first."""
        self.waits_since_s: float | None = None
        """Time since which it runs without a place."""
        self._job = job
        self._calls: list[Call] = []
        self._scene: Scene | None = None

    @classmethod
    def of_director(cls, job: dict[str, Any], *, is_public: bool) -> "LiveMatch":
        """Begin a match as its director describes it."""
        players = [
            {"name": name, "argv": (), "folder": "", "content": "", "time": time}
            for name, time in zip(job["players"], job["times"], strict=True)
        ]
        try:
            whole = JOBS.validate_python({**job, "players": players, "seed": 0})
            shown = _shown(whole, is_public=is_public)
        except (RuleError, ImportError, LookupError):
            shown = None
        return cls(job["key"], job["players"], shown)

    @classmethod
    def of_record(cls, stored: StoredMatch, *, is_public: bool) -> "LiveMatch":
        """Return a whole match."""
        job = stored.record.job
        match = cls(job.key, list(job.names()), _shown(job, is_public=is_public))
        match.finish(stored)
        return match

    def again(self) -> "LiveMatch":
        """Return the same match without a call."""
        return LiveMatch(self.key, self.players, self._job)

    @property
    def scene(self) -> Scene | None:
        """Return pictures and texts, made when first looked at; None if there are none."""
        if self._scene is None and self._job is not None:
            try:
                self._scene = Scene(self._job)
            except (ReplayError, RuleError):
                self._job = None
            else:
                self._show(self._calls)
        return self._scene

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return 0 if self.scene is None else self.scene.steps

    def add(self, first: int, calls: list[Call]) -> None:
        """Add calls numbered from `first`; known ones are skipped, later ones need all before."""
        if first <= len(self._calls) and self.result is None:
            self._extend(calls[len(self._calls) - first :])

    def is_part_of(self, record: Record) -> bool:
        """Whether a record continues this match; that of another attempt does not."""
        if len(self._calls) > len(record.calls):
            return False
        return all(
            _essence(call) == _essence(recorded)
            for call, recorded in zip(self._calls, record.calls, strict=False)
        )

    def finish(self, stored: StoredMatch) -> None:
        """Add the calls that were not reported, and the result."""
        self._extend(list(stored.record.calls)[len(self._calls) :])
        self.result = stored.row

    def head(self) -> dict[str, Any]:
        """Return the constant facts of the match."""
        layout = None if self.scene is None else self.scene.layout
        return {"players": self.players, "layout": None if layout is None else asdict(layout)}

    def _extend(self, calls: list[Call]) -> None:
        self._calls += calls
        if self._scene is not None:
            self._show(calls)

    def _show(self, calls: list[Call]) -> None:
        if self._scene is not None:
            with suppress(ReplayError):
                self._scene.add(calls)


def _shown(job: Job, *, is_public: bool) -> Job | None:
    """Return the job of a match; None if its board must not or cannot be shown.

    Everybody may look at a public page, so it has no boards of matches with hidden information.
    """
    try:
        return None if is_public and game_of(job).has_hidden_information else job
    except ReplayError:
        return None


def _essence(call: Call) -> tuple[object, ...]:
    return call.seat, call.call, call.ply, call.move, call.resign, call.fault
