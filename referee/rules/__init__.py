"""The contract of a game, and boards shared by several games."""

from referee.rules.game import (
    FalseClaimError,
    Game,
    IllegalMoveError,
    Interval,
    Margins,
    NotationError,
    OptionError,
    Outcome,
    RuleError,
)

__all__ = [
    "FalseClaimError",
    "Game",
    "IllegalMoveError",
    "Interval",
    "Margins",
    "NotationError",
    "OptionError",
    "Outcome",
    "RuleError",
]
