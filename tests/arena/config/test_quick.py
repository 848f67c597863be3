"""The config that `arena match` stands for: as many matches as were asked for."""

import pytest

from arena.config.quick import quick_config
from arena.errors import UsageError
from arena.formats.choosing import format_of


@pytest.mark.parametrize(("game", "games"), [("matchsticks", 4), ("matchsticks", 2), ("pente", 3)])
def test_games_count_the_matches_variants_included(game: str, games: int) -> None:
    config = quick_config(["random", "random"], game=game, games=games, options=[], seed=1)

    schedule = format_of(config, ["random-1", "random-2"], 1)

    assert len(schedule.known({})) == games


def test_games_that_the_variants_cannot_share_are_refused() -> None:
    with pytest.raises(UsageError, match=r"--games 3: .* say --games 2 or 4"):
        quick_config(["random", "random"], game="matchsticks", games=3, options=[], seed=1)
