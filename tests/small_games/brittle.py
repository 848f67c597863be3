"""Pig in rules that kill their process if the first die shows a six, as foreign code may."""

import os
import signal
from dataclasses import dataclass
from typing import ClassVar

from pig import Die, Move, Pig, State


@dataclass(frozen=True, kw_only=True)
class Brittle(Pig):
    """The rules; the fields are the options."""

    name: ClassVar[str] = "brittle"

    def apply(self, state: State, move: Move | Die) -> State:
        if state.ply == 0 and move == Die(6):
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().apply(state, move)
