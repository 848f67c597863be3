"""Chance, hidden information and simultaneous moves in games of OpenSpiel."""

from random import Random

import pytest
from fakes import FakeBot, play_match
from verifying import verify

from protocol.messages import Init
from protocol.messages import Move as MoveCall
from referee.open_spiel.position import Draw, Move
from referee.options import make_game
from referee.rules import IllegalMoveError


def test_nobody_receives_the_cards_and_moves_of_others() -> None:
    bots = [FakeBot(wants=("legal", "view")) for _ in range(2)]
    played = play_match(*bots, game="open_spiel/kuhn_poker")
    cards = [str(call.move["text"]) for call in played.calls if call.move][:2]

    for seat in range(2):
        (init,) = played.told(seat, Init)
        assert [entry.model_dump(exclude_none=True) for entry in init.history] == [
            {"chance": True},
            {"chance": True},
        ]
        call = played.told(seat, MoveCall)[0]
        assert all(entry.move is None for entry in call.opponent_moves)
        assert call.view["information"].startswith(cards[seat].rpartition(":")[2])
    verify(played.record)


def test_simultaneous_moves_are_sent_when_all_have_moved() -> None:
    bots = [FakeBot(wants=("legal", "view")) for _ in range(2)]
    played = play_match(*bots, game="open_spiel/goofspiel", options={"num_cards": 3})
    first, second = played.told(1, MoveCall)[:2]

    assert [entry.move for entry in first.opponent_moves if entry.seat == 0] == []
    assert [entry.move["text"] for entry in second.opponent_moves if entry.seat == 0] == [
        "[P0]Bid: 1"
    ]
    verify(played.record)


def test_a_draw_follows_the_probabilities_and_is_checked() -> None:
    pig = make_game("open_spiel/pig", {})
    state = pig.apply(pig.start(2, 0), Move(text="roll"))

    drawn = [pig.draw(state, Random(seed)) for seed in range(60)]
    assert {draw.action for draw in drawn} == set(range(6))
    with pytest.raises(IllegalMoveError, match="an impossible outcome"):
        pig.apply(state, Draw(6, "Roll 7"))
    with pytest.raises(IllegalMoveError, match="a draw is due"):
        pig.apply(state, Move(text="roll"))
    after = pig.apply(state, drawn[0])
    with pytest.raises(IllegalMoveError, match="no draw is due"):
        pig.apply(after, drawn[0])


def test_a_game_that_draws_by_itself_is_given_a_seed() -> None:
    tarok = make_game("open_spiel/tarok", {})
    start = tarok.start(3, 0)

    one, other = (tarok.apply(start, Draw(seed, f"seed {seed}")) for seed in (1, 2))
    assert tarok.diagram(one) != tarok.diagram(other)
    assert one != other
    assert tarok.apply(start, Draw(1, "seed 1")) == one
    with pytest.raises(IllegalMoveError, match="not a seed"):
        tarok.apply(start, Draw(-1, "seed -1"))


def test_a_parameter_can_hide_information() -> None:
    assert not make_game("open_spiel/chess", {}).has_hidden_information
    goofspiel = make_game("open_spiel/goofspiel", {"imp_info": True})
    state = goofspiel.start(2, 0)
    state = goofspiel.apply(state, goofspiel.draw(state, Random(1)))
    after = goofspiel.apply(state, Move(action=1))

    assert goofspiel.is_round_open(after)
    assert goofspiel.seen(state, Move(action=1), after, 1) is None
