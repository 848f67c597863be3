"""Positions as arrays: one shape for a game, no piece lost, nothing hidden shown."""

import random
from typing import Any

import numpy as np
import pytest
from tables import OPTIONS, SEATS, positions

from arena.environment import Environment
from arena.environment.encoding import Encoder
from arena.environment.table import Observation
from referee.games.damspel import Damspel
from referee.rules.layout import Piece

BOARDS = [each for each in OPTIONS if not each[0].startswith("open_spiel/")]


def decoded(table: Environment, planes: Any, observer: int) -> dict[int, Any]:
    """Return the pieces of an encoding by place: seat, and shape, color and text if it has them."""
    kinds = table.game.kinds() or [Piece(seat) for seat in (*range(table.seats), None)]
    seats = [[kind for kind in kinds if kind.seat == seat] for seat in range(table.seats)]
    order = [kind for seat in (*seats[observer:], *seats[:observer]) for kind in seat]
    order += [kind for kind in kinds if kind.seat is None]
    flat = planes.reshape(planes.shape[0], -1)
    assert flat.sum() == (flat > 0).any(axis=0).sum(), "one piece at most on each place"
    return {int(place): order[plane] for plane, place in zip(*flat.nonzero(), strict=True)}


@pytest.mark.parametrize(("game", "options"), BOARDS)
def test_no_piece_is_lost(game: str, options: dict[str, Any]) -> None:
    for seats in SEATS.get(game, (None,)):
        encode = Encoder(Environment(game, options, seats=seats))
        for table in positions(game, options, seats):
            for seat, agent in enumerate(table.possible_agents):
                seen = table.observe(agent)
                whole, planes = encode(seen), encode.planes(seen)
                found = decoded(table, planes, seat)

                assert whole.shape == (encode.size,)
                assert planes.shape == encode.shape
                assert (whole[: planes.size] == planes.ravel()).all()
                assert found.keys() == seen.pieces.keys()
                for place, piece in seen.pieces.items():
                    assert found[place].seat == piece.seat
                    if table.game.kinds():
                        assert found[place].text == piece.text


@pytest.mark.parametrize("game", ["open_spiel/connect_four", "open_spiel/leduc_poker"])
def test_a_game_of_open_spiel_has_its_tensor(game: str) -> None:
    encode = Encoder(Environment(game))
    for table in positions(game, {}, None):
        for seat, agent in enumerate(table.possible_agents):
            tensor = table.state.inner.observation_tensor(seat)
            assert encode(table.observe(agent)).tolist() == tensor
            assert encode.planes(table.observe(agent)).shape == encode.shape


@pytest.mark.usefixtures("small_games")
def test_positions_that_look_the_same_are_encoded_the_same() -> None:
    encode = Encoder(Environment("phantom"))
    one, other = Environment("phantom"), Environment("phantom")
    for table, hidden in ((one, 1), (other, 5)):
        table.reset(seed=1)
        table.step(0)
        table.step(hidden)
        table.step(2)

    assert one.state != other.state
    assert one.observe("seat_0").view == other.observe("seat_0").view
    assert (encode(one.observe("seat_0")) == encode(other.observe("seat_0"))).all()
    assert (encode(one.observe("seat_1")) != encode(other.observe("seat_1"))).any()


def test_a_seat_sees_itself_first() -> None:
    table = Environment("pente")
    encode = Encoder(table)
    table.reset(seed=1)
    table.step(180)
    mine, theirs = (encode.planes(table.observe(agent)) for agent in table.possible_agents)

    assert encode.shape == (3, 19, 19)
    assert mine[0, 9, 9] == theirs[1, 9, 9] == 1
    assert mine.sum() == theirs.sum() == 1


def test_numbers_by_seat_begin_with_the_own() -> None:
    table = Environment("pente")
    table.reset(seed=1)
    table.state = table.state._replace(pairs=(3, 1))

    assert table.observe("seat_0").scalars == (3, 1)
    assert table.observe("seat_1").scalars == (1, 3)


def test_chess_encodes_what_the_board_does_not_show() -> None:
    table = Environment("chess", {"fen": "4k2r/8/8/2pP4/8/8/8/R3K3 w Qk c6 0 1"})
    encode = Encoder(table)
    table.reset(seed=1)
    white, black = (encode.numbers(table.observe(agent)) for agent in table.possible_agents)

    assert np.flatnonzero(white[1:]).tolist() == [0, 8 + 7, 16 + 2]
    assert np.flatnonzero(black[1:]).tolist() == [7, 8 + 0, 16 + 2]
    assert (white[0], black[0]) == (1, 0), "White is to move"


def test_a_game_with_nothing_to_encode_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"open_spiel/cribbage has no board .* encode: encode the"):
        Encoder(Environment("open_spiel/cribbage"))

    monkeypatch.setattr(Damspel, "layout", lambda *_: None)
    with pytest.raises(ValueError, match=r"damspel has no board .* encode: define `layout` and"):
        Encoder(Environment("damspel"))


def test_an_unknown_piece_and_other_numbers_of_scalars_are_refused() -> None:
    table = Environment("chess")
    table.reset(seed=1)
    encode, seen = Encoder(table), Observation(table, 0)
    seen.__dict__["pieces"] = {3: Piece(0, "text", text="?")}
    seen.__dict__["scalars"] = (1.0,)

    with pytest.raises(ValueError, match="`kinds` of chess does not have Piece"):
        encode(seen)
    with pytest.raises(ValueError, match="chess has 1 number to encode here, and 25 at the start"):
        encode.numbers(seen)


def test_encoding_leaves_the_table_alone() -> None:
    table = Environment("open_spiel/pig")
    table.reset(seed=3)
    table.step(random.Random(1).choice(table.last()[0].legal))
    before = (table.state, table.ply, dict(table.rewards), table.match_seed)
    Encoder(table)

    assert (table.state, table.ply, table.rewards, table.match_seed) == before
