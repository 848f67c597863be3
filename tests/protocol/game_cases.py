"""Cases of the types of moves and claims; the legality of moves is not tested here."""

from typing import Any

from cases import ID, Case, broken_reply, valid_reply
from packing import As

FLOAT_3 = As(b"\xcb\x40\x08" + bytes(6))
EXACT = "types are exact"
UNKNOWN = "no unknown fields in replies"


def _good(game: str, name: str, about: str, move: Any, claims: Any = None) -> Case:
    message = {"type": "play", "id": ID, "move": move}
    if claims is not None:
        message["claims"] = claims
    return valid_reply(f"{game}: {name}", about, message, answers="move", game=game)


def _bad(game: str, name: str, move: Any, rule: str, claims: Any = None) -> Case:
    message = {"type": "play", "id": ID, "move": move}
    if claims is not None:
        message["claims"] = claims
    return broken_reply(
        f"{game}: {name}",
        "the types are wrong, so the rules never see it",
        message,
        answers="move",
        game=game,
        rule=rule,
        outcome="malformed",
    )


_POINT = {"v": 0, "h": 4}
_PAIR = [[0, 1], [0, 2]]

PENTE = [
    _good("pente", "a point", "row and column from the centre", _POINT),
    _good("pente", "off the board", "well-typed: the rules refuse it", {"v": 99, "h": -(2**53)}),
    _good(
        "pente",
        "all claims",
        "pairs taken, and the match won",
        _POINT,
        {"captures": [_PAIR, [[1, 1], [2, 2]]], "victory": True},
    ),
    _good("pente", "nothing taken", "an empty list is a claim", _POINT, {"captures": []}),
    _good("pente", "claim nil", "nil is a field left out", _POINT, {"captures": None}),
    _bad("pente", "v as float", {"v": FLOAT_3, "h": 4}, "no floats"),
    _bad("pente", "v as text", {"v": "3", "h": 4}, EXACT),
    _bad("pente", "v true", {"v": True, "h": 4}, EXACT),
    _bad("pente", "v nil", {"v": None, "h": 4}, "the move's fields are needed"),
    _bad("pente", "v as list", {"v": [3], "h": 4}, EXACT),
    _bad("pente", "v as map", {"v": {"v": 3}, "h": 4}, EXACT),
    _bad("pente", "no h", {"v": 3}, "the move's fields are needed"),
    _bad("pente", "another field", {**_POINT, "seat": 0}, UNKNOWN),
    _bad("pente", "fields of another game", {"row": 0, "col": 4}, UNKNOWN),
    _bad("pente", "field in capitals", {"V": 0, "h": 4}, UNKNOWN),
    _bad("pente", "victory 1", _POINT, EXACT, {"victory": 1}),
    _bad("pente", "captures of one pair unwrapped", _POINT, EXACT, {"captures": _PAIR}),
    _bad("pente", "captures of one stone", _POINT, EXACT, {"captures": [[[0, 1]]]}),
    _bad("pente", "captures of three", _POINT, EXACT, {"captures": [[[0, 1], [0, 2], [0, 3]]]}),
    _bad(
        "pente",
        "captures with three coordinates",
        _POINT,
        EXACT,
        {"captures": [[[0, 1, 2], [0, 2, 2]]]},
    ),
    _bad("pente", "unknown claim", _POINT, UNKNOWN, {"draw": True}),
]

_RUN = {"row": True, "line": 0, "start": 0, "end": 3}

MATCHSTICKS = [
    _good("matchsticks", "a run", "row 0, columns 0 to 3", _RUN),
    _good("matchsticks", "backwards", "the same run", {**_RUN, "start": 3, "end": 0}),
    _good("matchsticks", "claims", "the board after the move", _RUN, {"board": ["0000", "1011"]}),
    _bad("matchsticks", "row 1", {**_RUN, "row": 1}, EXACT),
    _bad("matchsticks", "row as text", {**_RUN, "row": "true"}, EXACT),
    _bad("matchsticks", "line true", {**_RUN, "line": True}, EXACT),
    _bad(
        "matchsticks",
        "no end",
        {"row": True, "line": 0, "start": 0},
        "the move's fields are needed",
    ),
    _bad("matchsticks", "board as one text", _RUN, EXACT, {"board": "0000"}),
    _bad("matchsticks", "board of integers", _RUN, EXACT, {"board": [[0, 0], [1, 1]]}),
]

_STEP = {"from": [3, 0], "to": [4, 0]}

FROM_TO = [
    case
    for game in ("chinese_checkers", "damspel")
    for case in (
        _good(game, "a step", "from and to, [row, column] each", _STEP),
        _good(game, "off the board", "well-typed: the rules refuse it", {**_STEP, "to": [-9, 900]}),
        _bad(game, "from_", {"from_": [3, 0], "to": [4, 0]}, UNKNOWN),
        _bad(game, "to of one", {**_STEP, "to": [4]}, EXACT),
        _bad(game, "to of three", {**_STEP, "to": [4, 0, 0]}, EXACT),
        _bad(game, "to as text", {**_STEP, "to": "4,0"}, EXACT),
        _bad(game, "to as map", {**_STEP, "to": {"row": 4, "col": 0}}, EXACT),
        _bad(game, "from with a float", {**_STEP, "from": [FLOAT_3, 0]}, "no floats"),
        _bad(game, "a path", {**_STEP, "path": [[3, 0], [4, 0]]}, UNKNOWN),
        _bad(game, "claims", _STEP, "this game has no claims", {"victory": True}),
    )
]

_CELL = {"row": 9, "col": 14}

DOWN_N_OUT = [
    _good("down_n_out", "a cell", "row 0 is the top", _CELL),
    _good(
        "down_n_out",
        "all claims",
        "cells removed, and the board",
        _CELL,
        {"removed": 2, "board": ["0", "1"]},
    ),
    _good("down_n_out", "one claim", "each stands for itself", _CELL, {"removed": 2}),
    _bad("down_n_out", "col nil", {"row": 9, "col": None}, "the move's fields are needed"),
    _bad("down_n_out", "removed as text", _CELL, EXACT, {"removed": "2"}),
    _bad("down_n_out", "board of integers", _CELL, EXACT, {"board": [0, 1]}),
]

GO = [
    _good("go", "a point", "column and row", {"at": "D4"}),
    _good("go", "a pass", "a move like others", {"at": "pass"}),
    _good("go", "no point", "well-typed: the rules refuse it", {"at": "I25"}),
    _bad("go", "a pass without at", {"pass": True}, UNKNOWN),
    _bad("go", "at 0", {"at": 0}, EXACT),
]

GOMOKU = [
    _good("gomoku", "a point", "column and row", {"at": "h8"}),
    _good("gomoku", "a choice", "swap2 has words instead of points", {"at": "swap"}),
    _good("gomoku", "no point", "well-typed: the rules refuse it", {"at": "H8, please"}),
    _bad("gomoku", "at as list", {"at": [7, 7]}, EXACT),
    _bad("gomoku", "at nil", {"at": None}, "the move's fields are needed"),
    _bad("gomoku", "row and column", {"row": 7, "col": 7}, UNKNOWN),
]

_PAWN = {"from": "e7", "to": "e8", "promote": "q"}

CHESS = [
    _good("chess", "a promotion", "squares and the piece as text", _PAWN),
    _good("chess", "off the board", "well-typed: the rules refuse it", {**_PAWN, "to": "z9"}),
    _bad("chess", "no promote", {"from": "e2", "to": "e4"}, "the move's fields are needed"),
    _bad("chess", "to of three", {**_PAWN, "to": "e8q"}, "the text is too long"),
    _bad("chess", "from as point", {**_PAWN, "from": [4, 6]}, EXACT),
    _bad("chess", "promote nil", {**_PAWN, "promote": None}, "the move's fields are needed"),
]

_BURN = {"thrust": 30, "heading": 355, "seconds": 600}

RENDEZVOUS = [
    _good("rendezvous", "a burn", "acceleration, direction and time", _BURN),
    _good("rendezvous", "too much", "well-typed: the rules refuse it", {**_BURN, "thrust": 2**53}),
    _bad("rendezvous", "thrust as float", {**_BURN, "thrust": FLOAT_3}, "no floats"),
    _bad("rendezvous", "no heading", {"thrust": 0, "seconds": 1}, "the move's fields are needed"),
    _bad("rendezvous", "claims", _BURN, "this game has no claims", {"victory": True}),
]

CASES = [*PENTE, *MATCHSTICKS, *FROM_TO, *DOWN_N_OUT, *GO, *GOMOKU, *CHESS, *RENDEZVOUS]
