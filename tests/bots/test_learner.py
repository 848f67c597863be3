"""The bot `learner`: it knows no rules, and gets better from match to match."""

import random
from contextlib import closing

import pytest
from preloaded import oppose_with_server

from arena.environment import Bots, Environment, SeatEnvironment


def test_it_learns_to_beat_random_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    oppose_with_server(monkeypatch)
    chance, rewards = random.Random(1), []
    table = Environment("open_spiel/connect_four")
    with closing(SeatEnvironment(table, 0, Bots("learner"))) as match:
        for number in range(100):
            seen, _ = match.reset(seed=1 if number == 0 else None)
            is_over = is_cut = False
            while not is_over:
                legal = [action for action, flag in enumerate(seen.mask) if flag]
                seen, reward, is_over, is_cut, info = match.step(chance.choice(legal))
                assert not is_cut, info
            rewards.append(reward)

    # as the second player, random moves win 44 of 100
    assert rewards.count(-1.0) >= 65
