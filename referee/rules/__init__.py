"""The contract of a game, and boards shared by several games."""

from annotated_types import Interval

from referee.rules.contract import Game
from referee.rules.errors import (
    BrokenRulesError,
    FalseClaimError,
    IllegalMoveError,
    NotationError,
    OptionError,
    RuleError,
)
from referee.rules.game import Outcome
from referee.rules.plain import move_fields, wire_name
from referee.rules.showing import Margins

__all__ = [
    "BrokenRulesError",
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
