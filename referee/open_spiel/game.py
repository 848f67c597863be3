"""A game of OpenSpiel.

Seats have OpenSpiel's numbers of the players; in its chess, for example, player 0 is Black and
player 1, White, moves first. A move is an action: its number, and OpenSpiel's text for this
position. A bot may reply with either of them alone.

Outcomes of chance are draws, by OpenSpiel's probabilities. Where players choose at the same time,
they move one after another here, and the others receive the moves when all have moved. Where
information is hidden, nobody receives the moves of others or draws: `view` has a seat's sight
(`observation`) and knowledge (`information`), in OpenSpiel's text.

Points are OpenSpiel's returns times `points_per_unit`, rounded to integers; places are by the
returns themselves. A retiring seat ends the game and gets the least possible return; with two seats
in a zero-sum game, the other gets the most.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate
from random import Random
from typing import Annotated, Any, ClassVar, Final

from protocol.vocabulary import Seat, Wire
from protocol.wording import aligned, quoted, shown
from referee.open_spiel.boards import Board, board_of
from referee.open_spiel.library import Loaded, load
from referee.open_spiel.parameters import changed
from referee.open_spiel.position import Draw, Move, State
from referee.open_spiel.texts import picture, seen_texts
from referee.open_spiel.trial import TrialError, tried
from referee.rules import (
    Game,
    IllegalMoveError,
    Interval,
    NotationError,
    OptionError,
    Outcome,
    move_fields,
)
from referee.rules.layout import Layout, Piece, Place

MAX_MOVES: Final = 1 << 15
"""Moves kept to be used again; a full store is emptied."""
MAX_NOTATION: Final = 200
"""Limit of a move in notation, in characters."""
MAX_POINTS: Final = 2**53
MAX_SEED: Final = 2**31 - 1
"""Limit of the seed of a game with draws of its own."""
LONGEST: Final = {"oware": 1000}
"""Plies until OpenSpiel raises an error instead of ending the game."""


@dataclass(frozen=True, kw_only=True)
class OpenSpielGame(Game[State, Move]):
    """The rules of one game of OpenSpiel; a class of each is made by `game_class`."""

    short_name: ClassVar[str]
    """OpenSpiel's name of the game."""
    move_type: ClassVar[type] = Move
    is_known_by_view: ClassVar[bool] = True

    points_per_unit: Annotated[int, Interval(ge=1, le=1_000_000)] = 1
    """Points for a return of 1; more than 1 where returns are fractions."""

    def __post_init__(self) -> None:
        """Try foreign parameters in a process of their own; raises OptionError."""
        if not self._parameters:
            return
        try:
            tried(self.short_name, self._parameters, min(self.seats))
        except TrialError as error:
            options = {item.name: item.default for item in fields(self)}
            given = [name for name, default in options.items() if getattr(self, name) != default]
            raise OptionError(given[0] if len(given) == 1 else "", str(error)) from None

    @cached_property
    def _parameters(self) -> tuple[tuple[str, Any], ...]:
        return changed(
            self.short_name, {item.name: getattr(self, item.name) for item in fields(self)}
        )

    @cached_property
    def _store(self) -> dict[tuple[int, str], Move]:
        return {}

    def _loaded(self, seats: int) -> Loaded:
        return load(self.short_name, self._parameters, seats)

    @cached_property
    def _boards(self) -> dict[int, Board | None]:
        return {}  # {number of seats: board}

    def _board(self, seats: int) -> Board | None:
        if seats not in self._boards:
            self._boards[seats] = board_of(self.short_name, self._loaded(seats).game)
        return self._boards[seats]

    @cached_property
    def _any(self) -> Loaded:
        return self._loaded(min(self.seats))

    @property
    def has_hidden_information(self) -> bool:
        """Whether seats see different things, or move at the same time."""
        return self._any.is_hidden or self._any.is_simultaneous

    def start(self, seats: int, seed: int) -> State:
        """Return the first position; the seed is not used."""
        return State(self._loaded(seats).game.new_initial_state(), 0, seats=seats)

    def turn(self, state: State) -> Seat:
        """Return the player to move."""
        return 0 if self._is_over(state) else max(0, int(state.inner.current_player()))

    def legal(self, state: State) -> Sequence[Move]:
        """Return the legal actions, in the order of their numbers."""
        return tuple(self._legal(state).values())

    def apply(self, state: State, move: Move | Draw) -> State:
        """Apply the action or outcome to a copy of the state."""
        if isinstance(move, Draw):
            return self._drawn(state, move)
        action = move.action
        if move.text is not None or action not in self.legal_actions(state):
            action = self.completed(state, move).action
        inner = state.inner.clone()
        inner.apply_action(action)
        is_open = self._any.is_simultaneous and _rounds(inner) == _rounds(state.inner)
        return State(inner, state.ply + 1, seats=state.seats, is_open=is_open)

    def legal_actions(self, state: State) -> tuple[int, ...]:
        """Return the numbers of the legal actions; () if nobody is to move."""
        if state.actions is None:
            is_to_move = not self._is_over(state) and not state.inner.is_chance_node()
            state.actions = tuple(state.inner.legal_actions()) if is_to_move else ()
        return state.actions

    def draw(self, state: State, stream: Random) -> Draw | None:
        """Return an outcome by OpenSpiel's probabilities."""
        if not self._is_draw_due(state):
            return None
        pick = stream.random()
        if self._any.draws_by_itself:
            return Draw(seed := int(pick * MAX_SEED), f"seed {seed}")
        likely = [(action, part) for action, part in state.inner.chance_outcomes() if part > 0]
        found = accumulate(part for _, part in likely)
        place = next((place for place, total in enumerate(found) if pick < total), -1)
        action = likely[place][0]
        return Draw(action, state.inner.action_to_string(-1, action))

    def seen(
        self, before: State, move: Move | Draw, after: State, seat: Seat
    ) -> dict[str, Wire] | None:
        """Return nothing where information is hidden: then `view` has all knowledge of a seat."""
        return None if self._any.is_hidden else move_fields(move)

    def is_round_open(self, state: State) -> bool:
        """Whether some seats have yet to make their moves of a round."""
        return state.is_open

    def completed(self, state: State, move: Move) -> Move:
        """Return the legal action with this number or text; raises IllegalMoveError."""
        if move is state.completed:
            return move
        if self._is_over(state) or state.inner.is_chance_node():
            why = "the game is over" if self._is_over(state) else "a draw is due"
            raise IllegalMoveError(f"{self.notation(move)}: {why}")
        if move.action is None and move.text is None:
            raise IllegalMoveError("a move has an action, a text or both")
        if move.action is None:
            found = self._by_text(state, move.text)
        else:
            found = self._by_action(state, move.action)
        if found is None:
            raise IllegalMoveError(f"{self.notation(move)}: not a legal action")
        text = found.text if move.text is None else move.text
        if text != found.text and _word(text or "") != _word(found.text or ""):
            raise IllegalMoveError(
                f"the text of action {found.action} is {quoted(found.text or '')} here, not"
                f" {quoted((text or '')[:MAX_NOTATION])}"
            )
        state.completed = found
        return found

    def outcome(self, state: State) -> Outcome | None:
        """Return the result by OpenSpiel's returns, or after a retirement."""
        if not self._is_over(state):
            return None
        if not state.retired:
            reason = "end of the game" if state.inner.is_terminal() else "longest game of OpenSpiel"
            return self._paid(state, reason)
        points = list(self._points(self._returns_so_far(state)))
        least, most = self._bounds(state)
        for seat in range(len(points)):
            if seat in state.retired:
                points[seat] = min(points[seat], least)
            elif len(points) == 2 and self._any.kind.utility.name == "ZERO_SUM":
                points[seat] = most
        places = [1 + (seat in state.retired) * (len(points) > 1) for seat in range(len(points))]
        last = 1 + len(points) - len(state.retired)
        places = [last if place > 1 else 1 for place in places]
        names = " and ".join(map(str, sorted(state.retired)))
        return Outcome(tuple(points), tuple(places), f"seat {names} retired")

    def retire(self, state: State, seat: Seat) -> State:
        """End the game."""
        retired = tuple(sorted({*state.retired, seat}))
        return State(state.inner, state.ply, seats=state.seats, retired=retired)

    def adjudicate(self, state: State, reason: str) -> Outcome:
        """Return the returns so far: 0 in games with payment at the end only."""
        return self._paid(state, reason)

    def notation(self, move: Move | Draw) -> str:
        """Return the text of the action without spaces, or its number after a #."""
        if move.text is not None and (word := _word(move.text[:MAX_NOTATION])):
            return word
        return f"#{move.action}"

    def parse(self, text: str) -> Move:
        """Parse the text of an action, or its number after a #."""
        word = _word(text)
        if not word or len(word) > MAX_NOTATION or "\ufffd" in word:
            raise NotationError(
                f"{quoted(text[:20])} is no move: write the text of an action, or # and its number"
            )
        if number := _NUMBER.fullmatch(word):
            return Move(action=int(number[1]))
        return Move(text=word)

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        """Return OpenSpiel's texts of the seat's view and of its whole knowledge."""
        texts = seen_texts(self._any, state.inner, seat)
        return {"turn": self.turn(state), "ply": state.ply, **texts}

    def layout(self, seats: int) -> Layout | None:
        """Return the board, None if only OpenSpiel's text shows the position."""
        board = self._board(seats)
        return None if board is None else board.layout()

    def pieces(self, state: State, seat: Seat | None) -> Mapping[Place, Piece]:
        """Return the pieces visible to a seat."""
        board = self._board(state.seats)
        return {} if board is None else board.pieces(state.inner, seat)

    def caption(self, state: State, seat: Seat | None = None) -> str:
        """Return the facts beside the board."""
        board = self._board(state.seats)
        return "" if board is None else board.caption(state.inner, seat)

    def gesture_in(self, state: State, move: Move) -> Sequence[Place]:
        """Return the places to click for a legal action; () for a choice from a list."""
        board = self._board(state.seats)
        if board is None or (action := self.completed(state, move).action) is None:
            return ()
        return board.clicks(state.inner, action)

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        """Return OpenSpiel's own text of the position, or of a seat's part."""
        if seat is None or not self.has_hidden_information:
            return picture(str(state.inner))
        return picture(seen_texts(self._any, state.inner, seat)["observation"])

    def scalars(self, state: State, seat: Seat) -> Sequence[float]:
        """Return OpenSpiel's tensor of the seat's view, or of its whole knowledge; () without."""
        if self._any.kind.provides_observation_tensor:
            return tuple(state.inner.observation_tensor(seat))
        if self._any.kind.provides_information_state_tensor:
            return tuple(state.inner.information_state_tensor(seat))
        return ()

    def tensor_shape(self, seats: int) -> tuple[int, ...]:
        """Return the shape of this tensor."""
        game = self._loaded(seats).game
        if self._any.kind.provides_observation_tensor:
            return tuple(game.observation_tensor_shape())
        if self._any.kind.provides_information_state_tensor:
            return tuple(game.information_state_tensor_shape())
        return (0,)

    def _is_over(self, state: State) -> bool:
        if state.ended is None:
            state.ended = (
                bool(state.retired)
                or state.ply >= LONGEST.get(self.short_name, state.ply + 1)
                or state.inner.is_terminal()
            )
        return state.ended

    def _is_draw_due(self, state: State) -> bool:
        return not self._is_over(state) and bool(state.inner.is_chance_node())

    def _drawn(self, state: State, draw: Draw) -> State:
        if not self._is_draw_due(state):
            raise IllegalMoveError(f"{self.notation(draw)}: no draw is due")
        if not self._any.draws_by_itself:
            if all(action != draw.action for action, _ in state.inner.chance_outcomes()):
                raise IllegalMoveError(f"{self.notation(draw)}: an impossible outcome")
            inner, action = state.inner.clone(), draw.action
        elif state.ply == 0 and 0 <= draw.action < MAX_SEED:
            seeded = load(self.short_name, self._parameters, state.seats, draw.action)
            inner, action = seeded.game.new_initial_state(), 0
        else:
            raise IllegalMoveError(f"{self.notation(draw)}: not a seed of the first draw")
        inner.apply_action(action)
        return State(inner, state.ply + 1, seats=state.seats)

    def _legal(self, state: State) -> dict[int, Move]:
        if state.moves is None:
            inner, player = state.inner, self.turn(state)
            text = inner.action_to_string
            state.moves = {
                action: self._move(action, text(player, action))
                for action in self.legal_actions(state)
            }
        return state.moves

    def _by_action(self, state: State, action: int) -> Move | None:
        if state.moves is not None:
            return state.moves.get(action)
        inner = state.inner
        if action not in self.legal_actions(state):
            return None
        return self._move(action, inner.action_to_string(inner.current_player(), action))

    def _by_text(self, state: State, text: str | None) -> Move | None:
        if text is None or len(text) > MAX_NOTATION:
            return None
        word = _word(text)
        return next((m for m in self._legal(state).values() if _word(m.text or "") == word), None)

    def _move(self, action: int, text: str) -> Move:
        """Return the move, the same object each time, so that it is encoded only once."""
        found = self._store.get((action, text))
        if found is None:
            if len(self._store) >= MAX_MOVES:
                self._store.clear()
            found = self._store[action, text] = Move(action, text)
        return found

    def _paid(self, state: State, reason: str) -> Outcome:
        """Return the result by the returns so far, with the places before any rounding."""
        returns = self._returns_so_far(state)
        points = self._points(returns)
        return Outcome(
            points, tuple(1 + sum(each > own for each in returns) for own in returns), reason
        )

    def _returns_so_far(self, state: State) -> Sequence[float]:
        if self._any.kind.reward_model.name == "TERMINAL" and not state.inner.is_terminal():
            return [0.0] * state.seats
        return list(state.inner.returns())

    def _bounds(self, state: State) -> tuple[int, int]:
        game = state.inner.get_game()
        least, most = self._points([game.min_utility(), game.max_utility()])
        return least, most

    def _points(self, returns: Sequence[float]) -> tuple[int, ...]:
        if not all(map(math.isfinite, returns)):
            raise ValueError(f"OpenSpiel returns {shown(returns)}")
        limit = MAX_POINTS
        scaled = (round(value * self.points_per_unit) for value in returns)
        return tuple(max(-limit, min(points, limit)) for points in scaled)


def _rounds(inner: Any) -> int:
    """Return the number of choices in the closed rounds of a game whose players move at once."""
    return len(inner.simultaneous_game_state().history())


def _word(text: str) -> str:
    return "_".join(aligned(text).split())


_NUMBER: Final = re.compile(r"#([0-9]{1,16})")
