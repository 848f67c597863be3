"""The contract of games, for every game.

A new game is tested as soon as it is there, with its default options; `every_game.py` has more of
them for the games of the project.
"""

import pytest
from every_game import Case, every_game

from arena.testing import RULES, check_rule
from arena.testing.check import Rule


@every_game
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_game_keeps_the_rule(case: Case, rule: Rule) -> None:
    check_rule(rule, case)
