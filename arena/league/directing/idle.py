"""When a league begins no match although slots are free: the machine lacks something, or an alarm.

The page of staff has every notice of it, and the terminal of `arena league start` each reason once,
and that matches begin again.
"""

import time
from collections.abc import Callable
from pathlib import Path

from arena.errors import MachineError
from arena.event.play.pause import Pause
from arena.league.files import require_room
from arena.league.site.models import Notice
from arena.terminal.output import tell

ALARM_S = 60.0
"""Pause in seconds after a look that found the disk full, and after an alarm."""


class Idle:
    """Decides whether the next match may begin now, and says why not."""

    def __init__(
        self,
        folder: Path,
        now_s: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = tell,
    ) -> None:
        self._folder = folder
        self._now_s, self._say = now_s, say
        self._pause = Pause(now_s)
        self._until_s = 0.0
        self._said = ""
        """The reason that the terminal has, until matches begin again."""

    @property
    def is_on(self) -> bool:
        """Whether no match may begin now."""
        return self._pause.is_on() or self._now_s() < self._until_s

    def look(self) -> None:
        """Begin no match for ALARM_S while the disk has too little free space."""
        if self.is_on:
            return
        try:
            require_room(self._folder)
        except MachineError as error:
            self.begin(str(error))
            return
        if self._said:
            self._said = ""
            self._say("matches begin again")

    def begin(self, why: str) -> None:
        """Begin no match for ALARM_S."""
        self._until_s = self._now_s() + ALARM_S
        Notice.objects.create(text=f"no match begins for {ALARM_S:g} s: {why}"[:1000])
        if why != self._said:
            self._said = why
            self._say(f"no match begins: {why}")

    def wait_for_resources(self, why: str) -> None:
        """Begin no match for a while, as the machine could not start one; raises MachineError."""
        if notice := self._pause.begin(why):
            Notice.objects.create(text=notice[:1000])
            self._say(notice)

    def end_wait(self) -> None:
        """Begin matches again without a wait after one that was played."""
        if notice := self._pause.end():
            self._say(notice)
