"""The moves of `legal` are exactly those that `apply` accepts: any options, any length of game."""

import random
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from arena.config.game_options import GameOption, options_of
from arena.testing import Case
from arena.testing.examination import Examination
from arena.testing.play import wild_moves
from referee.catalog import game_class, game_names, open_spiel_names
from referee.options import make_game
from referee.rules import IllegalMoveError, OptionError
from referee.seeds import draw_stream

EXAMPLES: Final = max(settings().max_examples // 5, 1)
"""Fewer examples per game, as there are many games."""
SPREAD: Final = 8
"""Width of the range of numbers from the least of an option: larger boards take longer."""
PLIES: Final = 150
CHECKED: Final = 3
"""Number of positions examined in a game."""
MOST_MOVES: Final = 400
"""Limit of moves tried in a position."""
TEXT_OPTIONS: Final = {"fen", "board", "positions"}
"""Options whose values hypothesis could not guess; `every_game.py` has some of them."""


def chosen_options(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return options of a game, some of them set."""
    known = [each for each in options_of(game_class(name)) if each.name not in TEXT_OPTIONS]
    return st.fixed_dictionaries({}, optional={each.name: values(each) for each in known})


def values(option: GameOption) -> st.SearchStrategy[Any]:
    if option.type is Literal:
        return st.sampled_from(option.choices)
    if option.type is bool:
        return st.booleans()
    if option.type is int:
        return st.integers(option.least, min(option.most, option.least + SPREAD))
    least, most = option.least, 1 if option.most is None else option.most
    return st.integers(0, 8).map(lambda part: least + (most - least) * part / 9)


@pytest.mark.parametrize("name", game_names())
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_legal_is_what_apply_accepts(name: str, data: st.DataObject) -> None:
    options = data.draw(chosen_options(name))
    try:
        game = make_game(name, options)
    except OptionError:
        reject()
    seats = data.draw(st.sampled_from(game.seats))
    _, variant = data.draw(st.sampled_from(game.variants()))
    seed = data.draw(st.integers(0, 2**32))

    check_game_of(Case(variant, seats, name), seed, data.draw(st.integers(1, PLIES)))


@pytest.mark.parametrize("name", open_spiel_names())
def test_so_it_is_in_every_game_of_openspiel(name: str) -> None:
    game = make_game(name, {})
    for seats in game.seats:
        check_game_of(Case(game, seats, name), seats, 30)


def check_game_of(case: Case, seed: int, plies: int) -> None:
    """Check some positions of a random game, its last one included, with all moves met in it."""
    positions = list(played(case, seed, plies))
    chance = random.Random(seed)
    checked = positions[-1:] + chance.sample(positions, min(CHECKED, len(positions)))
    met = [move for state in positions for move in case.game.legal(state)]
    for state in checked:
        legal = list(case.game.legal(state))
        every = case.game.choices(state)
        tried = sample(chance, legal) | sample(chance, met if every is None else every[0])
        tried |= set(wild_moves(Examination(case), state, chance))
        accepted = {move for move in tried if is_accepted(case, state, move)}
        # another form of a legal move, like a run from its end to its start, is the same move
        results = {case.game.apply(state, move) for move in legal} if accepted - {*legal} else set()
        others = accepted - {*legal}
        assert {move for move in others if case.game.apply(state, move) not in results} == set()
        assert tried & {*legal} <= accepted


def played(case: Case, seed: int, plies: int) -> Iterator[Any]:
    """Yield the positions of a random game in which a seat is to move."""
    game, chance = case.game, random.Random(seed)
    state = game.start(case.seats, seed)
    for ply in range(plies):
        if game.outcome(state) is not None:
            break
        draw = game.draw(state, draw_stream(seed, ply)) if game.has_chance else None
        if draw is None:
            yield state
        state = game.apply(state, draw or chance.choice(list(game.legal(state))))
    else:
        yield state


def sample(chance: random.Random, moves: Iterable[Any]) -> set[Any]:
    found = list(dict.fromkeys(moves))
    return set(found if len(found) <= MOST_MOVES else chance.sample(found, MOST_MOVES))


def is_accepted(case: Case, state: Any, move: Any) -> bool:
    try:
        case.game.apply(state, move)
    except IllegalMoveError:
        return False
    return True
