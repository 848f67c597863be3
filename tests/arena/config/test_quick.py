"""The config that `arena match` stands for: as many matches as were asked for."""

import os
from pathlib import Path
from typing import Any

import pytest
from events import player

from arena.bots.engine_reference import with_each
from arena.config.event import Config
from arena.config.loading import make_config
from arena.config.quick import quick_config
from arena.errors import ArenaError, ConfigError, UsageError
from arena.event.plan import make_plan
from arena.formats.choosing import format_of
from referee.games.pente import Pente, State
from referee.job import TimeControl
from referee.options import make_game


@pytest.mark.parametrize(("game", "games"), [("matchsticks", 4), ("matchsticks", 2), ("pente", 3)])
def test_games_count_the_matches_variants_included(game: str, games: int) -> None:
    config = quick_config(["random", "random"], game=game, games=games, options=[], seed=1)

    schedule = format_of(config, ["random-1", "random-2"], 1)

    assert len(schedule.known({})) == games


@pytest.mark.parametrize(("bots", "played"), [(1, 3), (2, 3), (3, 3)])
def test_one_bot_can_play_a_game_of_one_to_six_seats(bots: int, played: int) -> None:
    config = quick_config(
        ["random"] * bots, game="open_spiel/yacht", games=played, options=[], seed=1
    )

    names = [bot.name for bot in config.bots]
    assert len(format_of(config, names, 1).known({})) == played


def test_a_bot_has_the_name_that_a_config_gives_it() -> None:
    bots = ["starter/python", "./bots/starter/c", "bots/starter/c/bot.yaml", "random"]
    quick = quick_config(bots, game="chinese_checkers", games=1, options=[], seed=1)
    names = [bot.name for bot in quick.bots]

    assert names == ["starter-python", "starter-c-1", "starter-c-2", "random"]
    with pytest.raises(ConfigError, match="no-such"):
        quick_config(["no-such", "greedy"], game="pente", games=2, options=[], seed=1)


@pytest.mark.parametrize(
    ("game", "bots", "matches", "openings"),
    [
        ("pente", 3, 3 * 4, None),
        ("pente", 4, 6 * 4, "4"),
        ("matchsticks", 3, 3 * 4, None),
        ("down_n_out", 3, 3 * 4, None),
    ],
)
def test_more_bots_than_seats_meet_in_a_round_robin(
    game: str, bots: int, matches: int, openings: str | None
) -> None:
    config = quick_config(
        ["random"] * bots, game=game, games=4, options=[], openings=openings, seed=1
    )
    names = [bot.name for bot in config.bots]
    schedule = format_of(config, names, 1).known({})

    assert config.name == " - ".join(names)
    assert len(schedule) == matches
    assert {name: sum(name in pairing.players for pairing in schedule) for name in names} == (
        dict.fromkeys(names, matches * len(schedule[0].players) // bots)
    )


def test_the_name_of_a_match_of_many_bots_is_short() -> None:
    config = quick_config(["random"] * 7, game="pente", games=2, options=[], seed=1)

    assert config.name == "random-1 - random-2 - random-3 and 4 more"


def test_the_game_of_a_match_is_the_only_one_of_its_bots(tmp_path: Path) -> None:
    bots = []
    for name, games in (("one", "[chess]"), ("any", ""), ("two", "[go, chess]")):
        (tmp_path / name).mkdir()
        said = games and f"games: {games}\n"
        (tmp_path / name / "bot.yaml").write_text(f"run: [cat]\n{said}")
        bots.append(str(tmp_path / name))

    config = quick_config(bots[:2], game=None, games=2, options=[], seed=1)
    assert config.game.name == "chess"
    for undecided in ([bots[1]] * 2, [bots[0], bots[2]]):
        with pytest.raises(UsageError, match="name the game, like --game pente; "):
            quick_config(undecided, game=None, games=2, options=[], seed=1)
    with pytest.raises(UsageError, match=", and a bot to play against, like random; "):
        quick_config([bots[1]], game=None, games=2, options=[], seed=1)


def test_two_folders_with_names_that_give_the_same_are_numbered(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("O'Brien", "OBrien")]
    for folder in folders:
        folder.mkdir()
        (folder / "bot.yaml").write_text("run: [cat]\ngames: [pente]\n")

    quick = quick_config(list(map(str, folders)), game="pente", games=2, options=[], seed=1)

    assert [bot.name for bot in quick.bots] == ["OBrien-1", "OBrien-2"]


@pytest.mark.parametrize("game", ["pente", None])
def test_a_path_that_is_not_text_is_refused(tmp_path: Path, game: str | None) -> None:
    bots = [str(tmp_path / os.fsdecode(b"M\xfcller")), "random"]

    with pytest.raises(ArenaError, match=r"M\\udcfcller.*: its path cannot be written as text"):
        quick_config(bots, game=game, games=2, options=[], seed=1)


@pytest.mark.parametrize("game", ["pente", None])
def test_all_bots_that_cannot_be_read_are_reported_together(
    tmp_path: Path, game: str | None
) -> None:
    texts = {
        "fine": "run: [cat]\n",
        "a;b": "rnu: [cat]\n",
        "x": "run: cat\n",
        "z": "runs: 1\n",
    }
    for folder, text in texts.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bot.yaml").write_text(text)
    bots = [str(tmp_path / folder) for folder in (*texts, "absent")]

    with pytest.raises(ConfigError) as refusal:
        quick_config(bots, game=game, games=2, options=[], seed=1)

    for text in ("a;b/bot.yaml", "x/bot.yaml", "z/bot.yaml:1:1", "absent"):
        assert text in str(refusal.value)


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (["old/ann", "new/ann"], ["ann (old)", "ann (new)"]),
        (["ann", "ann-2"], ["ann", "ann (ann-2)"]),
        (["a/v1/bot", "b/v1/bot", "random"], ["ann (a)", "ann (b)", "random"]),
        (["a/x", "b/x", "b/y"], ["ann-1", "ann-2", "ann-3"]),  # no part tells all of them apart
        (["old;/ann", "new;/ann"], ["ann-1", "ann-2"]),
        (["old/ann", "old/../old/ann/bot.yaml"], ["ann-1", "ann-2"]),
    ],
)
def test_bots_with_the_same_name_are_distinguished_by_their_folders(
    tmp_path: Path, folders: list[str], names: list[str]
) -> None:
    bots = [folder if folder == "random" else str(tmp_path / folder) for folder in folders]
    for folder in bots:
        if folder != "random" and not folder.endswith(".yaml"):
            Path(folder).mkdir(parents=True)
            (Path(folder) / "bot.yaml").write_text("name: ann\nrun: [cat]\n")
    config = quick_config(bots, game="chinese_checkers", games=1, options=[], seed=1)

    assert [bot.name for bot in config.bots] == names


def test_the_same_match_has_the_same_seeds_in_a_match_and_in_a_tournament() -> None:
    bots = ("starter/python", "greedy")
    quick = quick_config(bots, game="pente", games=2, options=[], seed=1)
    values = {"name": "cup", "game": {"name": "pente"}, "bots": bots, "repeat": 2, "seed": 1}
    config = make_config(values, folder=Path(), origin="cup.yaml")

    def seeds(of: Config) -> list[tuple[str, int, int]]:
        plan = make_plan(of, {bot.name: player(bot.name) for bot in of.bots}, 1)
        jobs = [plan.job_of(pairing) for pairing in plan.pairings]
        return [(job.key, job.seed, job.board_seed) for job in jobs]

    assert seeds(quick) == seeds(config)


def test_limits_of_time_are_those_of_a_config() -> None:
    times = ["per_move=100ms", "clock=wall"]
    quick = quick_config(
        ["random", "random"], game="pente", games=2, options=[], times=times, seed=1
    )

    assert quick.time.control() == TimeControl(clock="wall", per_move_ns=100_000_000)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("per_move", '-t: must be key=value, not "per_move"'),
        ("per_mov=1s", 'arena match: unknown key "per_mov" in time; did you mean "per_move"?'),
        ("per_move=1", "arena match: time.per_move needs a unit, like 1s or 1ms"),
    ],
)
def test_a_wrong_limit_of_time_is_one_sentence(given: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        quick_config(["random"] * 2, game="pente", games=2, options=[], times=[given], seed=1)

    assert str(error.value) == message


def test_a_match_takes_keys_of_a_config(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    given = [f"installations=[{tmp_path / 'tools'}]", "limits.memory=2GB", "time.clock=wall"]
    config = quick_config(
        ["random", "random"],
        game="pente",
        games=2,
        options=[],
        times=["per_move=1s"],
        settings=[*given, "slots=1"],
        seed=1,
    )

    assert config.installations == (str(tmp_path / "tools"),)
    assert config.limits.memory == 2 * 1024**3
    assert config.time.control() == TimeControl(
        clock="wall", per_move_ns=10**9, wall_bank_ns=config.time.control().wall_bank_ns
    )
    assert config.slots == 1


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("bots=[x]", "-c bots: not for bots, which the command sets itself"),
        ("game.size=9", "-c game.size: not for game, which the command sets itself"),
        ("limits.memry=2GB", 'arena match: unknown key "memry" in limits; did you mean "memory"?'),
        ("slots.two=2", "arena match: slots must be auto or 1 to 256, not a map"),
        ("slots", '-c: must be key=value, not "slots"'),
        ("time.clock.x=1", 'arena match: unknown key "clock.x" in time'),
    ],
)
def test_a_wrong_key_of_a_config_is_refused_by_name(setting: str, message: str) -> None:
    with pytest.raises(ArenaError) as error:
        quick_config(["random"] * 2, game="pente", games=2, options=[], settings=[setting], seed=1)

    assert str(error.value).startswith(message)


def test_games_that_the_variants_cannot_share_are_refused() -> None:
    with pytest.raises(UsageError, match=r"--games 3: .* say --games 2 or 4"):
        quick_config(["random", "random"], game="matchsticks", games=3, options=[], seed=1)


def test_each_opening_of_a_match_is_played_from_every_seat(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("0,0 1,1\n0,0 2,2\n0,0 3,3\n")

    def quick(openings: str, games: int, *bots: str, game: str = "pente") -> Config:
        return quick_config(bots, game=game, games=games, options=[], openings=openings, seed=1)

    pairs = quick("4", 6, "random", "greedy")
    assert (pairs.boards, pairs.repeat) == (3, 2)
    schedule = format_of(pairs, ["random", "greedy"], 1).known({})
    assert sorted((pairing.board, pairing.players) for pairing in schedule) == sorted(
        (board, players)
        for board in range(3)
        for players in (("random", "greedy"), ("greedy", "random"))
    )
    trios = quick("3", 6, "random", "random", "random", game="chinese_checkers")
    assert (trios.boards, trios.repeat) == (2, 3)
    assert quick(str(file), 6, "random", "greedy").boards == 3
    with pytest.raises(UsageError, match=r"in 2 matches; say --games 4 or 6"):
        quick("4", 5, "random", "greedy")
    assert quick(str(file), 8, "random", "greedy").boards == 4  # the first opening again
    book = tmp_path / "a game.PGN"
    book.write_text("1. e4 e5 2. Nf3 *")
    bots = ("starter/python", "starter/python")
    cut = quick(f"{book}:2", 2, *bots, game="chess")
    assert cut.opening_lines == ("e2e4 e7e5",)


@pytest.mark.parametrize(
    ("game", "options", "games", "starts"),
    [
        ("chess", ["chess960=true"], 6, 3),
        ("chess", ["chess960=true"], 1, 1),
        ("chess", ["chess960=true", "number=7"], 6, 1),
        ("chess", [], 5, 1),
        ("matchsticks", [], 8, 4),  # two boards, each with another objective in its two variants
        ("matchsticks", [], 2, 2),
        ("foreign", ["title=tron"], 6, 3),
        ("down_n_out", [], 3, 3),
    ],
)
def test_each_drawn_start_of_a_match_is_played_from_every_seat(
    game: str, options: list[str], games: int, starts: int
) -> None:
    runner = ["runner.run=[random]"] if game == "foreign" else []
    bots = ["random"] if game == "down_n_out" else ["random"] * 2
    config = quick_config(bots, game=game, games=games, options=options, settings=runner, seed=1)
    plan = make_plan(config, {bot.name: player(bot.name) for bot in config.bots}, 1)

    tables: dict[Any, list[tuple[str, ...]]] = {}
    for pairing in plan.pairings:
        job = plan.job_of(pairing)
        start = make_game(game, job.options).start(len(job.players), job.board_seed)
        tables.setdefault((start, pairing.variant), []).append(pairing.players)
    assert len(tables) == starts
    assert sum(map(len, tables.values())) == games
    if games % (starts * len(bots)) == 0:
        assert all(sorted(seen) == sorted(map(rotated, seen)) for seen in tables.values())


def rotated(players: tuple[str, ...]) -> tuple[str, ...]:
    return (*players[1:], players[0])


def test_matches_that_would_play_a_drawn_start_from_one_seat_are_refused() -> None:
    for game, options, games, said in (
        ("chess", ["chess960=true"], 5, "in 2 matches; say --games 4 or 6"),
        ("matchsticks", [], 6, "in 4 matches; say --games 4 or 8"),
    ):
        with pytest.raises(UsageError, match=f"each start position .* {said}"):
            quick_config(["random"] * 2, game=game, games=games, options=options, seed=1)


def test_a_game_whose_start_fails_is_left_to_its_first_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def start(*_: object) -> State:
        raise IndexError

    monkeypatch.setattr(Pente, "start", start)

    assert quick_config(["random"] * 2, game="pente", games=4, options=[], seed=1).repeat == 4


def test_engines_are_named_by_the_settings_in_which_they_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sf").write_text("#!/bin/sh\n")
    (tmp_path / "sf").chmod(0o755)
    bots = ["uci:./sf?Hash=16", "uci:./sf?Hash=64&Style%20of=bold"]
    bots = with_each(bots, ["Threads=1", "Hash=8", "nodes=500"])

    config = quick_config(bots, game=None, games=2, options=[], seed=1)

    assert [bot.name for bot in config.bots] == [
        "sf (Hash 16)",
        "sf (Hash 64 Style of bold)",
    ]
    assert [bot.manifest.options for bot in config.bots] == [
        {"Hash": 16, "Threads": 1},
        {"Hash": 64, "Style of": "bold", "Threads": 1},
    ]


@pytest.mark.parametrize(
    ("bots", "each", "says"),
    [
        (["random", "uci:sf"], ["Hash=1"], "--each sets options of engines named like uci:"),
        (["uci:sf", "uci:sf"], ["Hash"], "--each is KEY=VALUE"),
        (["uci:sf", "uci:sf"], ["=1"], "--each is KEY=VALUE"),
    ],
)
def test_settings_of_all_engines_are_for_engines(
    bots: list[str], each: list[str], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        with_each(bots, each)


def test_a_fixed_search_of_one_engine_is_kept() -> None:
    both = with_each(["uci:a?depth=3", "uci:b"], ["nodes=5"])

    assert both == ["uci:a?depth=3", "uci:b?nodes=5"]


def test_openings_of_a_book_that_are_skipped_are_in_the_notes(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text("8/8/8/4k3/8/8/4K2r/8 b - - 0 1\n8/8/8/4k3/8/8/4K3/R7 w - - 0 1\n")

    config = quick_config(
        ["random", "random"], game="chess", games=2, options=[], openings=str(book), seed=1
    )

    assert len(config.notes) == 1
    assert "1 opening that cannot be read skipped in line 1" in config.notes[0]
