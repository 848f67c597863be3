"""Pig in rules that raise an error once a seat holds, rolls a four or may choose again."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from pig import Die, Move, Pig, State


@dataclass(frozen=True, kw_only=True)
class Buggy(Pig):
    """The rules; `bug` is the method that raises the error."""

    name: ClassVar[str] = "buggy"

    bug: Literal["die", "hold", "legal", "start"] = "die"

    def start(self, seats: int, seed: int) -> State:
        self._check("start", is_due=True)
        return super().start(seats, seed)

    def legal(self, state: State) -> Iterator[Move]:
        self._check("legal", is_due=state.ply > 4)
        return super().legal(state)

    def apply(self, state: State, move: Move | Die) -> State:
        self._check("die", is_due=move == Die(4))
        self._check("hold", is_due=move == Move(hold=True))
        return super().apply(state, move)

    def _check(self, method: str, *, is_due: bool) -> None:
        if is_due and self.bug == method:
            raise KeyError(f"boom in {method}")
