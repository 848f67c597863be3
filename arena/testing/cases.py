"""The cases of a contract test: a game in each variant, with each number of seats."""

from collections.abc import Iterator
from dataclasses import dataclass

from arena.testing.classes import check_class
from referee.catalog import AnyGame, game_class
from referee.options import make_game


@dataclass(frozen=True)
class Case:
    """A game with its options, and a number of seats."""

    game: AnyGame
    seats: int
    label: str

    def __str__(self) -> str:
        return self.label


def cases_of(
    game: str | type[AnyGame] | AnyGame, *, seats: int | None = None, label: str = ""
) -> Iterator[Case]:
    """Yield the cases of a game, of one number of `seats` if given, named by `label` if given.

    Raises BrokenRuleError for a class that is no complete game.
    """
    base = _instance(game)
    for number in base.seats if seats is None else [seats]:
        for variant, each in base.variants():
            yield Case(each, number, f"{label or base.name}-{number}{variant and '-'}{variant}")


def _instance(game: str | type[AnyGame] | AnyGame) -> AnyGame:
    if isinstance(game, str):
        check_class(game_class(game))
        return make_game(game, {})
    check_class(game if isinstance(game, type) else type(game))
    return game() if isinstance(game, type) else game
