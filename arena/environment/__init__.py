"""Arena's games as environments for learners, without a framework.

    from arena.environment import Environment, SeatEnvironment

`Environment` has the shape of a PettingZoo AEC environment, all seats in turn; `SeatEnvironment`
that of a Gymnasium environment, one seat against others. How to use them with the frameworks:
docs/howto/environments.md.
"""

from arena.environment.seat import Policy, SeatEnvironment, random_policy
from arena.environment.table import Environment, Observation

__all__ = ["Environment", "Observation", "Policy", "SeatEnvironment", "random_policy"]
