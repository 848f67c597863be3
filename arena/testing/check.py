"""Check a game against all rules of the contract."""

from collections.abc import Callable, Sequence
from typing import Final

from arena.testing import (
    chance,
    ending,
    frozen,
    hidden,
    pictures,
    play,
    retiring,
    returned,
    rounds,
    twins,
    wire,
)
from arena.testing.cases import Case, cases_of
from arena.testing.errors import BrokenRuleError
from arena.testing.examination import Examination
from arena.testing.knowledge import learned
from referee.blame import rules_error
from referee.catalog import AnyGame

Rule = Callable[[Examination], None]

RULES: Final[Sequence[Rule]] = (
    *returned.RULES,
    *frozen.RULES,
    *play.RULES,
    *retiring.RULES,
    *wire.RULES,
    *pictures.RULES,
    *chance.RULES,
    *hidden.RULES,
    *twins.RULES,
    *rounds.RULES,
    *ending.RULES,
)
"""All rules, in the order in which they build on each other."""


def check_game(game: str | type[AnyGame] | AnyGame, *, seats: int | None = None) -> None:
    """Check a game by random play, in each variant and with each number of seats, or `seats` only.

    The game is given by its name, or as a class for its default options, or as an instance. Raises
    BrokenRuleError with the first broken rule, the position and the move. Warns of a game that may
    never end. Prints what each seat learns, for the author to check (`pytest -rP` shows it).
    """
    __tracebackhide__ = True
    for case in cases_of(game, seats=seats):
        for rule in RULES:
            check_rule(rule, case)
    print(learned(game, seats=seats))


def check_rule(rule: Rule, case: Case) -> None:
    """Check one rule; raises BrokenRuleError, also for any other exception of the game."""
    __tracebackhide__ = True
    examination = Examination(case, title(rule))
    try:
        rule(examination)
    except BrokenRuleError:
        raise
    except Exception as error:
        broken = rules_error(error)
        what = broken.text if broken else f"{type(error).__name__}: {error}"
        raise examination.broken(f"raises {what}") from error


def title(rule: Rule) -> str:
    """Return a rule in one sentence."""
    return (rule.__doc__ or rule.__name__).partition("\n")[0].rstrip(".")
