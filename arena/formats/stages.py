"""Formats in stages: the results of a completed one, which is cached, determine the next one."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from arena.formats.format import Results
from arena.schedule.pairing import Pairing

S = TypeVar("S")
"""The format's state at the start of a stage."""


@dataclass(frozen=True)
class Stage(Generic[S]):
    """One stage of an event."""

    state: S
    matches: tuple[Pairing, ...]
    """Matches of this stage in order of play; none if the event is over."""


class StagedFormat(ABC, Generic[S]):
    """Base of formats in stages."""

    is_fixed: ClassVar[bool] = False
    imbalance: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        self._results: Results | None = None
        self._stages: list[Stage[S]] = []
        self._known: tuple[Pairing, ...] = ()
        self._ended = 0
        """Number of ended matches at the start of the last stage, which are not looked at again."""

    @abstractmethod
    def first(self) -> Stage[S]:
        """Return the first stage, which depends on no results."""

    @abstractmethod
    def after(self, stages: Sequence[Stage[S]], results: Results) -> Stage[S]:
        """Return the stage after the given completed ones."""

    def stages(self, results: Results) -> Sequence[Stage[S]]:
        """Return all started stages; the last one has no matches if the event is over."""
        if results is not self._results:
            first = self.first()
            self._results, self._stages, self._known = results, [first], first.matches
            self._ended = 0
        while (last := self._stages[-1]).matches and self._count_ended(last, results):
            stage = self.after(self._stages, results)
            self._stages.append(stage)
            self._known += stage.matches
            self._ended = 0
        return self._stages

    def _count_ended(self, stage: Stage[S], results: Results) -> bool:
        matches = stage.matches
        while self._ended < len(matches) and matches[self._ended].key in results:
            self._ended += 1
        return self._ended == len(matches)

    def known(self, results: Results) -> Sequence[Pairing]:
        """Return the matches of all started stages."""
        self.stages(results)
        return self._known
