"""Sample calls of a referee; the cases are variations of them."""

from typing import Any

from cases import ID
from packing import pack

TIME = {
    "clock": "cpu",
    "init_ms": 5000,
    "per_move_ms": 2000,
    "bank_ms": 60000,
    "display_ms": 1000,
    "term_ms": 1000,
    "grace_ms": 50,
    "ponder": False,
}
PENTE_EMPTY = ["." * 19] * 19
PENTE_BOARD = [*PENTE_EMPTY[:9], ".........X..O......", *PENTE_EMPTY[10:]]
CHESS_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
STAR_MEN = [[[0, 0], [1, 0], [1, 1]], [[12, 0], [11, 0], [11, 1]]]

VIEWS: dict[str, dict[str, Any]] = {
    "pente": {"turn": 0, "ply": 2, "board": PENTE_BOARD, "pairs": [0, 0]},
    "matchsticks": {"turn": 0, "ply": 0, "board": ["111", "101", "111"]},
    "chinese_checkers": {"turn": 0, "ply": 0, "men": STAR_MEN, "positions": [0, 3]},
    "down_n_out": {"turn": 0, "ply": 0, "board": ["123", "113", "223"], "points": 0},
    "damspel": {"turn": 0, "ply": 0, "board": [".Z.Z", "Z.Z.", ".W.W", "W.W."]},
    "go": {"turn": 0, "ply": 0, "board": ["....."] * 5, "taken": [0, 0], "passes": 0},
    "gomoku": {"turn": 0, "ply": 0, "board": ["....."] * 5, "black": 0, "choices": []},
    "chess": {
        "turn": 0,
        "ply": 0,
        "fen": CHESS_START,
        "start": CHESS_START,
        "board": ["rnbqkbnr", "pppppppp", *["........"] * 4, "PPPPPPPP", "RNBQKBNR"],
    },
    "rendezvous": {
        "turn": 0,
        "ply": 0,
        "elapsed": 0,
        "change": 0,
        "ship": [0, 6_778_000_000, -7_668_633, 0],
        "bodies": [[0, 0, 0, 0], [384_400_000_000, 0, 0, 1_024_600]],
        "names": ["Earth", "Moon"],
        "gravity": [398_600, 4_903],
        "radius": [6_378_000, 1_737_000],
        "target": 1,
        "distance": 2_500_000,
        "speed": 100,
    },
}
OPTIONS: dict[str, dict[str, Any]] = {
    "pente": {"half_size": 9, "second_stone": "box5", "fours": "runs"},
    "matchsticks": {
        "dimension": 3,
        "hole_fraction": "0.1",
        "board": None,
        "objectives": "misere",
        "anonymous": False,
    },
    "chinese_checkers": {
        "game_size": 3,
        "positions": None,
        "neutral_end": "forbid",
        "anti_block": False,
        "max_rounds": None,
    },
    "down_n_out": {"rows": 3, "cols": 3, "colors": 3, "display": "check"},
    "damspel": {"rows": 4, "cols": 4, "men_rows": 2},
    "go": {
        "size": 5,
        "komi": "7.5",
        "scoring": "area",
        "ko": "positional",
        "suicide": False,
        "handicap": 0,
    },
    "gomoku": {"size": 5, "rule": "freestyle", "opening": "free"},
    "chess": {"fen": None, "chess960": False, "number": None},
    "rendezvous": {"scenario": "moon", "plies": 1000},
}
MOVES: dict[str, dict[str, Any]] = {
    "pente": {"v": -3, "h": 4},
    "matchsticks": {"row": False, "line": 2, "start": 0, "end": 2},
    "chinese_checkers": {"from": [2, -1], "to": [3, -1]},
    "down_n_out": {"row": 2, "col": 0},
    "damspel": {"from": [1, 1], "to": [2, 0]},
    "go": {"at": "C3"},
    "gomoku": {"at": "c3"},
    "chess": {"from": "e2", "to": "e4", "promote": ""},
    "rendezvous": {"thrust": 30, "heading": 180, "seconds": 600},
}


def init_call(game: str = "pente", **fields: Any) -> dict[str, Any]:
    seats = 1 if game in ("down_n_out", "rendezvous") else 2
    return {
        "type": "init",
        "id": ID,
        "protocol": 1,
        "game": game,
        "options": OPTIONS[game],
        "match": "first,second/b0//0",
        "seat": 0,
        "seats": seats,
        "players": ["first", "second"][:seats],
        "seed": 1997,
        "time": TIME,
        "history": [],
        "view": VIEWS[game],
        **fields,
    }


def move_call(game: str = "pente", **fields: Any) -> dict[str, Any]:
    return {
        "type": "move",
        "id": 2,
        "ply": 2,
        "opponent_moves": [],
        "left_ms": 60000,
        "view": VIEWS[game],
        "legal": [MOVES[game]],
        **fields,
    }


def term_call(**fields: Any) -> dict[str, Any]:
    return {
        "type": "term",
        "id": 3,
        "opponent_moves": [],
        "termination": "normal",
        "scores": ["6", "0.5"],
        "reason": "five in a row",
        "offenders": [],
        "last": True,
        **fields,
    }


def padded_move(size: int) -> list[tuple[bytes, int]]:
    """Return a move call padded to a size by a text in an unknown field."""
    call = pack(move_call(padding=""))[:-1] + b"\xdb"
    length = size - len(call) - 4
    return [(call + length.to_bytes(4, "big"), 1), (b"x", length)]


READY = {"type": "ready", "id": ID}
BYE = {"type": "bye", "id": 3}
