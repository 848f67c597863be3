"""The contract of a game, and boards shared by several games."""

from annotated_types import Interval

from referee.rules.game import (
    FalseClaimError,
    Game,
    IllegalMoveError,
    Margins,
    NotationError,
    OptionError,
    Outcome,
    RuleError,
    move_fields,
    wire_name,
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
    "move_fields",
    "wire_name",
]
