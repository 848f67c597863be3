"""Parameters of OpenSpiel's games as options."""

import pytest

from referee.open_spiel.library import game_types
from referee.open_spiel.parameters import changed, options_of
from referee.options import game_options, make_game
from referee.rules import OptionError


def test_players_files_and_colours_are_no_options() -> None:
    assert set(game_options(make_game("open_spiel/twixt", {}))) == {"points_per_unit", "board_size"}
    for name in game_types():
        assert not {"players", "rng_seed", "filename"} & set(options_of(name))


def test_only_changed_parameters_are_given_to_openspiel() -> None:
    assert changed("twixt", {"board_size": 8}) == (("ansi_color_output", False),)
    assert changed("hex", {**game_options(make_game("open_spiel/hex", {})), "board_size": 5}) == (
        ("board_size", 5),
    )


@pytest.mark.parametrize(
    ("name", "options", "option", "says"),
    [
        ("hex", {"board_size": "big"}, "board_size", "must be a whole number"),
        ("hex", {"board_size": 10**9}, "board_size", "must be 1000000 or less"),
        ("nim", {"pile_sizes": "9;" * 2000}, "pile_sizes", "2000"),
        ("go", {"board_size": 25}, "board_size", "refuses it: The current Go implementation"),
    ],
)
def test_a_bad_value_is_refused_in_words(
    name: str, options: dict[str, object], option: str, says: str
) -> None:
    with pytest.raises(OptionError) as refusal:
        make_game(f"open_spiel/{name}", options)

    assert refusal.value.option == option
    assert says in refusal.value.detail
