"""Changes with which a config still describes the same event."""

import pytest
from small_configs import PLAIN, THREE, config_of

from arena.config.same_event import conflicts, has_raised_limits, is_limit, lasting


@pytest.mark.usefixtures("folder")
def test_an_event_from_before_the_default_of_restart_goes_on() -> None:
    old, new = config_of(f"{PLAIN}restart: match\n"), config_of(PLAIN)

    assert conflicts(old, new) == []
    assert lasting(old) == lasting(new)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "change",
    [
        "slots: 2",
        "pin: none",
        "isolation: none",
        "build_network: allow",
        "transport: tcp",
        "repeat: 2",
        "repeat: 4",
        "boards: 3",
        "bonus: {one: 0.1}",
        "time: {per_move: 2000ms}",
        "score: {}",
    ],
)
def test_an_event_resumes_if_only_machine_settings_or_the_number_of_matches_change(
    change: str,
) -> None:
    old = config_of(PLAIN + "seed: 1\n")
    text = PLAIN if change == "score: {}" else PLAIN + change + "\n"

    assert conflicts(old, config_of(text)) == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("seed: 2", "seed: 1 -> 2"),
        ("repeat: 1", "repeat: absent -> 1"),
        ("seat_orders: all", "seat_orders: rotate -> all"),
        ("time: {per_move: 1s}", "time.per_move: 2s -> 1s"),
        ("time: {bank: 60s}", "time.bank: absent -> 60s"),
        ("score: {per_second: 1}", "score.per_second: absent -> 1"),
        ("claims: required", "claims: checked -> required"),
        ("limits: {memory: 1GB}", "limits.memory: 512MB -> 1GB"),
        ("cores: 2", "cores: 1 -> 2"),
        ("restart: never", "restart: match -> never"),
    ],
)
def test_changes_that_make_matches_incomparable_are_named(change: str, line: str) -> None:
    seed = "" if change.startswith("seed") else "seed: 1\n"
    old = config_of(PLAIN + "seed: 1\n")

    assert conflicts(old, config_of(f"{PLAIN}{seed}{change}\n")) == [line]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("bots", "lines"),
    [
        ("[./one, ./two, ./three]", []),
        ("[./three, ./one, ./two]", ["bots: one, two -> three, one, two (new ones go to the end)"]),
        ("[./one, ./three]", ["bots: two is gone"]),
        ("[./one, {bot: ./two, args: [-v]}]", ["bots.two.args: none -> -v"]),
    ],
)
def test_bots_may_only_be_added_at_the_end(bots: str, lines: list[str]) -> None:
    old = config_of(PLAIN)

    assert conflicts(old, config_of(PLAIN.replace("[./one, ./two]", bots))) == lines


@pytest.mark.usefixtures("folder")
def test_an_event_with_a_fixed_number_of_matches_cannot_grow() -> None:
    wanted = THREE + "seats: 3\nmatches: 9\n"
    old = config_of(wanted)
    more = wanted.replace("./three]", "./three, {name: four, bot: ./one}]") + "boards: 2\n"

    assert conflicts(old, config_of(more)) == ["bots: four is new", "boards: 1 -> 2"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("matches: 10", "matches: 12", []),
        ("matches: 10", "matches: 9", ["matches: 10 -> 9"]),
        ("certainty: 0.8", "certainty: 0.9", []),
        ("repeat: 2", "repeat: 4", ["repeat: 2 -> 4"]),
    ],
)
def test_a_ladder_may_last_longer_with_the_same_pairs(
    before: str, after: str, lines: list[str]
) -> None:
    ladder = PLAIN + "seed: 1\nformat: ladder\n"

    assert conflicts(config_of(ladder + before), config_of(ladder + after)) == lines


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("repeat", "lines"), [(5, ["repeat: absent -> 5"]), (6, []), (7, [])])
def test_all_orders_of_three_seats_are_six_matches(repeat: int, lines: list[str]) -> None:
    text = THREE + "seats: 3\nseed: 1\nseat_orders: all\n"

    assert conflicts(config_of(text), config_of(f"{text}repeat: {repeat}\n")) == lines


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ("time: {per_move: 1s}", "time: {per_move: 2s}"),
        ("time: {bank: 10s}", "time: {bank: 20s}"),
        ("limits: {memory: 256MB}", "limits: {memory: 257MB}"),
        ("withdraw_after: 2", "withdraw_after: 3"),
        ("withdraw_after: 2", "withdraw_after: 0"),
    ],
)
def test_only_a_larger_or_missing_limit_is_a_raised_one(smaller: str, larger: str) -> None:
    low, high = config_of(PLAIN + smaller), config_of(PLAIN + larger)

    assert has_raised_limits(low, high)
    assert not has_raised_limits(high, low)
    assert not has_raised_limits(low, low)


def test_limits_are_of_later_matches_and_the_game_is_of_all() -> None:
    assert all(map(is_limit, ["time.per_move", "limits.memory", "cores"]))
    assert not is_limit("game.name")
