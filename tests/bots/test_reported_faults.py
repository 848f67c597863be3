"""Faults that users of other programs have reported of engines and their dialogs: none here."""

from pathlib import Path
from typing import Any

import pytest
from router_seat import Seat
from test_uci_bridge import CHESS, E4, E5, heard
from uci_programs import OPTIONS, engine

from arena.books.book import read_book
from referee.options import make_game

BEST = "bestmove e2e4"


@pytest.mark.parametrize(
    "declared",
    [
        pytest.param((*OPTIONS, "='uciok \\n'"), id="a space after uciok"),
        pytest.param((OPTIONS[0], "", " ", *OPTIONS[1:]), id="blank lines between options"),
        pytest.param(("hash=16384MB", "banner v1.0", *OPTIONS), id="a banner"),
        pytest.param(
            (
                "option name min type spin default 1 min 0 max 2",
                "option name type type string default type",
                "option name a type max default b type check default True",
                "option name Empty type string default",
                "option name NoType",
                "option",
                "option name type spin",
                "option name Var type combo default var var var",
                "option name UCI_Variant type combo default chess var 3check var mini var max",
                *OPTIONS,
            ),
            id="options with the words of the protocol",
        ),
    ],
)
@pytest.mark.usefixtures("both_bridges")
def test_a_greeting_is_understood(tmp_path: Path, declared: tuple[str, ...]) -> None:
    with Seat(tmp_path, engine([BEST], declared=declared, options={"Hash": 2})) as seat:
        seat.init(**CHESS)
        assert seat.move()["move"] == E4
        seat.term()
        assert "setoption name Hash value 2" in heard(seat)


@pytest.mark.usefixtures("both_bridges")
def test_an_option_that_is_off_by_default_in_capitals_is_set_for_chess960(tmp_path: Path) -> None:
    declared = ("option name UCI_Chess960 type check default False",)
    with Seat(tmp_path, engine([BEST], declared=declared)) as seat:
        seat.init(**{**CHESS, "options": {**CHESS["options"], "chess960": True}})
        seat.term()
        assert "setoption name UCI_Chess960 value true" in heard(seat)


@pytest.mark.parametrize(
    ("answer", "remarks"),
    [
        pytest.param(["bestmove e2e4 ponder a1a1"], {}, id="an illegal move to ponder on"),
        pytest.param(["bestmove e2e4 ponder (none)"], {}, id="no move to ponder on"),
        pytest.param(["bestmove e2e4 ponder"], {}, id="ponder and nothing"),
        pytest.param(["info score cp " + "9" * 23, BEST], {}, id="a score of 23 digits"),
        pytest.param(["info score", BEST], {}, id="a score without a number"),
        pytest.param(["info depth 3 score cp", BEST], {"data": {"depth": 3}}, id="no centipawns"),
        pytest.param(["='info string x\\n' * 20_000", BEST], {}, id="20,000 remarks"),
        pytest.param(["=b'\\xe4\\xff\\x00\\x1b[31m\\n'", BEST], {}, id="bytes that are no text"),
        pytest.param(["info depth 1 score cp 0 pv", BEST], {}, id="an empty line of play"),
        pytest.param(["info score cp 9 pv e2e4 e2e4 a1a8 h9", BEST], {}, id="an illegal plan"),
        pytest.param(
            ["info score cp 0 pv e2e4" + " g8f6 g1f3 f6g8 f3g1" * 3, BEST],
            {"data": {"cp": 0}},
            id="a plan beyond a draw by repetition",
        ),
        pytest.param(
            ["info score cp 0 pv e2e4 e7e5 " + "e7e5 " * 9000, BEST],
            {"plan": [E5] * 16},
            id="9,000 moves",
        ),
    ],
)
@pytest.mark.usefixtures("both_bridges")
def test_a_move_is_taken_whatever_else_is_said(
    tmp_path: Path, answer: list[str], remarks: dict[str, Any]
) -> None:
    with Seat(tmp_path, engine(answer)) as seat:
        seat.init(**CHESS)
        reply = seat.move()
        assert reply["move"] == E4
        assert remarks.items() <= reply.items()


@pytest.mark.usefixtures("both_bridges")
def test_a_move_later_than_stop_loses_only_its_own_match(tmp_path: Path) -> None:
    """It comes when the next match has begun, and is no move of that."""
    late = "say('bestmove a2a3') if has_played else None"
    with Seat(tmp_path, engine([BEST], [BEST], at_isready=late)) as seat:
        for _ in range(2):
            seat.init(**CHESS)
            assert seat.move()["move"] == E4
            seat.term(last=False)


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        pytest.param(
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6",
            "fen rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 1 moves",
            id="four fields with a square of en passant",
        ),
        pytest.param(
            "r3k3/8/8/8/8/8/8/4K2R w KQkq - 0 1\r\n",
            "fen r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1 moves",
            id="a right without a rook, and the line ends of Windows",
        ),
    ],
)
def test_a_book_of_one_line_is_read(tmp_path: Path, text: str, opening: str) -> None:
    (tmp_path / "b.epd").write_text(text)

    assert read_book(tmp_path / "b.epd", "b.epd", make_game("chess", {}), None, 0) == (opening,)


@pytest.mark.parametrize(
    ("fen", "is_960", "legal", "illegal"),
    [
        pytest.param(
            "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", True, ("f1g1",), ("f1e3",), id="castling onto g1"
        ),
        pytest.param("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", False, ("e1g1", "e1c1"), (), id="both"),
        pytest.param("4k3/8/8/8/8/8/8/RB2K3 w Q - 0 1", False, (), ("e1c1",), id="through a man"),
        pytest.param("3rk3/8/8/8/8/8/8/R3K3 w Q - 0 1", False, (), ("e1c1",), id="through check"),
        pytest.param("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", False, ("e1c1",), (), id="rook attacked"),
    ],
)
def test_castling(fen: str, *, is_960: bool, legal: tuple[str, ...], illegal: Any) -> None:
    game = make_game("chess", {"fen": fen, "chess960": is_960})
    moves = {game.notation(move) for move in game.legal(game.start(2, 0))}

    assert moves >= set(legal)
    assert not moves & set(illegal)
