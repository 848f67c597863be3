"""Chinese Checkers, as in the Programmer's Challenge of February 1999.

Two to six seats race their men across a six-pointed star. `game_size` n = 3..63 is the base of a
triangle: n(n+1)/2 men per seat, 6n^2+6n+1 points. (The published text gives a maximum of 64 once,
but also at most 2016 men, that is n = 63.) The board has 4n+1 rows, 0 at the top (the text says 4n,
but its table has one more):

* Row r has r+1 points for r < n and 2n <= r <= 3n, otherwise 4n+1-r; a row of w points has the
  columns -(w-1)/2..(w-1)/2 if r is even, -w/2+1..w/2 if it is odd.
* Neighbours of (r, c): (r, c-1), (r, c+1), and in the rows above and below c and c+1 if r is even,
  c-1 and c if it is odd.
* The triangles are numbered 0..5, clockwise from the top. A seat's home is the start of its men,
  its goal the opposite triangle. `positions` lists each seat's home; by default 0 3
  for two seats, 0 2 4 for three, 0 1 3 4 for four, 0 1 2 3 4 for five, all for six.

Play:

* Seats move in turn, 0 first, independent of their positions.
* A move takes one man one step to an empty neighbour, or along a chain of one or more jumps, each
  over one adjacent man of any seat to the empty point right behind it. Men never leave the board. A
  move names only the ends of a chain. Its start counts as empty during the chain, but no move ends
  there; a man may be jumped twice.
* All triangles except its own home and goal are neutral for a seat, including rivals' homes and
  goals. No move may begin or end in one; a chain may pass through (`neutral_end: forbid`, as in the
  text). With `allow` a move may also end there.
* Leaving the goal and returning home are allowed: the text forbids neither.
* A seat without a move passes: from = to = one of its men. No other seat may pass.

The end:

* The end is tested after each round, so that all seats had equally many turns: a seat with all its
  men in its goal wins, several such seats draw.
* With `anti_block` a full goal counts as reached if at least one man in it is the seat's own: a
  rival's man staying there no longer blocks the win. Off by default, as in the text.
* After `max_rounds` rounds (default 100 n) without a winner, no seat wins or gets a point: points
  would reward blocking. The seats in play share the first place, which tables and ratings show as
  a draw; in the encounters of a Swiss system or knockout all of them have lost the match.
* A retired seat, after a fault or resignation, has lost the match; `withdraw_after: 1` in a config
  disqualifies it from the event, as the text does for an illegal move. Its men stay as obstacles,
  its turns are skipped; if it was the last to move in the round, the round ends. The last seat in
  play wins.

Points: 2 for winning, 1 for a draw, otherwise 0. Winners take the first place, other seats in play
the next, and retired seats share the last; the referee places faults behind resignations.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, ClassVar, Literal, NamedTuple

from protocol.vocabulary import Seat, Wire
from referee.rules import (
    Game,
    IllegalMoveError,
    Interval,
    Margins,
    NotationError,
    OptionError,
    Outcome,
)
from referee.rules.layout import Layout, Piece, Place
from referee.rules.numbers import PairedMoves
from referee.rules.star import (
    EMPTY,
    MARGIN,
    NEUTRAL,
    SEATING,
    TRIANGLES,
    draw,
    off_board,
    opposite,
    star,
)

WIN, DRAW = 2, 1
ROUNDS_PER_SIZE = 100
GLYPHS = ".012345"
PIECES = tuple(Piece(seat) for seat in range(6))


@dataclass(frozen=True, slots=True)
class Move:
    """Start and target of a man, as (row, column); equal points are a pass."""

    from_: tuple[int, int]
    to: tuple[int, int]


class State(NamedTuple):
    """A position. `board` is a star's board; a man is its seat + 1."""

    board: bytes
    positions: tuple[int, ...]
    """The home triangle of each seat."""
    playing: tuple[Seat, ...]
    """Seats in play, in order."""
    arrived: tuple[int, ...]
    """Number of men of each seat in its goal."""
    filled: tuple[int, ...]
    """Number of men in each triangle."""
    turn: Seat = 0
    ply: int = 0
    rounds: int = 0
    """Complete rounds so far."""
    ended: Outcome | None = None


@dataclass(frozen=True, kw_only=True)
class ChineseCheckers(Game[State, Move]):
    """The rules of Chinese Checkers with its options."""

    name: ClassVar[str] = "chinese_checkers"
    summary: ClassVar[str] = (
        "race across the star by steps and chains of jumps, 2 to 6 seats (1999)"
    )
    seats: ClassVar[range] = range(2, 7)
    move_type: ClassVar[type] = Move
    seat_marks: ClassVar[tuple[str, ...]] = tuple(GLYPHS[1:])
    margins: ClassVar[Margins] = Margins(above=1, left=MARGIN - 1, below=1)
    is_pointless_draw_lost: ClassVar[bool] = True

    game_size: Annotated[int, Interval(ge=3, le=63)] = 4
    """Points along the base of a home triangle: n(n+1)/2 men per seat."""
    positions: tuple[int, ...] | None = None
    """The home triangles by seat, 0 to 5 clockwise from the top. Default: the usual seating."""
    neutral_end: Literal["forbid", "allow"] = "forbid"
    """Whether a move may end in a triangle other than the seat's home and goal."""
    anti_block: bool = False
    """Whether a full goal with at least one own man counts as reached."""
    max_rounds: Annotated[int, Interval(ge=1, le=1_000_000)] | None = None
    """Limit of rounds without a winner. Default: 100 times the game size."""

    def __post_init__(self) -> None:
        homes = self.positions
        if homes is None:
            return
        if len(homes) not in self.seats:
            detail = f"needs one triangle per seat, 2 to 6 in all, not {len(homes)}"
            raise OptionError("positions", detail)
        if not all(0 <= home < TRIANGLES for home in homes):
            raise OptionError("positions", "must be numbers of triangles, 0 to 5")
        if len(set(homes)) < len(homes):
            raise OptionError("positions", "must differ: two seats cannot share a triangle")

    def start(self, seats: int, seed: int) -> State:
        """Return all men at home; raises OptionError unless `positions` has as many as seats."""
        homes = SEATING[seats] if self.positions is None else self.positions
        if len(homes) != seats:
            detail = f"has {len(homes)} triangles, but the match has {seats} seats"
            raise OptionError("positions", detail)
        geometry = star(self.game_size)
        board = bytearray(geometry.empty)
        for seat, home in enumerate(homes):
            for cell in geometry.triangles[home]:
                board[cell] = seat + 1
        filled = tuple(self._men if zone in homes else 0 for zone in range(TRIANGLES))
        return State(bytes(board), homes, tuple(range(seats)), (0,) * seats, filled)

    def turn(self, state: State) -> Seat:
        """Return the seat to move."""
        return state.turn

    def legal(self, state: State) -> Iterator[Move]:
        """Yield the moves man by man, its steps before its jumps; without a move, the passes."""
        if state.ended:
            return
        points = star(self.game_size).points
        for source, target in self._choices(state):
            yield Move(points[source], points[target])

    def apply(self, state: State, move: Move) -> State:
        """Move the man and the turn; after a round, end the game if a seat has reached its goal."""
        if objection := self._objection(state, move):
            raise IllegalMoveError(f"{self.notation(move)}: {objection}")
        cells = star(self.game_size).cells
        return self._moved(state, cells[move.from_], cells[move.to])

    def outcome(self, state: State) -> Outcome | None:
        """Return the result, None before the end."""
        return state.ended

    def retire(self, state: State, seat: Seat) -> State:
        """Skip the seat from now on; its men stay. A decided race stays decided."""
        playing = tuple(other for other in state.playing if other != seat)
        if not playing:
            ended = _result(state, playing, (), "every seat retired")
            return state._replace(playing=playing, ended=ended)
        if state.ended or playing == state.playing:
            return state
        if len(playing) == 1:
            ended = _result(state, playing, playing, "last seat in play")
            return state._replace(playing=playing, turn=playing[0], ended=ended)
        if seat != state.turn:
            return state._replace(playing=playing)
        turn = _following(playing, seat)
        if turn > seat:
            return state._replace(playing=playing, turn=turn)
        rounds = state.rounds + 1
        return self._judged(state._replace(playing=playing, turn=turn, rounds=rounds))

    def adjudicate(self, state: State, reason: str) -> Outcome:
        """Return a result without a winner; the seats in play share the first place."""
        return _result(state, state.playing, (), reason)

    def notation(self, move: Move) -> str:
        """Return `row,column>row,column`, or `pass row,column`."""
        start = "{},{}".format(*move.from_)
        return f"pass {start}" if move.from_ == move.to else "{}>{},{}".format(start, *move.to)

    def parse(self, text: str) -> Move:
        """Parse a move like `3,0>4,0` or a pass like `pass 3,0`."""
        if found := _PASS.fullmatch(text):
            start = (int(found[1]), int(found[2]))
            return Move(start, start)
        if found := _MOVE.fullmatch(text):
            return Move((int(found[1]), int(found[2])), (int(found[3]), int(found[4])))
        raise NotationError(
            f'"{text}" is not a move: write row and column of both ends, like "3,0>4,0", '
            'or "pass 3,0" without a legal move'
        )

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        """Show all men by seat, and each seat's home."""
        geometry = star(self.game_size)
        return {
            "turn": state.turn,
            "ply": state.ply,
            "men": [
                [list(geometry.points[cell]) for cell in geometry.men(state.board, owner + 1)]
                for owner in range(len(state.positions))
            ],
            "positions": list(state.positions),
        }

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        """Draw the star with row and column numbers; a man is the number of its seat."""
        return f"{draw(self.game_size, state.board, GLYPHS)}\n{self.caption(state, seat)}"

    def layout(self, seats: int) -> Layout:
        """Return the star, each home in the colour of its seat."""
        homes = SEATING[seats] if self.positions is None else self.positions
        return star(self.game_size).layout(homes)

    def pieces(self, state: State, seat: Seat | None) -> dict[Place, Piece]:
        """Return the men."""
        men = (state.board[cell] for cell in star(self.game_size).points)
        return {place: PIECES[man - 1] for place, man in enumerate(men) if man != EMPTY}

    def caption(self, state: State, seat: Seat | None = None) -> str:
        """Return the number of the round and the seat to move, or the reason of the end."""
        if state.ended:
            return f"over after {state.rounds} rounds: {state.ended.reason}"
        return f"round {state.rounds + 1}, seat {state.turn} to move"

    def gesture(self, move: Move) -> tuple[Place, Place]:
        """Return both ends of the move."""
        places = star(self.game_size).places
        return places[move.from_], places[move.to]

    def numbers(self) -> PairedMoves[Move, tuple[int, int]]:
        """Return numbers for the moves from each point to each; equal ends are a pass."""
        return PairedMoves(star(self.game_size).places, Move, attrgetter("from_", "to"))

    def position(self, state: State) -> State:
        """Return the state without its ply, but with its rounds, since they are limited."""
        return state._replace(ply=0)

    def children(self, position: State) -> Iterable[State]:
        """Yield the position after each legal move, without checking the move again."""
        if position.ended is None:
            for source, target in self._choices(position):
                yield self.position(self._moved(position, source, target))

    @property
    def _men(self) -> int:
        return self.game_size * (self.game_size + 1) // 2

    def _objection(self, state: State, move: Move) -> str | None:
        if state.ended:
            return "the game is over"
        geometry = star(self.game_size)
        source = geometry.cells.get(move.from_)
        target = geometry.cells.get(move.to)
        if source is None or target is None:
            return off_board(self.game_size, move.from_ if source is None else move.to)
        if state.board[source] != state.turn + 1:
            return f"no man of seat {state.turn} is on {move.from_}"
        if source == target:
            is_stuck = next(self._moves(state), None) is None
            return None if is_stuck else "passing is allowed only for a seat without a move"
        return self._target_objection(state, source, target)

    def _target_objection(self, state: State, source: int, target: int) -> str | None:
        geometry = star(self.game_size)
        if state.board[target] != EMPTY:
            return "the move ends on an occupied point"
        if geometry.zones[target] in self._closed(state):
            return "a move may not end in a neutral triangle, neither the seat's home nor its goal"
        if target - source in geometry.steps or target in geometry.jumps(state.board, source):
            return None
        return "neither a step nor a chain of jumps reaches the target"

    def _closed(self, state: State) -> frozenset[int]:
        """Return the triangles in which the seat to move may not end a move.

        No man ever enters them, so no move begins in them either.
        """
        return NEUTRAL[state.positions[state.turn]] if self.neutral_end == "forbid" else frozenset()

    def _moves(self, state: State) -> Iterator[tuple[int, int]]:
        """Yield the ends of all moves except passes, each once: no jump is as short as a step."""
        geometry = star(self.game_size)
        board, zones, closed = state.board, geometry.zones, self._closed(state)
        for man in geometry.men(board, state.turn + 1):
            for targets in (geometry.neighbours(board, man), geometry.jumps(board, man)):
                for target in targets:
                    if zones[target] not in closed:
                        yield man, target

    def _choices(self, state: State) -> Iterator[tuple[int, int]]:
        """Yield the ends of all moves; without a move, the ends of the passes."""
        is_stuck = True
        for ends in self._moves(state):
            is_stuck = False
            yield ends
        if is_stuck:
            for man in star(self.game_size).men(state.board, state.turn + 1):
                yield man, man

    def _moved(self, state: State, source: int, target: int) -> State:
        seat = state.turn
        board = bytearray(state.board)
        board[source] = EMPTY
        board[target] = seat + 1
        zones = star(self.game_size).zones
        arrived, filled = state.arrived, state.filled
        if (left := zones[source]) != (entered := zones[target]):
            goal = opposite(state.positions[seat])
            change = (entered == goal) - (left == goal)
            arrived = (*arrived[:seat], arrived[seat] + change, *arrived[seat + 1 :])
            filled = tuple(
                men + (zone == entered) - (zone == left) for zone, men in enumerate(filled)
            )
        turn = _following(state.playing, seat)
        is_round_over = turn < seat
        after = State(
            bytes(board),
            state.positions,
            state.playing,
            arrived,
            filled,
            turn,
            state.ply + 1,
            state.rounds + is_round_over,
        )
        return self._judged(after) if is_round_over else after

    def _judged(self, state: State) -> State:
        """Return the position after a round, ended by a decided race or the round limit."""
        home = tuple(seat for seat in state.playing if self._is_home(state, seat))
        if home:
            reason = "all men in the goal" if len(home) == 1 else "home in the same round"
            return state._replace(ended=_result(state, state.playing, home, reason))
        if state.rounds >= (self.max_rounds or ROUNDS_PER_SIZE * self.game_size):
            return state._replace(ended=_result(state, state.playing, (), "round limit"))
        return state

    def _is_home(self, state: State, seat: Seat) -> bool:
        arrived = state.arrived[seat]
        if self.anti_block and arrived:
            return state.filled[opposite(state.positions[seat])] == self._men
        return arrived == self._men


def _following(playing: tuple[Seat, ...], seat: Seat) -> Seat:
    """Return the next seat to move; a seat not after the previous one begins a new round."""
    return next((other for other in playing if other > seat), playing[0])


def _result(
    state: State, playing: tuple[Seat, ...], home: tuple[Seat, ...], reason: str
) -> Outcome:
    """Rank winners before other seats in play, and these before retired seats."""
    each = WIN if len(home) == 1 else DRAW
    seats = range(len(state.positions))
    ranks = [0 if seat in home else 1 if seat in playing else 2 for seat in seats]
    taken = sorted(set(ranks))
    return Outcome(
        points=tuple(each if seat in home else 0 for seat in seats),
        places=tuple(taken.index(rank) + 1 for rank in ranks),
        reason=reason,
    )


_POINT = r"\s*(-?[0-9]{1,16})\s*,\s*(-?[0-9]{1,16})\s*"
_MOVE = re.compile(f"{_POINT}>{_POINT}")
_PASS = re.compile(rf"\s*pass\s{_POINT}")
