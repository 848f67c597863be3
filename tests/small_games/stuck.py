"""Pig in rules that never let a match begin, as foreign code may."""

import contextlib
import signal
from dataclasses import dataclass
from typing import ClassVar

from pig import Pig, State


@dataclass(frozen=True, kw_only=True)
class Stuck(Pig):
    """The rules; the fields are the options."""

    name: ClassVar[str] = "stuck"
    deed: str = "loop"

    def start(self, seats: int, seed: int) -> State:
        if self.deed == "memory":
            del seats, seed
            return bytearray(5 << 30)  # type: ignore[return-value]
        while True:
            # in place of the seconds until the next look at this process
            with contextlib.suppress(Exception if self.deed == "stubborn" else StopIteration):
                signal.raise_signal(signal.SIGALRM)
