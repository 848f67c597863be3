"""Lines between a learner and the process of its bots; nearly all have been sent before."""

import json
from typing import Any, Final

from pydantic_core import to_json

from referee.catalog import AnyGame
from referee.move_codec import codec_of

RESIGNS: Final = b'{"type":"play","resign":true}\n'
"""The reply of a learner that leaves the match."""
MAX_KNOWN: Final = 1 << 12
"""Moves kept to be used again, with their lines; a full store is emptied."""


class MoveLines:
    """Moves of a game and their lines, each encoded or read once."""

    def __init__(self, game: AnyGame) -> None:
        self._codec = codec_of(game)
        self._lines: dict[Any, bytes] = {}
        self._moves: dict[bytes, Any] = {}

    def line(self, move: Any) -> bytes:
        """Return the learner's reply with a move."""
        if (line := self._lines.get(move)) is None:
            if len(self._lines) >= MAX_KNOWN:
                self._lines.clear()
            line = b'{"type":"play","move":%s}\n' % to_json(self._codec.wire_move(move))
            self._lines[move] = line
        return line

    def move(self, line: bytes) -> Any:
        """Return the move of a bot in a line; None if it has none."""
        if (move := self._moves.get(line)) is None:
            message = json.loads(line)
            if "move" not in message:
                return None
            if len(self._moves) >= MAX_KNOWN:
                self._moves.clear()
            move = self._moves[line] = self._codec.read_move(message["move"])
        return move
