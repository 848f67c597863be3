"""Settings of a player: where a value goes in a command, and whose content it changes."""

import json

import pytest

from arena.bots.settings import content_without_settings, set_command, with_settings, without_place
from arena.cluster.orders import cast_key
from referee.job import Player

ENGINE = (
    "/usr/bin/python3",
    "uci_bridge.py",
    json.dumps({"dialect": "uci", "options": {"skill level": 3, "Hash": 16}, "go": ""}),
    "./engine",
)


def options_of(command: tuple[str, ...]) -> dict[str, object]:
    options: dict[str, object] = json.loads(command[2])["options"]
    return options


def test_a_value_takes_the_place_of_its_name_only() -> None:
    command = ("./bot", "--depth={depth}", '{"margin": {margin}, "depth": {depth}}', "{other}")

    assert set_command(command, {"depth": "4", "margin": "-0.5"}) == (
        "./bot",
        "--depth=4",
        '{"margin": -0.5, "depth": 4}',
        "{other}",
    )


def test_an_engine_gets_options_over_those_of_its_bot() -> None:
    command = set_command(ENGINE, {"Skill Level": "7", "Contempt": "-20", "Style": "0.25"})

    assert options_of(command) == {
        "skill level": 7,
        "Hash": 16,
        "Contempt": -20,
        "Style": "0.25",
    }
    assert command[3:] == ("./engine",)


def test_a_value_in_the_command_of_an_engine_is_no_option() -> None:
    command = set_command((*ENGINE, "--threads={threads}"), {"threads": "2"})

    assert command[-1] == "--threads=2"
    assert "threads" not in options_of(command)


@pytest.mark.parametrize(
    ("command", "lost"),
    [
        (("./bot", "--depth={depth}"), ["margin"]),
        (("./bot",), ["depth", "margin"]),
        (("./bot", "{depth}{margin}"), []),
        (ENGINE, []),
    ],
)
def test_a_setting_without_a_place_is_found(command: tuple[str, ...], lost: list[str]) -> None:
    assert without_place(command, ["depth", "margin"]) == lost


def test_other_settings_are_another_player_of_the_same_bot() -> None:
    bare = Player(name="bot", argv=("./bot", "{depth}"), folder="", content="abc")
    one, same, other = (with_settings(bare, {"depth": text}) for text in ("1", "1", "2"))

    assert one == same
    assert len({bare.content, one.content, other.content}) == 3
    assert one.content[:12] != other.content[:12]  # as tables show it
    assert {content_without_settings(each.content) for each in (bare, one, other)} == {"abc"}
    assert one.settings == (("depth", "1"),)
    assert cast_key(one) == cast_key(other) == cast_key(bare)  # on a worker it is the same bot
