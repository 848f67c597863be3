"""Moves of the games that engines of UCI, USI and UCCI play: as on the wire and as engines write.

Where `needs_board`, a move is translated by the position before it, so a plan of moves cannot be.
"""

from __future__ import annotations

import re

from arena_bot import Fields
from arena_bridge import LineError

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


class Chess:
    """Moves of chess."""

    needs_board = False

    _text = re.compile(r"([a-h][1-8])([a-h][1-8])([a-z]?)")

    def position(self, init: Fields) -> str:
        """Return the start of the `position` command."""
        fen = init["view"]["start"]
        return "startpos" if fen == START else f"fen {fen}"

    def to_text(self, move: Fields) -> str:
        """Return a move of the wire as the engine writes it."""
        return f"{move['from']}{move['to']}{move['promote']}"

    def to_wire(self, text: str) -> Fields | None:
        """Return a move of the engine as on the wire, None if it is no move."""
        found = self._text.fullmatch(text)
        return dict(zip(("from", "to", "promote"), found.groups(), strict=True)) if found else None


class Shogi:
    """Moves of OpenSpiel's shogi, whose text is that of USI."""

    needs_board = False

    _text = re.compile(r"[1-9][a-i][1-9][a-i]\+?|[PLNSGBR]\*[1-9][a-i]")

    def position(self, init: Fields) -> str:
        """Return the start of the `position` command."""
        del init
        return "startpos"

    def to_text(self, move: Fields) -> str:
        """Return a move of the wire as the engine writes it."""
        return str(move["text"])

    def to_wire(self, text: str) -> Fields | None:
        """Return a move of the engine as on the wire, None if it is no move."""
        return {"text": text} if self._text.fullmatch(text) else None


class Xiangqi:
    """Moves of OpenSpiel's xiangqi, like S(6,0)-(5,0): the piece, and rows from the top."""

    needs_board = True

    _text = re.compile(r"([a-i])([0-9])([a-i])([0-9])")
    _wire = re.compile(r"[A-Za-z]\(([0-9]),([0-8])\)-\(([0-9]),([0-8])\)")

    def position(self, init: Fields) -> str:
        """Return the start of the `position` command, and set up the board."""
        del init
        rows = ("rheagaehr", "", ".c.....c.", "s.s.s.s.s", "")
        half = [row.ljust(9, ".") for row in rows]
        lines = [*half, *(row.upper() for row in reversed(half))]
        self._board = [list(line) for line in lines]
        return "fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"

    def to_text(self, move: Fields) -> str:
        """Return a move of the wire as the engine writes it, and make it on the board."""
        found = self._wire.fullmatch(str(move["text"]))
        if not found:
            raise LineError(f"no move of xiangqi: {move['text']}")
        row, column, to_row, to_column = map(int, found.groups())
        self._board[to_row][to_column] = self._board[row][column]
        self._board[row][column] = "."
        return f"{'abcdefghi'[column]}{9 - row}{'abcdefghi'[to_column]}{9 - to_row}"

    def to_wire(self, text: str) -> Fields | None:
        """Return a move of the engine as on the wire, None if it is no move."""
        found = self._text.fullmatch(text)
        if not found:
            return None
        column, row, to_column, to_row = found.groups()
        start, target = (9 - int(row), ord(column) - 97), (9 - int(to_row), ord(to_column) - 97)
        piece = self._board[start[0]][start[1]]
        return {"text": f"{piece}({start[0]},{start[1]})-({target[0]},{target[1]})"}


class Breakthrough:
    """Moves of OpenSpiel's Breakthrough, like a7b6*: a capture has a star, Black begins at the top.

    An engine's White begins at the bottom, so the ranks are mirrored.
    """

    needs_board = True

    _text = re.compile(r"([a-h])([1-8])([a-h])([1-8])")

    def position(self, init: Fields) -> str:
        """Return the start of the `position` command, and set up the board."""
        options = init["options"]
        if (options.get("rows", 8), options.get("columns", 8)) != (8, 8):
            raise LineError("engines play Breakthrough on 8 x 8 squares only")
        self._men = {f"{column}{row}" for column in "abcdefgh" for row in "1278"}
        return "startpos"

    def to_text(self, move: Fields) -> str:
        """Return a move of the wire as the engine writes it, and make it on the board."""
        start, target = str(move["text"])[:2], str(move["text"])[2:4]
        self._men -= {start}
        self._men |= {target}
        return _mirrored(start) + _mirrored(target)

    def to_wire(self, text: str) -> Fields | None:
        """Return a move of the engine as on the wire, None if it is no move."""
        if not self._text.fullmatch(text):
            return None
        start, target = _mirrored(text[:2]), _mirrored(text[2:])
        return {"text": f"{start}{target}{'*' if target in self._men else ''}"}


def _mirrored(square: str) -> str:
    return f"{square[0]}{9 - int(square[1])}"


Game = Chess | Shogi | Xiangqi | Breakthrough
GAMES: dict[str, type[Game]] = {
    "chess": Chess,
    "open_spiel/shogi": Shogi,
    "open_spiel/xiangqi": Xiangqi,
    "open_spiel/breakthrough": Breakthrough,
}
