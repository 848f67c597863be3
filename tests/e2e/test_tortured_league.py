"""A few kills of the processes of a league; `make torture` does the same for hours."""

import pytest

pytest.importorskip("django")
from leagues_tortured import torture_league

KILLS = 6
SECONDS = 600.0


def test_kills_of_anything_in_a_league_lose_nothing() -> None:
    damage = torture_league(SECONDS, seed=11, kills=KILLS)

    assert damage.is_none(), str(damage)
    assert damage.kills.total() >= KILLS
