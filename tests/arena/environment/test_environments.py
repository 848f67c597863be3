"""Games as environments: the frameworks' own tests, run on the classes of the how-to page."""

import random
import re
from pathlib import Path
from typing import Any

import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from arena.environment import Environment, SeatEnvironment
from arena.environment.actions import TooManyMovesError

PAGE = Path(__file__).parent.parent.parent.parent / "docs/howto/environments.md"
GAMES = ["pente", "damspel", "open_spiel/tic_tac_toe", "open_spiel/kuhn_poker", "down_n_out"]
SMALL: dict[str, dict[str, Any]] = {"down_n_out": {"rows": 4, "cols": 5, "colors": 2}}


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """Return the names that the examples of the page define."""
    names: dict[str, Any] = {"__name__": "page"}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        if "Bots(" not in block:  # this one is run by tests/e2e/test_environment_bots.py
            exec(block, names)  # noqa: S102 - our own page
    return names


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_accepts_it(shown: dict[str, Any], game: str) -> None:
    api_test(shown["Zoo"](game, SMALL.get(game)), num_cycles=60)


@pytest.mark.filterwarnings("ignore")
def test_equal_seeds_are_equal_matches(shown: dict[str, Any]) -> None:
    seed_test(lambda: shown["Zoo"]("open_spiel/pig"), num_cycles=20)


@pytest.mark.parametrize("game", ["open_spiel/tic_tac_toe", "pente", "down_n_out"])
@pytest.mark.filterwarnings("ignore")
def test_gymnasium_accepts_it(shown: dict[str, Any], game: str) -> None:
    check_env(shown["Solo"](game, SMALL.get(game)), skip_render_check=True)


def _play(table: Environment, seed: int) -> dict[str, float]:
    """Play random actions to the end; return the rewards of all agents."""
    chance, total = random.Random(seed), dict.fromkeys(table.possible_agents, 0.0)
    table.reset(seed=seed)
    while not all(table.terminations.values()):
        mask = table.last()[0].mask
        table.step(chance.choice([action for action, flag in enumerate(mask) if flag]))
        for agent, reward in table.rewards.items():
            total[agent] += reward
    return total


def test_a_win_is_worth_one_and_agents_leave_one_by_one() -> None:
    table = Environment("open_spiel/connect_four")
    rewards = _play(table, 1)

    assert sorted(rewards.values()) == [-1.0, 1.0]
    with pytest.raises(ValueError, match="must be None"):
        table.step(0)
    while table.agents:
        table.step(None)
    assert table.rewards == {}


def test_the_points_of_a_game_for_one_are_its_rewards() -> None:
    table = Environment("open_spiel/2048")
    rewards = _play(table, 1)

    outcome = table.game.outcome(table.state)
    assert outcome is not None
    assert rewards["seat_0"] == outcome.points[0] > 0


def test_a_seat_sees_no_secret_and_no_action_of_others() -> None:
    table = Environment("open_spiel/kuhn_poker")
    table.reset(seed=1)
    first, second = (table.observe(agent) for agent in table.possible_agents)

    assert first.view["information"] != second.view["information"]
    assert any(first.mask)
    assert not any(second.mask)


def test_an_illegal_action_is_refused() -> None:
    table = Environment("pente")
    table.reset(seed=1)

    with pytest.raises(ValueError, match="action 0 is not legal"):
        table.step(0)


def test_a_position_with_too_many_moves_is_refused() -> None:
    table = Environment("damspel", most=2)
    table.reset(seed=1)

    with pytest.raises(TooManyMovesError, match="and 2 numbers"):
        table.observe("seat_0")


def test_one_seat_plays_against_a_policy() -> None:
    seat = SeatEnvironment(
        Environment("open_spiel/tic_tac_toe"), 1, lambda seen: seen.mask.index(1)
    )
    seen, _ = seat.reset(seed=1)
    over = False
    while not over:
        seen, reward, over, _, _ = seat.step(seen.mask.rindex(1))

    assert reward in (-1.0, 0.0, 1.0)
