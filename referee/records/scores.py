"""Scores of bots for their own positions, from the remarks of their moves."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.records.calls import Call

CP_SCALE = 0.00368208
"""Logistic scale from winning chances to centipawns: lichess's, as in arena_engine.py."""
MOST_CP = 10_000
"""Limit of a score in centipawns, and the score of a mate."""


def centipawns(call: "Call") -> int | None:
    """Return the score for the seat that has moved, within bounds; None without one.

    An engine says it in centipawns (`cp`); the `value` of another bot is converted.
    """
    score = (call.data or {}).get("cp")
    if score is None and call.value is not None:
        chance = max(1, min(1999, call.value + 1000)) / 2000
        score = round(math.log(chance / (1 - chance)) / CP_SCALE)
    return None if score is None else max(-MOST_CP, min(MOST_CP, score))


def score_of(call: "Call") -> int | None:
    """Return the score in centipawns, a mate included; None without one."""
    mate = (call.data or {}).get("mate")
    if mate is not None:
        return MOST_CP if mate > 0 else -MOST_CP
    return centipawns(call)
