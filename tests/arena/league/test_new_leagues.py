"""A new league of each game can be started as it is."""

import os
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.league.folder import new_league, open_league
from arena.league.seasons.season import season_of
from referee.catalog import game_class, game_names
from referee.job import Player

GAMES_FOR_TWO = [name for name in game_names() if 2 in game_class(name).seats]


@pytest.mark.parametrize("game", GAMES_FOR_TWO)
def test_a_new_league_of_each_game_for_two_has_house_bots_to_play(
    tmp_path: Path, game: str
) -> None:
    config = new_league(tmp_path / "new", game, "auto").season()
    season = season_of(config, 1)
    names = [bot.name for bot in config.bots]
    players = {name: Player(name=name, argv=(), folder="", content="") for name in names}

    jobs = [
        season.job(pairing, players)
        for unit in (0, 1)
        for pairing in season.pair(names[0], names[1], unit)
    ]

    assert [len(job.players) for job in jobs] == [2] * 4
    boards = [(job.history, job.board_seed) for job in jobs]
    assert boards[0] == boards[1] != boards[2] == boards[3]


@pytest.mark.parametrize("given", [".", "our-legaue", "elsewhere"])
def test_a_wrong_folder_names_the_league_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    (tmp_path / "desk").mkdir()
    monkeypatch.chdir(tmp_path / "desk")
    with pytest.raises(UsageError, match="`arena league new our-league --game pente` makes one"):
        open_league(Path())
    new_league(Path("our-league"), "pente", "auto")

    with pytest.raises(UsageError, match=r"no league; there is one in our-league$"):
        open_league(Path(given))


def test_a_running_league_says_by_which_command_it_ends(tmp_path: Path) -> None:
    league = new_league(tmp_path / "our league", "pente", "auto")

    with (
        league.lock("start"),
        pytest.raises(UsageError, match=r"arena league stop '.*/our league' ends it"),
        league.lock("start"),
    ):
        pass


def test_a_league_is_not_made_where_one_is(tmp_path: Path) -> None:
    new_league(tmp_path / "ours", "pente", "auto")

    with pytest.raises(UsageError, match=r"is a league already; next: arena league start .*ours"):
        new_league(tmp_path / "ours", "pente", "auto")


def opened(descriptor: int) -> Path:
    """Return the path of an open file."""
    return Path(f"/proc/self/fd/{descriptor}").readlink()


def test_a_new_league_is_on_the_disk_without_waiting_for_other_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: set[Path] = set()
    monkeypatch.setattr(os, "sync", lambda: pytest.fail("waits for all programs"))
    monkeypatch.setattr(os, "fsync", lambda file: written.add(opened(file)))

    folder = new_league(tmp_path / "new", "pente", "auto").folder

    made = {folder, folder.parent, *folder.rglob("*")}
    assert made == written
