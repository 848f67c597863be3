"""Games as environments: the frameworks' own tests, run on the classes of the how-to page."""

import pickle
import random
import re
import warnings
from contextlib import closing, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from pettingzoo.test import api_test, seed_test

from arena.environment import Environment, SeatEnvironment

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/howto/environments.md"
OWN = sorted(each.stem for each in (ROOT / "referee/games").glob("[a-z]*.py"))
FOREIGN = ["tic_tac_toe", "connect_four", "kuhn_poker", "goofspiel", "pig", "2048"]
GAMES = [*OWN, *(f"open_spiel/{name}" for name in FOREIGN)]
SMALL: dict[str, dict[str, Any]] = {
    "chinese_checkers": {"game_size": 3},
    "down_n_out": {"rows": 4, "cols": 5, "colors": 2},
    "go": {"size": 5},
    "rendezvous": {"plies": 20},
}
# PettingZoo says so of every environment with a mask, and knows its own by name.
MASKED = ("Observation is not a NumPy array", "Observation space for each agent probably should be")
# An empty board at the end of a match.
EMPTIED = {"matchsticks": ("Observation numpy array is all zeros",)}


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """Return the names that the examples of the page define, and check what they print."""
    names: dict[str, Any] = {"__name__": "page"}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        if "Bots(" not in block:  # this one is run by tests/e2e/test_environment_bots.py
            with redirect_stdout(StringIO()) as printed:
                exec(block, names)  # noqa: S102 - our own page
            if text := printed.getvalue():
                assert f"    {text}" in PAGE.read_text()
    return names


@pytest.mark.parametrize("game", GAMES)
def test_pettingzoo_accepts_it(shown: dict[str, Any], game: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(shown["Zoo"](game, SMALL.get(game)), num_cycles=60)

    known = (*MASKED, *EMPTIED.get(game, ()))
    assert [text for each in caught if not (text := str(each.message)).startswith(known)] == []


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.filterwarnings("error")
def test_equal_seeds_are_equal_matches(shown: dict[str, Any], game: str) -> None:
    seed_test(lambda: shown["Zoo"](game, SMALL.get(game)), num_cycles=20)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.filterwarnings("error")
def test_gymnasium_accepts_it(shown: dict[str, Any], game: str) -> None:
    check_env(shown["Solo"](game, SMALL.get(game)), skip_render_check=True)


@pytest.mark.filterwarnings("error")
def test_gymnasium_makes_vectors_of_it(shown: dict[str, Any]) -> None:
    make = partial(shown["Solo"], "open_spiel/connect_four")
    with closing(SyncVectorEnv([make] * 3)) as seats:
        seen, _ = seats.reset(seed=1)
        assert seen.shape == (3, 3 * 6 * 7)
        for _ in range(30):
            seen, rewards, overs, _, _ = seats.step(seats.action_space.sample())
            assert len(rewards) == len(overs) == 3


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


def test_misuse_is_said_in_a_sentence() -> None:
    table = Environment("open_spiel/tic_tac_toe")
    for use in (lambda: table.step(0), table.last, lambda: table.observe("seat_0"), table.render):
        with pytest.raises(ValueError, match="no match is being played: call reset"):
            use()
    with pytest.raises(ValueError, match="tic_tac_toe has seats 0 to 1 here, not 5"):
        SeatEnvironment(table, seat=5)
    with pytest.raises(ValueError, match="pente is for 2 seats, not 9"):
        Environment("pente", seats=9)
    with pytest.raises(ValueError, match="chinese_checkers is for 2 to 6 seats, not 1"):
        Environment("chinese_checkers", seats=1)
    table.reset(seed=1)
    for action in (9, -1, None, 2**70):
        with pytest.raises(ValueError, match=f"action {action} is not legal; the mask has"):
            table.step(action)
    with pytest.raises(ValueError, match=r"an action is a whole number, not 1\.5"):
        table.step(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no agent is named 'me'; they are seat_0, seat_1"):
        table.observe("me")


def test_an_observation_stays_as_it_was_and_can_be_sent() -> None:
    table = Environment("open_spiel/tic_tac_toe")
    table.reset(seed=1)
    seen = table.observe("seat_0")
    table.step(4)

    assert seen.legal == tuple(range(9)), "it is of the position before, although read later"
    sent = pickle.loads(pickle.dumps(seen))  # noqa: S301 - our own
    assert sent == seen
    assert sent != table.observe("seat_0")
    assert sent.mask == b"\1" * 9


def test_one_seat_plays_against_a_policy() -> None:
    seat = SeatEnvironment(
        Environment("open_spiel/tic_tac_toe"), 1, lambda seen: seen.mask.index(1)
    )
    seen, _ = seat.reset(seed=1)
    over = False
    while not over:
        seen, reward, over, _, _ = seat.step(seen.mask.rindex(1))

    assert reward in (-1.0, 0.0, 1.0)
