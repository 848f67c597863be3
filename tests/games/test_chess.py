"""Chess: counts of legal moves from the literature, ends of matches, texts, and what is refused."""

import re
from typing import Any

import pytest

from referee.games.chess import Chess, State
from referee.rules import IllegalMoveError, NotationError, OptionError
from referee.rules.chess_board import FAR_ROWS, PROMOTIONS, QUEEN, Board, Moves, after_move
from referee.rules.chess_text import START, read_fen, start_960, write_fen

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PINNED = "6k1/1p2p1rp/rP1pR3/2pP1pP1/p1P2P1P/R5K1/8/8 b - - 0 1"
COUNTS: dict[str, tuple[bool, str, list[int]]] = {
    "start": (False, START, [20, 400, 8902]),
    "kiwipete": (False, KIWIPETE, [48, 2039]),
    "position 3": (False, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2812]),
    "position 4": (
        False,
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        [6, 264, 9467],
    ),
    "position 5": (
        False,
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        [44, 1486],
    ),
    "position 6": (
        False,
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        [46, 2079],
    ),
    "960: 1": (
        True,
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        [21, 528, 12189],
    ),
    "960: 2": (True, "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", [21, 807]),
    "960: 3": (True, "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", [20, 479]),
}


def test_the_mated_king_is_decisive() -> None:
    game = Chess()
    state = game.start(2, 0)
    for text in ("f2f3", "e7e5", "g2g4", "d8h4"):
        before, move = state, game.parse(text)
        assert game.decisive(before, move) == ()
        state = game.apply(before, move)

    assert [game.layout(2).names[place] for place in game.decisive(state, move)] == ["e1"]


def count(board: Board, depth: int) -> int:
    """Return the number of lines of a length."""
    total = 0
    for start, target in Moves(board).all():
        is_promotion = board.kinds[0] >> start & 1 and FAR_ROWS[board.turn] >> target & 1
        for promotion in PROMOTIONS if is_promotion else (QUEEN,):
            after = after_move(board, start, target, promotion)
            total += 1 if depth == 1 else count(after, depth - 1)
    return total


@pytest.mark.parametrize("name", COUNTS)
def test_the_number_of_lines_is_that_of_the_literature(name: str) -> None:
    is_960, fen, counts = COUNTS[name]
    board = read_fen(fen, is_960=is_960).board

    assert [count(board, depth + 1) for depth in range(len(counts))] == counts


def begun(fen: str | None = None, **options: Any) -> tuple[Chess, State]:
    game = Chess(fen=fen, **options)
    return game, game.start(2, 1)


def played(game: Chess, state: State, moves: str) -> State:
    for text in moves.split():
        state = game.apply(state, game.parse_in(state, text))
    return state


@pytest.mark.parametrize(
    ("fen", "moves", "reason", "places"),
    [
        (None, "f3 e5 g4 Qh4#", "checkmate", (2, 1)),
        ("7k/5Q2/8/8/8/8/8/K7 w - - 0 1", "Qf7-f6 Kg8 Qg6 Kf8 Qh7 Ke8 Qg7 Kd8", None, None),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "Qf7", "stalemate", (1, 1)),
        ("7k/8/8/8/8/8/6pK/8 w - - 0 1", "Kxg2", "insufficient material", (1, 1)),
        (None, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", "third repetition", (1, 1)),
        (None, "e4 e5 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1", None, None),
        (None, "e4 Nf6 Nf3 Ng8 Ng1 Nf6 Nf3 Ng8 Ng1", "third repetition", (1, 1)),
        (
            "7k/8/8/8/8/8/7P/K7 w - - 98 90",
            "Kb2 Kg7",
            "50 moves without a capture or a pawn's move",
            (1, 1),
        ),
        ("7k/8/8/8/8/8/7P/K7 w - - 98 90", "Kb2 Kg7 h4", IllegalMoveError, None),
        ("7k/8/8/8/8/8/7P/K7 w - - 98 90", "h4 Kg7 Kb2", None, None),
        ("7k/R7/6K1/8/8/8/8/8 w - - 99 90", "Ra8", "checkmate", (1, 2)),
        # the pawn that could capture en passant is pinned, so the first position counts, too
        (PINNED, "h5 Rh6 Rh7 Re6 Rg7 Rh6 Rh7 Re6", None, None),
        (PINNED, "h5 Rh6 Rh7 Re6 Rg7 Rh6 Rh7 Re6 Rg7", "third repetition", (1, 1)),
    ],
)
def test_the_end_of_a_match(
    fen: str | None, moves: str, reason: Any, places: tuple[int, int] | None
) -> None:
    game, state = begun(fen)
    if reason is IllegalMoveError:
        with pytest.raises(IllegalMoveError, match="the game is over"):
            played(game, state, moves)
        return

    outcome = game.outcome(played(game, state, moves))

    assert (outcome and outcome.reason, outcome and outcome.places) == (reason, places)


@pytest.mark.parametrize(
    ("fen", "target", "places"),
    [
        ("k7/7P/8/8/8/8/8/K7 w - - 0 1", "h8", (15, 7)),
        ("7k/8/8/8/8/8/p7/7K b - - 0 1", "a1", (48, 56)),
    ],
)
def test_a_promotion_in_a_corner_is_legal_and_clicked_like_any_move(
    fen: str, target: str, places: tuple[int, ...]
) -> None:
    game, state = begun(fen)
    promotions = {move.promote: move for move in game.legal(state) if move.to == target}

    assert sorted(promotions) == sorted("qrbn")
    assert all(game.apply(state, move).ply == 1 for move in promotions.values())
    assert {game.gesture(move) for move in promotions.values()} == {places}


def test_bishops_of_one_color_are_a_draw_and_others_are_not() -> None:
    one, other = "8/8/8/2b1k3/8/8/3p4/2B1K3 w - - 0 1", "8/8/8/1b2k3/8/8/3p4/2B1K3 w - - 0 1"

    outcomes = [
        game.outcome(played(game, state, "Bxd2")) for game, state in map(begun, (one, other))
    ]

    assert [outcome and outcome.reason for outcome in outcomes] == ["insufficient material", None]


def test_a_right_to_castle_or_to_capture_en_passant_makes_a_position_another() -> None:
    game, state = begun("r3k3/8/8/8/4p3/8/3P4/4K2R w K - 0 1")
    twice = played(game, state, "d4 Kd7 Rh2 Ke8 Rh1 Kd7 Rh2 Ke8 Rh1 Kd7")
    thrice = played(game, twice, "Rh2")

    assert game.outcome(twice) is None, (
        "the first time castling and capturing en passant were possible"
    )
    assert game.outcome(thrice) is not None, "the third time without the right to castle"


@pytest.mark.parametrize(
    ("fen", "move", "why"),
    [
        (None, "e2e5", "the pawn cannot go there"),
        (None, "e7e5", "starts at one of the seat's own pieces"),
        (None, "e4e5", "starts at one of the seat's own pieces"),
        (None, "d1d2", "its own piece stands on the target"),
        (None, "e2e4q", "only a pawn on the last row is promoted"),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8", "becomes q, r, b or n"),
        ("k3r3/8/8/8/8/8/N7/4K3 w - - 0 1", "a2c3", "the king is in check"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "its king would be in check"),
        ("k4r2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "the king cannot go there"),
        ("k3r3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "the king is in check"),
        ("k7/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", "the king cannot go there"),
        ("k7/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", "its own piece stands on the target"),
        ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "e4d3", "its king would be in check"),
    ],
)
def test_an_illegal_move_is_refused_with_its_rule(fen: str | None, move: str, why: str) -> None:
    game, state = begun(fen)

    with pytest.raises(IllegalMoveError, match=why):
        game.apply(state, game.parse(move))


def test_a_pawn_never_becomes_a_king_or_what_is_no_piece() -> None:
    game, state = begun("7k/P7/8/8/8/8/8/K7 w - - 0 1")
    move = game.parse("a7a8q")

    for promote in ("k", "p", "K", "Q", "", "z", "qr", "\0"):
        with pytest.raises(IllegalMoveError):
            game.apply(state, type(move)(move.from_, move.to, promote))
    with pytest.raises(NotationError):
        game.parse("a7a8k")


@pytest.mark.parametrize(
    ("fen", "why"),
    [
        ("", "6 fields"),
        ("x" * 101, "at most 100"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "Black has 2 kings"),
        ("QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/8/K6k w - - 0 1", "more than 16 men"),
        ("QQQQQQQQ/QQ6/8/8/8/8/k7/7K w - - 0 1", "more promoted pieces"),
        ("9/8/8/8/8/8/8/K6k w - - 0 1", "wrong character"),
        ("88/8/8/8/8/8/8/K6k w - - 0 1", "16 squares"),
        ("7/8/8/8/8/8/8/K6k w - - 0 1", "7 squares"),
        ("8/8/8/8/8/8/K6k w - - 0 1", "8 rows"),
        ("8/8/8/8/8/8/8/K6k x - - 0 1", "side to move"),
        ("8/8/8/8/8/8/8/Kp5k w - - 0 1", "first or last row"),
        ("8/8/8/8/8/8/1k6/R6K b - - 0 1", None),
        ("8/8/8/8/8/8/8/RK5k b - - 0 1", None),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "not to move is in check"),
        ("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1", "not in their places"),
        ("4k3/8/8/8/8/8/8/3K3R w K - 0 1", "not in their places"),
        ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "castling is"),
        ("4k3/8/8/8/8/8/P7/4K3 w - e6 0 1", "no pawn has just moved"),
        ("4k3/8/8/8/8/8/P7/4K3 w - e3 0 1", "in row 6"),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 100 1", "must be 0 to 99"),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 99999999999999999999 1", "must be 0 to 99"),
        ("4k3/8/8/8/8/8/P7/4K3 w - - -1 1", "must be 0 to 99"),
        ("4k3/8/8/8/8/8/P7/4K3 w - - ² 1", "ASCII"),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 0", "must be 1 to 9999"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "the game is over in this position"),
        ("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "checkmate"),
    ],
)
def test_a_fen_that_is_no_position_is_refused(fen: str, why: str | None) -> None:
    if why is None:
        Chess(fen=fen)
        return
    with pytest.raises(OptionError, match=why):
        Chess(fen=fen)


def test_options_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(OptionError, match="chess960: true"):
        Chess(number=3)
    with pytest.raises(OptionError, match="not both"):
        Chess(number=3, chess960=True, fen=START)


@pytest.mark.parametrize("name", COUNTS)
def test_a_fen_is_written_as_it_was_read(name: str) -> None:
    is_960, fen, _ = COUNTS[name]
    written = write_fen(read_fen(fen, is_960=is_960))

    assert read_fen(written, is_960=is_960) == read_fen(fen, is_960=is_960)
    assert is_960 or written == fen


def test_the_number_of_the_move_counts_on() -> None:
    game, state = begun("4k3/8/8/8/8/8/P7/4K3 b - - 3 40")

    assert game.view(state, 0)["turn"] == 1
    assert game.fen_of(played(game, state, "Kd7 a4")) == "8/3k4/8/8/P7/8/8/4K3 b - - 0 41"


def test_start_positions_of_chess960() -> None:
    assert start_960(518) == START
    assert start_960(0).startswith("bbqnnrkr/")
    assert start_960(959).startswith("rkrnnqbb/")
    assert len({start_960(number) for number in range(960)}) == 960
    drawn = {Chess(chess960=True).start(2, seed).first for seed in range(20)}
    assert len(drawn) > 10
    assert Chess(chess960=True, number=518).start(2, 5).first == START


def test_castling_in_chess960_is_the_king_to_its_rook() -> None:
    game, state = begun("4k3/8/8/8/8/8/8/RK5R w KQ - 0 1", chess960=True)

    assert {game.notation(move) for move in game.legal(state)} >= {"b1a1", "b1h1"}
    assert game.fen_of(played(game, state, "O-O")).startswith("4k3/8/8/8/8/8/8/R4RK1 ")
    assert game.fen_of(played(game, state, "b1a1")).startswith("4k3/8/8/8/8/8/8/2KR3R ")


@pytest.mark.parametrize(
    ("fen", "uci", "san"),
    [
        (None, "g1f3", "Nf3"),
        (KIWIPETE, "e1g1", "O-O"),
        (KIWIPETE, "e1c1", "O-O-O"),
        (KIWIPETE, "d5e6", "dxe6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8n", "a8=N"),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q", "a8=Q+"),
        ("4k3/8/8/8/8/8/8/R2K3R w - - 0 1", "a1b1", "Rb1"),
        ("4k3/8/8/8/8/2K5/8/R6R w - - 0 1", "a1d1", "Rad1"),
        ("4k3/8/R7/8/8/2K5/8/R7 w - - 0 1", "a1a3", "R1a3"),
        ("k7/8/8/4Q2Q/8/8/8/K7 w - - 0 1", "h5e2", "Qhe2"),
        ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
    ],
)
def test_standard_notation_is_written_and_read(fen: str | None, uci: str, san: str) -> None:
    game, state = begun(fen)

    assert game.notation_in(state, game.parse(uci)) == san
    assert game.parse_in(state, san) == game.parse(uci)


def test_every_move_of_a_position_is_read_from_standard_notation() -> None:
    for is_960, fen, _ in COUNTS.values():
        game, state = begun(fen, chess960=is_960)
        texts = {game.notation_in(state, move): move for move in game.legal(state)}
        assert len(texts) == len(list(game.legal(state)))
        assert all(game.parse_in(state, text) == move for text, move in texts.items())


PROMOTING = "8/P5k1/8/8/8/8/8/4KN1R w K - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "reason"),
    [
        (START, "Nd2", "no knight can go to d2, or its king would be in check"),
        (START, "Ng1e2", "no knight can go from g1 to e2, or its king would be in check"),
        (START, "exd3", "no pawn can go from e to d3, or its king would be in check"),
        (START, "e8=Q", "no pawn can go to e8, or its king would be in check"),
        (START, "e4=Q", "only a pawn on the last row is promoted"),
        (START, "O-O", "the king cannot castle to this side"),
        (PROMOTING, "O-O!?", "the king cannot castle to this side"),
        (PROMOTING, "a8", "write a8=Q, for example"),
        (
            "7k/8/8/8/8/8/8/1N2KN2 w - - 0 1",
            "Nd2",
            "several pieces can go to d2: write Nb1d2 or Nf1d2",
        ),
        (START, "Z9", 'is not a move: write it like "e2e4"'),
        (START, "N" * 300, 'is not a move: write it like "e2e4"'),
    ],
)
def test_notation_that_fits_no_move_is_refused_with_the_reason(
    fen: str, text: str, reason: str
) -> None:
    game, state = begun(fen)

    with pytest.raises(NotationError, match=re.escape(reason)) as refused:
        game.parse_in(state, text)

    assert str(refused.value).startswith(f'"{text}"')


def test_every_notation_of_a_move_that_is_illegal_here_is_refused_as_illegal() -> None:
    moves = {
        game.notation_in(state, move).rstrip("+#")
        for is_960, fen, _ in COUNTS.values()
        for game, state in [begun(fen, chess960=is_960)]
        for move in game.legal(state)
    }
    for is_960, fen, _ in COUNTS.values():
        game, state = begun(fen, chess960=is_960)
        legal = {game.notation_in(state, move).rstrip("+#") for move in game.legal(state)}
        said = [refusal(game, state, text) for text in moves - legal]
        assert not [reason for reason in said if "is not a move" in reason]


def refusal(game: Chess, state: State, text: str) -> str:
    """Return why a text is no legal move; empty if it says more than needed, like Nbd2."""
    try:
        move = game.parse_in(state, text)
    except NotationError as error:
        return str(error)
    assert move in game.legal(state)
    return ""
