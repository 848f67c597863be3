"""The players of the other seats of an environment."""

import random
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from arena.environment.table import Environment, Observation
from protocol.vocabulary import Seat

Policy = Callable[[Observation], int]
"""The player of a seat: returns a legal action for an observation."""


class OpponentError(Exception):
    """The end of a match by an opponent's fault or an internal error."""

    def __init__(self, text: str, info: Mapping[str, Any]) -> None:
        super().__init__(text)
        self.info = dict(info)
        """Facts about the error, as in the info of a step."""


class Opponents(Protocol):
    """The players of all seats but one."""

    def begin(self, table: Environment, seat: Seat) -> None:
        """Begin the match set up on the table, and leave the one in progress."""

    def hear(self, move: Any) -> None:
        """Take note of a move of the other seat."""

    def reply(self, table: Environment) -> None:
        """Make the move of the seat to move on the table; raises OpponentError."""

    def end(self) -> dict[str, Any]:
        """Return facts about the finished match; raises OpponentError."""

    def close(self) -> None:
        """Release everything."""


class Policies:
    """One function as the player of all other seats."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def begin(self, table: Environment, seat: Seat) -> None:
        """Do nothing: a policy has no state."""

    def hear(self, move: Any) -> None:
        """Do nothing: a policy sees the position."""

    def reply(self, table: Environment) -> None:
        """Play the action of the policy."""
        table.step(self._policy(Environment.observe(table, table.agent_selection)))

    def end(self) -> dict[str, Any]:
        """Return nothing: the table has all facts."""
        return {}

    def close(self) -> None:
        """Do nothing: nothing is held."""


class RandomMoves(Policies):
    """Random legal moves in all other seats, the same ones after the same seed of the table."""

    def __init__(self) -> None:
        super().__init__(random_policy())

    def begin(self, table: Environment, seat: Seat) -> None:
        """Begin with random numbers from the match's seed."""
        self._policy = random_policy(table.match_seed)


def random_policy(seed: int = 0) -> Policy:
    """Return a policy of random legal actions."""
    chance = random.Random(seed)  # noqa: S311 - repeatable

    def act(seen: Observation) -> int:
        return chance.choice(seen.legal)

    return act
