"""Time odds: limits of time of single players."""

import pytest
from small_configs import PLAIN, config_of

from arena.config.odds import own_time
from arena.config.quick import quick_config
from arena.config.same_event import conflicts, lasting
from arena.errors import ArenaError, ConfigError, UsageError
from arena.event.resume.players import timed
from referee.job import Player, TimeControl

S = 10**9
EVENT = "time: {bank: 10s, increment: 100ms}\n"


def with_time(own: str, event: str = EVENT) -> str:
    return (
        f"name: event\ngame: {{name: pente}}\nbots: [./one, {{bot: ./two, time: {own}}}]\n{event}"
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("own", "event", "control"),
    [
        ("{bank: 5s}", EVENT, {"bank_ns": 5 * S, "increment_ns": S // 10, "per_move_ns": 5 * S}),
        ("{bank: 60s, increment: 1s}", EVENT, {"bank_ns": 60 * S, "per_move_ns": 60 * S}),
        ("{per_move: 1s}", EVENT, {"bank_ns": 10 * S, "per_move_ns": S}),
        ("{per_move: 50ms}", "", {"bank_ns": None, "per_move_ns": S // 20}),
        ("{bank: 4s}", "", {"bank_ns": 4 * S, "per_move_ns": 2 * S, "increment_ns": None}),
        ("{bank: 4s, increment: 40ms}", "", {"bank_ns": 4 * S, "per_move_ns": 4 * S}),
        ("{bank_moves: 40}", EVENT, {"bank_moves": 40, "bank_ns": 10 * S}),
        ("{bank: 9s}", "time: {per_move: 1s, bank: 20s}\n", {"bank_ns": 9 * S, "per_move_ns": S}),
    ],
)
def test_limits_of_one_player_replace_those_of_the_event(
    own: str, event: str, control: dict[str, int | None]
) -> None:
    config = config_of(with_time(own, event))

    whole = config.time.control()
    one, two = (own_time(config, entrant) for entrant in config.bots)
    assert one is None
    assert two is not None
    assert {key: getattr(two, key) for key in control} == control
    assert (two.clock, two.init_ns, two.grace_ns) == (whole.clock, whole.init_ns, whole.grace_ns)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("own", "says"),
    [
        ("{increment: 1s}", "bots[1].time has increment without a bank; add one, like bank: 10s"),
        ("{bank: 5}", "bots[1].time.bank needs a unit, like 5s or 5ms"),
        ("{clock: wall}", 'unknown key "clock" in time of a player'),
    ],
)
def test_wrong_limits_of_one_player_are_refused(own: str, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        config_of(with_time(own, ""))

    assert says in str(error.value)


@pytest.mark.usefixtures("folder")
def test_players_of_an_event_have_them() -> None:
    config = config_of(with_time("{bank: 5s}"))
    players = {name: Player(name=name, argv=(), folder="", content="") for name in ("one", "two")}

    found = timed(config, players)

    assert found["one"].time is None
    assert isinstance(found["two"].time, TimeControl)
    assert found["two"].time.bank_ns == 5 * S


def quick(*times: str) -> list[int | None]:
    config = quick_config(
        ["greedy", "random"], game="pente", games=2, options=[], times=times, seed=1
    )
    controls = (own_time(config, bot) or config.time.control() for bot in config.bots)
    return [control.bank_ns for control in controls]


def test_a_match_takes_them_by_name() -> None:
    assert quick("bank=10s", "random.bank=5s") == [10 * S, 5 * S]
    assert quick("greedy.bank=10s", "greedy.increment=10ms") == [10 * S, None]
    with pytest.raises(UsageError, match='-t: no bot is named "rndom"; did you mean "random"'):
        quick("rndom.bank=5s")
    with pytest.raises(ArenaError, match='unknown key "bnk" in time of a player'):
        quick("random.bnk=5s")


@pytest.mark.usefixtures("folder")
def test_other_odds_are_another_question() -> None:
    plain = config_of(PLAIN + EVENT)
    odds, more = config_of(with_time("{bank: 5s}")), config_of(with_time("{bank: 4s}"))

    assert conflicts(plain, odds) == ["bots.two.time: absent -> bank 5s"]
    assert conflicts(odds, more) == ["bots.two.time: bank 5s -> bank 4s"]
    assert conflicts(odds, config_of(with_time("{bank: 5s}"))) == []
    assert "bots.time" not in lasting(plain)
    assert lasting(odds)["bots.time"] != lasting(more)["bots.time"]


@pytest.mark.usefixtures("folder")
def test_without_limits_there_are_no_odds() -> None:
    config = config_of(with_time("{}"))

    assert own_time(config, config.bots[1]) is None
