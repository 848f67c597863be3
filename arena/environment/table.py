"""A game with all its seats as an environment: the shape of a PettingZoo AEC environment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.environment.actions import DEFAULT_ACTIONS, Actions
from protocol.vocabulary import Wire
from referee.options import make_game
from referee.seeds import derive_seed, due_draws

EMPTY, PIECE_OF_NO_SEAT = 0, 255


@dataclass(frozen=True)
class Observation:
    """A position as one seat may know it."""

    view: Mapping[str, Wire]
    """The view, as in a call to a bot."""
    places: bytes
    """A byte for each place of the board: 0 for empty, the seat of its piece + 1, or 255.

    Empty in a game without a board.
    """
    mask: bytes
    """A byte for each action: 1 for a legal one at the seat's turn, otherwise 0."""


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
            raise ValueError(f"{game} has {self.game.seats} seats, not {seats}")
        self.actions = Actions(self.game, self.game.start(self.seats, 0), most)
        self.possible_agents = [f"seat_{seat}" for seat in range(self.seats)]
        self.agents: list[str] = []
        self.render_mode = "ansi"
        self.board_seed = self.match_seed = 0
        self.last_move: Any = None
        self._episode = 0
        self._seed = 0

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a match; without a seed, one after the last."""
        self._episode = 0 if seed is not None else self._episode + 1
        self._seed = self._seed if seed is None else seed
        self.board_seed = derive_seed(self._seed, "board", self._episode)
        self.match_seed = derive_seed(self._seed, "match", self._episode)
        self.state = self.game.start(self.seats, self.board_seed)
        self.ply = 0
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._draw()
        self._points = self._points_now()
        self.agent_selection = self._to_move()

    def step(self, action: int | None) -> None:
        """Play the action of the agent to move, or None for one whose match is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._remove(agent, action)
            return
        legal = self.actions.legal(self.state)
        if action is None or int(action) not in legal:
            raise ValueError(f"action {action} is not legal; the mask has the legal ones")
        self.play(legal[int(action)])

    def play(self, move: Any) -> None:
        """Play a legal move of the agent to move, even one without an action."""
        self.last_move = move
        self.state = self.game.apply(self.state, move)
        self.ply += 1
        self._continue()

    def retire(self, agent: str) -> None:
        """Take an agent out of the match, as after a resignation."""
        self.state = self.game.retire(self.state, self.possible_agents.index(agent))
        self._continue()

    def observe(self, agent: str) -> Any:
        """Return an agent's Observation."""
        seat = self.possible_agents.index(agent)
        is_to_move = self.game.outcome(self.state) is None and self.game.turn(self.state) == seat
        mask = self.actions.mask(self.state) if is_to_move else bytes(self.actions.number)
        return Observation(self.game.view(self.state, seat), self._places(seat), mask)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:  # noqa: FBT001, FBT002 - PettingZoo's
        """Return observation, reward since its last turn, end, truncation and info of the agent."""
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
        return self.game.diagram(self.state)

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def _continue(self) -> None:
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._draw()
        self._reward()
        self.agent_selection = self._to_move()

    def _draw(self) -> None:
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
            won = [0.0] * self.seats
        else:
            best = 1.0 if outcome.places.count(1) == 1 else 0.0
            won = [best if place == 1 else -1.0 for place in outcome.places]
        for agent, reward in zip(self.possible_agents, won, strict=True):
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward
            self.terminations[agent] = outcome is not None

    def _points_now(self) -> int:
        outcome = self.game.outcome(self.state) or self.game.adjudicate(self.state, "so far")
        return outcome.points[0]

    def _places(self, seat: int) -> bytes:
        board = self.game.layout(self.seats)
        if board is None:
            return b""
        places = bytearray(len(board.names))
        for place, piece in self.game.pieces(self.state, seat).items():
            places[place] = PIECE_OF_NO_SEAT if piece.seat is None else piece.seat + 1
        return bytes(places)
