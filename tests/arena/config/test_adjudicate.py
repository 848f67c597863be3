"""The section `adjudicate`: who may have it, on a command line too, and when it changes."""

from pathlib import Path

import pytest
from small_configs import PLAIN, config_of

from arena.config.quick import quick_config
from arena.config.same_event import conflicts, lasting
from arena.errors import ConfigError, EventError, UsageError
from arena.event.plan import make_plan
from arena.league.seasons.season import season_of
from referee.job import Adjudication, DrawRule, Player, ResignRule

OWN = PLAIN + "own: true\n"
CHESS = "name: event\ngame: {name: chess}\nbots: [./one, ./two]\n"


@pytest.mark.usefixtures("folder")
def test_the_rules_have_the_bounds_of_fishtest_by_default() -> None:
    config = config_of(OWN + "adjudicate: {draw: {}, resign: {}}\n")

    assert config.adjudicate is not None
    assert config.adjudicate.rules() == Adjudication(
        draw=DrawRule(after=68, score=20, moves=8), resign=ResignRule(score=600, moves=3)
    )
    players = {name: Player(name=name, argv=(), folder="", content=name) for name in ("one", "two")}
    assert make_plan(config, players, 1).job.adjudicate == config.adjudicate.rules()


def test_a_match_on_the_command_line_takes_each_key() -> None:
    given = ["own=true", "adjudicate.resign.score=500", "adjudicate.resign.moves=4"]
    config = quick_config(
        ["random", "random"],
        game="pente",
        games=2,
        options=[],
        settings=[*given, "adjudicate.draw={}"],
        seed=1,
    )

    assert config.own
    assert config.adjudicate is not None
    assert config.adjudicate.rules().resign == ResignRule(score=500, moves=4)
    assert config.adjudicate.draw is not None


def test_a_match_on_the_command_line_is_refused_without_own() -> None:
    with pytest.raises(ConfigError, match="if all bots are your own, say own: true"):
        quick_config(
            ["random", "random"],
            game="pente",
            games=2,
            options=[],
            settings=["adjudicate.resign={}"],
            seed=1,
        )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("bots", "more", "says"),
    [
        ("[./one, {remote: emma}]", "time: {clock: wall}", "emma is remote, so it may be a"),
        ("[./one, ./two]", "isolation: require", "isolation: require is for bots of strangers"),
        ("[./one, {bot: ./two, isolation: require}]", "", "isolation: require is for bots of"),
    ],
)
def test_own_is_refused_for_strangers(bots: str, more: str, says: str) -> None:
    text = f"name: event\ngame: {{name: pente}}\nbots: {bots}\nown: true\n{more}\n"

    with pytest.raises(ConfigError, match=says):
        config_of(text)
    with pytest.raises(UsageError, match="a league cannot have own: true"):
        season_of(config_of(OWN), 1)


@pytest.mark.usefixtures("folder")
def test_a_config_without_it_is_the_event_that_it_was_and_own_alone_changes_nothing() -> None:
    plain, own = config_of(PLAIN), config_of(OWN)

    assert not {key for key in lasting(plain) if key.startswith("adjudicate")}
    assert conflicts(plain, own) == []
    assert conflicts(plain, config_of(OWN + "adjudicate: {resign: {}}\n")) == [
        "adjudicate.resign.score: absent -> 600",
        "adjudicate.resign.moves: absent -> 3",
    ]


def test_tablebases_need_a_folder_with_tables_and_no_trust(folder: Path) -> None:
    with pytest.raises(ConfigError, match="syzygy: No such file or directory"):
        config_of(CHESS + "adjudicate: {tablebases: ./syzygy}\n")
    (folder / "syzygy").mkdir()
    with pytest.raises(ConfigError, match="has no Syzygy tables"):
        config_of(CHESS + "adjudicate: {tablebases: ./syzygy}\n")
    (folder / "syzygy" / "KRPvKR.rtbw").touch()

    config = config_of(CHESS + "isolation: require\nadjudicate: {tablebases: ./syzygy}\n")

    players = {name: Player(name=name, argv=(), folder="", content=name) for name in ("one", "two")}
    plan = make_plan(config, players, 1)
    assert plan.job.tablebases == str(folder / "syzygy")
    assert plan.job.adjudicate == Adjudication(pieces=5)
    with pytest.raises(EventError, match="workers have none"):
        make_plan(config, players, 1, machines=object())  # type: ignore[arg-type]  # not asked
