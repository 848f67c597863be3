"""One seat of a game as an environment, the others played by policies: the shape of Gymnasium."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from arena.environment.table import Environment, Observation

Policy = Callable[[Observation], int]
"""The player of a seat: returns a legal action for what it may know."""


def random_policy(seed: int = 0) -> Policy:
    """Return a policy of random legal actions."""
    chance = random.Random(seed)  # noqa: S311 - repeatable

    def act(seen: Observation) -> int:
        return chance.choice([action for action, flag in enumerate(seen.mask) if flag])

    return act


class SeatEnvironment:
    """One seat of an environment; each step is its move and the replies of the others."""

    metadata: Mapping[str, Any] = {"render_modes": ["ansi"]}

    def __init__(self, table: Environment, seat: int = 0, others: Policy | None = None) -> None:
        self.table = table
        self.agent = table.possible_agents[seat]
        self._others = others or random_policy()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a match; return what the seat sees at its first turn, and an empty info."""
        self.table.reset(seed, options)
        self._play_others()
        return self.observe(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action; return what the seat sees, its reward, and whether the match is over."""
        self.table.step(action)
        reward = self.table.rewards[self.agent] + self._play_others()
        return self.observe(), reward, self.is_over, False, {}

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return self.table.terminations[self.agent]

    def observe(self) -> Any:
        """Return what the seat sees: an Observation."""
        return self.table.observe(self.agent)

    def render(self) -> str:
        """Return the position as text."""
        return self.table.render()

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _play_others(self) -> float:
        """Play the moves of the others; return what the seat is rewarded meanwhile."""
        reward = 0.0
        table = self.table
        while not self.is_over and table.agent_selection != self.agent:
            table.step(self._others(Environment.observe(table, table.agent_selection)))
            reward += table.rewards[self.agent]
        return reward
