"""Random play before and beside a bot that is checked."""

from arena.check.partners import history
from referee.games.pente import Pente


def test_a_history_is_played_once_for_each_game_and_seed() -> None:
    known = history(Pente(), 2, 20, 1)

    assert history(Pente(), 2, 20, 1) is known
    assert len(known) == 20
    assert history(Pente(), 2, 20, 2) != known
