"""Random play of a case, with the position that breaks a rule."""

import random
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from arena.testing.cases import Case
from arena.testing.errors import BrokenRuleError
from arena.testing.streams import OnlyRandom, changes
from arena.text import plural
from protocol.wording import shown
from referee.options import game_options
from referee.play.move_calls import LEGAL_LIMIT
from referee.seeds import draw_stream

LONGEST = 40
"""Number of plies examined in a random game."""
SEEDS = (1, 1997)
SHOWN = 2000
"""Limit of characters of a value in a message."""
PROMISED = "Methods return what they promise"
_EVERY = 9
"""Distance in plies of the positions for slow rules."""


class Examination:
    """The positions of random games, one after the other; a broken rule names the current one."""

    def __init__(self, case: Case, rule: str = "") -> None:
        self.case = case
        self.game = case.game
        self.seats = case.seats
        self.rule = rule
        self.move: Any = None
        """The move under examination, or None."""
        self._state: Any = None
        self._moves: list[str] = []
        self._seed: int | None = None

    def playout(self, seed: int, longest: int = LONGEST) -> Iterator[tuple[Any, Any]]:
        """Yield each position of a random game with its move or draw; the last with None."""
        chance = random.Random(seed)  # noqa: S311 - repeatable
        self._seed, self._moves, self.move = seed, [], None
        state = self._state = self._new("start", self.game.start(self.seats, seed))
        for _ in range(longest):
            if self.game.outcome(state) is not None:
                break
            if (move := self.due_draw(state, seed)) is None:
                if not (legal := self.legal(state)):
                    raise self.broken("no move is legal, and the game has no outcome")
                move = chance.choice(legal)
            yield state, move
            self.move = move
            after = self._new("apply", self.game.apply(state, move))
            self._moves.append(repr(move))
            state = self._state = after
            self.move = None
        yield state, None

    def legal(self, state: Any) -> list[Any]:
        """Return the legal moves, of which there are neither too many nor others."""
        found = self.game.legal(state)
        if not isinstance(found, Iterable):
            raise self.broken(
                f"`legal` returns {shown(found)}; `yield` each move, or return a list", PROMISED
            )
        if len(moves := list(islice(found, LEGAL_LIMIT))) == LEGAL_LIMIT:
            raise self.broken(f"`legal` yields {LEGAL_LIMIT} moves or more", PROMISED)
        kind = self.game.move_type
        if wrong := [move for move in moves if type(move) is not kind]:
            raise self.broken(
                f"`legal` must yield a {kind.__name__}, not {shown(wrong[0])}", PROMISED
            )
        return moves

    def _new(self, method: str, state: Any) -> Any:
        if state is None:
            raise self.broken(f"`{method}` returns None; return the position", PROMISED)
        return state

    def due_draw(self, state: Any, seed: int) -> Any:
        """Return the draw that is due, by the numbers of a seed; None if none is due."""
        return self._draw(state, seed)[0]

    def other_draws(self, state: Any, seed: int) -> Iterator[Any]:
        """Yield draws that differ from that of a seed in one of its random numbers."""
        for change in changes(self._draw(state, seed)[1]):
            yield self._draw(state, seed, change)[0]

    def _draw(
        self, state: Any, seed: int, change: dict[int, float] | None = None
    ) -> tuple[Any, list[float]]:
        """Return the draw that is due, and the random numbers that it took."""
        if not self.game.has_chance or self.game.outcome(state) is not None:
            return None, []
        stream: Any = OnlyRandom(draw_stream(seed, len(self._moves)), self._misused, change)
        return self.game.draw(state, stream), stream.given

    def _misused(self, name: str) -> BrokenRuleError:
        return self.broken(
            f"`draw` uses stream.{name}; write it with stream.random(), for example"
            " items[int(len(items) * stream.random())]",
            "A draw uses only the method `random` of its stream, whose numbers never change",
        )

    def positions(self) -> Iterator[Any]:
        """Yield all positions of some random games."""
        for seed in SEEDS:
            yield from (state for state, _ in self.playout(seed))

    def some_positions(self) -> Iterator[Any]:
        """Yield the first positions, the last and some of the others."""
        for seed in SEEDS:
            for ply, (state, move) in enumerate(self.playout(seed)):
                if ply < 2 or move is None or ply % _EVERY == 0:
                    yield state

    def steps(self, *seeds: int) -> Iterator[tuple[Any, Any, Any]]:
        """Yield positions of random games, each with its move and the position after it."""
        for seed in seeds or SEEDS:
            for before, move in self.playout(seed):
                if move is not None and self.due_draw(before, seed) is None:
                    self.move = move
                    yield before, move, self.game.apply(before, move)

    def examine(self, state: Any) -> None:
        """Name this position if it breaks a rule."""
        self._state = state

    def broken(self, detail: str, rule: str = "") -> BrokenRuleError:
        """Return the error for the rule, by default the one under examination, and where it is."""
        options = ", ".join(f"{name}={value!r}" for name, value in self._options().items())
        lines = [
            f"{self.game.name} breaks a rule: {rule or self.rule}",
            f"  {_cut(detail)}",
            f"game: {self.game.name}({_cut(options)}), {plural(self.seats, 'seat')}",
        ]
        if self._seed is not None:
            lines.append(f"random game: start(seats={self.seats}, seed={self._seed})")
            lines.append(f"moves so far: {_cut(', '.join(self._moves)) or 'none'}")
            lines.append(f"state: {_cut(repr(self._state))}")
        if self.move is not None:
            lines.append(f"move: {_cut(repr(self.move))}{self._notation()}")
        return BrokenRuleError("\n".join(lines))

    def _options(self) -> dict[str, Any]:
        try:
            return dict(game_options(self.game))
        except Exception:  # noqa: BLE001 - a broken game is what this reports
            return {}

    def _notation(self) -> str:
        try:
            return f", in notation {self.game.notation(self.move)!r}"
        except Exception:  # noqa: BLE001 - as above
            return ""


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text)} characters)"
