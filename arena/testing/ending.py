"""A rule of the end of games, which warns instead of raising: only the author can know."""

import warnings
from typing import Any, Final

from arena.testing.examination import SEEDS, Examination
from arena.text import plural

LONG: Final = 10_000
"""Number of plies after which a random game is given up."""
_LOOKS: Final = 50
"""Distance in plies of the positions in which a move that ends the game is looked for."""


class GameWarning(UserWarning):
    """A game keeps the contract, and is probably not what its author means."""


def games_end(exam: Examination) -> None:
    """A random game ends, or comes to a position in which a move ends it."""
    if any(_ends(exam, seed) for seed in SEEDS):
        return
    warnings.warn(
        f"{exam.game.name} may never end with {plural(exam.seats, 'seat')}: in {len(SEEDS)} random"
        f" games of {LONG} plies no move ends it; end it by a rule, like a limit of plies or a"
        " repeated position, or set `max_plies` in the config",
        GameWarning,
        stacklevel=2,
    )


def _ends(exam: Examination, seed: int) -> bool:
    for ply, (state, move) in enumerate(exam.playout(seed, longest=LONG)):
        if move is None:
            return exam.game.outcome(state) is not None
        if ply and ply % _LOOKS == 0 and _can_end(exam, state):
            return True
    return False


def _can_end(exam: Examination, state: Any) -> bool:
    """Whether one of the legal moves ends the game."""
    game = exam.game
    return any(game.outcome(game.apply(state, move)) is not None for move in game.legal(state))


RULES: Final = (games_end,)
