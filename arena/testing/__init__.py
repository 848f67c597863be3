"""Tests of games and bots of one's own.

A package with a game has its contract test:

    from arena.testing import check_game

    def test_the_rules_of_my_game():
        check_game("my_game")

It plays random matches and raises BrokenRuleError with the broken rule, the position and the move.
The plugin for pytest, `arena.pytest_plugin`, does the same for `pytest --arena-game my_game`.
`ask` asks a bot for its move in a position, for unit tests of bots.
"""

from arena.testing.asking import AskError, Position, Reply, ask, position
from arena.testing.cases import Case, cases_of
from arena.testing.check import RULES, check_game, check_rule, title
from arena.testing.ending import GameWarning
from arena.testing.errors import BrokenRuleError
from arena.testing.knowledge import learned

__all__ = [
    "RULES",
    "AskError",
    "BrokenRuleError",
    "Case",
    "GameWarning",
    "Position",
    "Reply",
    "ask",
    "cases_of",
    "check_game",
    "check_rule",
    "learned",
    "position",
    "title",
]
