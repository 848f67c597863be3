"""One seat of a game as an environment, the others played by opponents: the shape of Gymnasium."""

from collections.abc import Mapping
from typing import Any

from arena.environment.opponents import OpponentError, Opponents, Policies, Policy, RandomMoves
from arena.environment.table import Environment

Step = tuple[Any, float, bool, bool, dict[str, Any]]
"""Observation, reward, whether the match is over, whether the match was broken off, info."""


class SeatEnvironment:
    """One seat of an environment; each step is its move and the replies of the others.

    The fault of a bot breaks the match off: the step is truncated with a reward of 0, and its info
    has the fault.
    """

    metadata: Mapping[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self, table: Environment, seat: int = 0, others: Policy | Opponents | None = None
    ) -> None:
        """Raise ValueError for a seat that the table does not have."""
        if not 0 <= seat < table.seats:
            last = table.seats - 1
            raise ValueError(f"{table.game.name} has seats 0 to {last} here, not {seat}")
        self.table = table
        self.agent = table.possible_agents[seat]
        self._seat = seat
        if others is None:
            others = RandomMoves()
        self._others = Policies(others) if callable(others) else others

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a match; return the first observation and an empty info. Raises OpponentError."""
        self.table.reset(seed, options)
        self._others.begin(self.table, self._seat)
        self._play_others()
        return self.observe(), {}

    def step(self, action: int) -> Step:
        """Play an action; return observation, reward, and whether the match is over."""
        table = self.table
        table.step(action)
        reward = table.rewards[self.agent]
        try:
            self._others.hear(table.last_move)
            reward += self._play_others()
            info = self._others.end() if self.is_over else {}
        except OpponentError as error:
            return self.observe(), 0.0, False, True, error.info
        return self.observe(), reward, self.is_over, False, info

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return self.table.terminations[self.agent]

    def observe(self) -> Any:
        """Return the seat's Observation."""
        return self.table.observe(self.agent)

    def render(self) -> str:
        """Return the position as text."""
        return self.table.render()

    def close(self) -> None:
        """End the opponents."""
        self._others.close()

    def _play_others(self) -> float:
        """Play the moves of the others; return the seat's reward meanwhile."""
        reward = 0.0
        table = self.table
        while not self.is_over and table.agent_selection != self.agent:
            self._others.reply(table)
            reward += table.rewards[self.agent]
        return reward
