"""Arena's games as environments for learners, without a framework.

    from arena.environment import Bots, Environment, SeatEnvironment

`Environment` has the shape of a PettingZoo AEC environment, all seats in turn; `SeatEnvironment`
that of a Gymnasium environment, one seat against functions or `Bots`. How to use them with the
frameworks: docs/howto/environments.md.
"""

from arena.environment.bot_opponents import Bots
from arena.environment.opponents import OpponentError, Opponents, Policy, random_policy
from arena.environment.seat import SeatEnvironment
from arena.environment.table import Environment, Observation

__all__ = [
    "Bots",
    "Environment",
    "Observation",
    "OpponentError",
    "Opponents",
    "Policy",
    "SeatEnvironment",
    "random_policy",
]
