"""A game with all its seats as an environment: the shape of a PettingZoo AEC environment."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import index
from typing import Any

from arena.environment.actions import DEFAULT_ACTIONS, Actions, actions_of
from arena.text import plural
from protocol.vocabulary import Seat, Wire
from protocol.wording import shown
from referee.options import make_game
from referee.rules import IllegalMoveError
from referee.rules.layout import Piece, Place
from referee.seeds import derive_seed, due_draws

EMPTY, PIECE_OF_NO_SEAT = 0, 255
_PARTS = ("seat", "is_to_move", "view", "pieces", "places", "scalars", "legal", "mask")


class Observation:
    """A position as one seat may know it; each part is made when it is first read."""

    def __init__(self, table: "Environment", seat: Seat) -> None:
        self._game, self._seats, self._actions = table.game, table.seats, table.actions
        self._state = table.state
        self.seat = seat

    @cached_property
    def is_to_move(self) -> bool:
        """Whether it is the seat's turn."""
        game, state = self._game, self._state
        return game.outcome(state) is None and game.turn(state) == self.seat

    @cached_property
    def view(self) -> Mapping[str, Wire]:
        """The view, as in a call to a bot."""
        return self._game.view(self._state, self.seat)

    @cached_property
    def pieces(self) -> Mapping[Place, Piece]:
        """The pieces visible to the seat, by place of the board."""
        return self._game.pieces(self._state, self.seat)

    @cached_property
    def places(self) -> bytes:
        """A byte for each place of the board: 0 for empty, the seat of its piece + 1, or 255.

        Empty in a game without a board.
        """
        board = self._game.layout(self._seats)
        if board is None:
            return b""
        places = bytearray(len(board.names))
        for place, piece in self.pieces.items():
            places[place] = PIECE_OF_NO_SEAT if piece.seat is None else piece.seat + 1
        return bytes(places)

    @cached_property
    def scalars(self) -> Sequence[float]:
        """The numbers that the board does not show: by default those of the view.

        A list with a number for each seat begins with the seat's own, and continues in turn.
        """
        found = self._game.scalars(self._state, self.seat)
        return view_numbers(self.view, self.seat, self._seats) if found is None else found

    @cached_property
    def legal(self) -> Sequence[int]:
        """The legal actions, at the seat's turn; otherwise none."""
        return self._actions.legal(self._state) if self.is_to_move else ()

    @cached_property
    def mask(self) -> bytes:
        """A byte for each action: 1 for a legal one at the seat's turn, otherwise 0."""
        return self._actions.mask(self._state) if self.is_to_move else bytes(self._actions.number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Observation) and all(
            getattr(self, part) == getattr(other, part) for part in _PARTS
        )

    __hash__ = None  # type: ignore[assignment]  # a view is a dict

    def __getstate__(self) -> dict[str, Any]:
        """Return the parts alone: a position of foreign rules may not be for sending."""
        return {part: getattr(self, part) for part in _PARTS}


def view_numbers(view: Mapping[str, Wire], seat: Seat, seats: int) -> tuple[float, ...]:
    """Return the numbers and lists of numbers of a view, without `turn` and `ply`."""
    found: list[float] = []
    for name in sorted(view.keys() - {"turn", "ply"}):
        part = view[name]
        if isinstance(part, int):
            found.append(part)
        elif isinstance(part, list | tuple) and all(isinstance(each, int) for each in part):
            begin = seat if len(part) == seats else 0
            found += [*part[begin:], *part[:begin]]
    return tuple(found)


class Environment:
    """A game, its seats in turn; each is an agent, `seat_0` and so on.

    At the end each reward is 1 for a win, 0 for a shared first place, -1 otherwise. In a game for
    one, the reward of a step is the change of the points.
    """

    metadata: Mapping[str, Any] = {
        "name": "arena",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }
    agent_selection: str
    """The agent to move."""
    state: Any
    """The position, of the game's own type."""

    def __init__(
        self,
        game: str,
        options: Mapping[str, Any] | None = None,
        *,
        seats: int | None = None,
        most: int = DEFAULT_ACTIONS,
    ) -> None:
        """Raise UnknownGameError, BrokenGameError or OptionError for an impossible game."""
        self.game = make_game(game, options or {}).variants()[0][1]
        self.seats = min(self.game.seats) if seats is None else seats
        if self.seats not in self.game.seats:
            least, largest = self.game.seats[0], self.game.seats[-1]
            numbers = plural(least, "seat") if least == largest else f"{least} to {largest} seats"
            raise ValueError(f"{game} is for {numbers}, not {shown(seats)}")
        self.actions: Actions = actions_of(self.game, self.game.start(self.seats, 0), most)
        self.possible_agents = [f"seat_{seat}" for seat in range(self.seats)]
        self.agents: list[str] = []
        self.rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self.render_mode = "ansi"
        self.last_move: Any = None
        self.ply = 0
        self._cumulative_rewards: dict[str, float] = {}
        self._places = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._episode = 0
        self._seed = 0

    @property
    def board_seed(self) -> int:
        """The seed of the first position."""
        return derive_seed(self._seed, "board", self._episode)

    @property
    def match_seed(self) -> int:
        """The seed of draws and bots."""
        return derive_seed(self._seed, "match", self._episode)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a match; without a seed, one after the last."""
        self._episode = 0 if seed is not None else self._episode + 1
        self._seed = self._seed if seed is None else seed
        self.state = self.game.start(self.seats, self.board_seed)
        self.ply = 0
        self.last_move = None
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._draw()
        self._points = self._points_now()
        self.agent_selection = self._to_move()

    def step(self, action: int | None) -> None:
        """Play the action of the agent to move, or None for one whose match is over."""
        self._check_begun()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._remove(agent, action)
            return
        try:
            number = -1 if action is None else index(action)
        except TypeError:
            raise ValueError(f"an action is a whole number, not {shown(action)}") from None
        move = None
        if 0 <= number < self.actions.number:
            move = self.actions.move(self.state, number)
        if move is None:
            raise ValueError(f"action {action} is not legal; the mask has the legal ones")
        try:
            self.play(move)
        except IllegalMoveError as error:
            text = f"action {action} is not legal ({error}); the mask has the legal ones"
            raise ValueError(text) from None

    def play(self, move: Any) -> None:
        """Play a legal move of the agent to move; raises IllegalMoveError."""
        self.state = self.game.apply(self.state, move)
        self.last_move = move
        self.ply += 1
        self._continue()

    def retire(self, agent: str) -> None:
        """Take an agent out of the match, as after a resignation."""
        self.state = self.game.retire(self.state, self.possible_agents.index(agent))
        self._continue()

    def observe(self, agent: str) -> Any:
        """Return an agent's Observation."""
        self._check_begun()
        if (seat := self._places.get(agent)) is None:
            names = ", ".join(self.possible_agents)
            raise ValueError(f"no agent is named {shown(agent)}; they are {names}")
        return Observation(self, seat)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:  # noqa: FBT001, FBT002 - PettingZoo's
        """Return observation, reward since its last turn, end, truncation and info of the agent."""
        self._check_begun()
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def render(self) -> str:
        """Return the position as text."""
        self._check_begun()
        return self.game.diagram(self.state)

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def _check_begun(self) -> None:
        if not self.agents:
            raise ValueError("no match is being played: call reset")

    def _continue(self) -> None:
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._draw()
        self._reward()
        self.agent_selection = self._to_move()

    def _draw(self) -> None:
        if self.game.has_chance:
            for _, after in due_draws(self.game, self.state, self.match_seed, self.ply):
                self.state, self.ply = after, self.ply + 1

    def _to_move(self) -> str:
        if self.game.outcome(self.state) is not None:
            return self.agents[0]
        return self.possible_agents[self.game.turn(self.state)]

    def _remove(self, agent: str, action: int | None) -> None:
        if action is not None:
            raise ValueError("the match is over: the action must be None")
        self.agents.remove(agent)
        parts = (self.rewards, self._cumulative_rewards, self.terminations, self.truncations)
        for part in (*parts, self.infos):
            part.pop(agent)
        if self.agents:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self.agent_selection = self.agents[0]

    def _reward(self) -> None:
        outcome = self.game.outcome(self.state)
        if self.seats == 1:
            before, self._points = self._points, self._points_now()
            won = [float(self._points - before)]
        elif outcome is None:
            return  # nobody has any reward before the end
        else:
            best = 1.0 if outcome.places.count(1) == 1 else 0.0
            won = [best if place == 1 else -1.0 for place in outcome.places]
        for agent, reward in zip(self.possible_agents, won, strict=True):
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward
            self.terminations[agent] = outcome is not None

    def _points_now(self) -> int:
        if self.seats > 1:
            return 0
        outcome = self.game.outcome(self.state) or self.game.adjudicate(self.state, "so far")
        return outcome.points[0]
