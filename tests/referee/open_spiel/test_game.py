"""OpenSpiel's games behind the contract of a game: moves, states, results and whole matches."""

from dataclasses import replace
from typing import Any

import pytest
from fakes import FIRST, FakeBot, play_match
from verifying import verify

from arena.testing import check_game
from protocol.messages import Move as MoveCall
from protocol.vocabulary import Termination
from referee.catalog import BrokenGameError, UnknownGameError, game_class, is_game
from referee.open_spiel import library
from referee.open_spiel.position import Move
from referee.options import make_game
from referee.rules import IllegalMoveError

TIC_TAC_TOE = make_game("open_spiel/tic_tac_toe", {})
CHEAP = (
    "tic_tac_toe",
    "chess",
    "cliff_walking",
    "shogi",
    "nim",
    "backgammon",
    "kuhn_poker",
    "dark_hex",
    "oshi_zumo",
    "negotiation",
    "matching_pennies_3p",
)


@pytest.mark.parametrize("name", CHEAP)
def test_a_game_keeps_the_contract(name: str) -> None:
    check_game(f"open_spiel/{name}")


@pytest.mark.parametrize("sent", [{"action": 4}, {"text": "x(1,1)"}])
def test_a_bot_gives_the_number_or_the_text_and_all_else_has_both(sent: dict[str, Any]) -> None:
    full = {"action": 4, "text": "x(1,1)"}
    played = play_match(
        FakeBot({"type": "play", "move": sent}), FakeBot(), game="open_spiel/tic_tac_toe"
    )

    assert next(call for call in played.calls if call.move).move == full
    assert played.told(1, MoveCall)[0].opponent_moves[0].move == full
    assert played.verdict.termination is Termination.NORMAL
    verify(played.record)


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"action": 9}, "#9: not a legal action"),
        ({"action": -(2**53)}, "not a legal action"),
        ({"text": "x(3,3)"}, "x(3,3): not a legal action"),
        ({"text": "x" * 9000}, "not a legal action"),
        ({"text": "o(1,1)", "action": 4}, 'the text of action 4 is "x(1,1)" here, not "o(1,1)"'),
        ({}, "a move has an action, a text or both"),
    ],
)
def test_no_other_action_reaches_openspiel(sent: dict[str, Any], says: str) -> None:
    if sent:
        with pytest.raises(IllegalMoveError) as refusal:
            TIC_TAC_TOE.apply(TIC_TAC_TOE.start(2, 0), Move(**sent))
        assert says in str(refusal.value)
    played = play_match(
        FakeBot({"type": "play", "move": sent}), FakeBot(), game="open_spiel/tic_tac_toe"
    )

    assert played.verdict.termination is Termination.ILLEGAL_MOVE if sent else True
    assert played.verdict.points[0] < played.verdict.points[1]
    assert len(played.verdict.faults[0].detail) < 2000


def test_the_text_of_an_action_is_that_of_this_position() -> None:
    chess = make_game("open_spiel/chess", {})
    state = chess.start(2, 0)
    assert chess.turn(state) == 1  # OpenSpiel's number of White
    for word in ("e4", "e5", "Nf3"):
        state = chess.apply(state, chess.parse(word))

    assert chess.diagram(state).splitlines() == [
        "r n b q k b n r",
        "p p p p . p p p",
        ". . . . . . . .",
        ". . . . p . . .",
        ". . . . P . . .",
        ". . . . . N . .",
        "P P P P . P P P",
        "R N B Q K B . R",
        "b KQkq - 1 2",
    ]
    with pytest.raises(IllegalMoveError, match="Nf3: not a legal action"):
        chess.apply(state, Move(text="Nf3"))


def test_a_retired_seat_has_lost() -> None:
    outcome = TIC_TAC_TOE.outcome(TIC_TAC_TOE.retire(TIC_TAC_TOE.start(2, 0), 0))

    assert outcome is not None
    assert (outcome.points, outcome.places) == ((-1, 1), (2, 1))


def test_returns_are_scaled_to_whole_points() -> None:
    game = make_game("open_spiel/tic_tac_toe", {"points_per_unit": 50})
    state = game.start(2, 0)
    for action in (0, 3, 1, 4, 2):
        state = game.apply(state, Move(action))

    outcome = game.outcome(state)
    assert outcome is not None
    assert outcome.points == (50, -50)


def test_a_game_that_openspiel_cannot_end_is_ended() -> None:
    oware = make_game("open_spiel/oware", {})
    state = oware.start(2, 0)
    state.ply = 1000

    outcome = oware.outcome(state)
    assert outcome is not None
    assert outcome.places == (1, 1)
    assert list(oware.legal(state)) == []


def test_an_unknown_game_is_refused_by_name() -> None:
    with pytest.raises(UnknownGameError, match='did you mean "open_spiel/chess"'):
        game_class("open_spiel/ches")
    assert not is_game("open_spiel/misere")


@pytest.mark.parametrize("name", ["connect_four", "Connect-Four", "connect four"])
def test_a_name_without_its_prefix_is_understood(name: str) -> None:
    with pytest.raises(UnknownGameError, match='did you mean "open_spiel/connect_four"'):
        game_class(name)
    with pytest.raises(UnknownGameError, match='did you mean "damspel"'):
        game_class("damspeel")


def test_without_openspiel_one_sentence_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyspiel", None)
    library.library.cache_clear()
    library.game_types.cache_clear()
    game_class.cache_clear()
    try:
        with pytest.raises(BrokenGameError, match=r"install it with: .* -m pip install"):
            game_class("open_spiel/y")
        assert is_game("open_spiel/anything")
        with pytest.raises(UnknownGameError, match="known: "):
            game_class("connect_four")
    finally:
        library.library.cache_clear()
        library.game_types.cache_clear()


def test_a_bot_that_never_chooses_plays_to_the_end() -> None:
    played = play_match(FakeBot(FIRST), FakeBot(), game="open_spiel/nim")

    verify(replace(played.record))
