"""Pig with rules that draw for ever once somebody holds, as foreign code may."""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from pig import Die, Move, Pig, State


@dataclass(frozen=True, kw_only=True)
class Endless(Pig):
    """The rules; the fields are the options."""

    name: ClassVar[str] = "endless"

    def draw(self, state: State, stream: Random) -> Die | None:
        return Die(2) if state.rolling or max(state.points) else super().draw(state, stream)

    def apply(self, state: State, move: Move | Die) -> State:
        if isinstance(move, Die) and not state.rolling:
            return state._replace(ply=state.ply + 1)
        return super().apply(state, move)
