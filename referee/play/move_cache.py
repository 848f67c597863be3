"""What is encoded and read once for all matches of a game; `MoveCalls` does without.

A whole event of instant C bots takes 20 % more CPU time without the cache of replies, 13 % more
without that of sections, and another 68 % without that of moves too
(`docs/decisions/speed-ups-that-stay.md`).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import compress
from typing import Any

from protocol.codec import decode, list_header, packed
from protocol.errors import WireError
from protocol.messages import parse
from referee.move_codec import MoveCodec, MoveReply, codec_of
from referee.rules import Game

MAX_PACKED = 1 << 14
"""Moves in the cache of packed moves; a full cache is emptied."""
SECTION = 32
"""Moves in a section of a packed list of legal moves."""
MAX_SECTION = 1 << 9
"""Cached forms of a section; a full cache is emptied."""
MAX_REPLIES = 1 << 12
"""Replies in the cache of replies; a full cache is emptied."""
CACHED_REPLY_BYTES = 128
"""Length in bytes of a reply to be cached, at most: enough for a move and its claims."""

_PLAY_HEAD = packed("type") + packed("play") + packed("id")


@lru_cache(maxsize=8)
def cache_of(game: Game[Any, Any]) -> "MoveCache":
    """Return the cache of a game, the same one in each of its matches."""
    return MoveCache(codec_of(game))


class _Section(dict[bytes, bytes]):
    """Some moves of a game next to each other: the legal ones, packed, by their flags."""

    def __init__(self, moves: Sequence[bytes]) -> None:
        super().__init__()
        self._moves = moves

    def __missing__(self, flags: bytes) -> bytes:
        if len(self) >= MAX_SECTION:
            self.clear()
        found = self[flags] = b"".join(compress(self._moves, flags))
        return found


class MoveCache:
    """Replies by their bytes, and moves in theirs."""

    def __init__(self, codec: MoveCodec) -> None:
        self._codec = codec
        self._packed: dict[int, bytes] = {}
        """Packed moves by the identity of the move, each of which is kept in `_moves`."""
        self._moves: list[Any] = []
        self._choices: Sequence[Any] = ()
        """Every move of the game, if there are few."""
        self._sections: list[tuple[slice, _Section]] = []
        """The same moves in sections, packed."""
        self._replies: dict[bytes, MoveReply] = {}
        """Replies read so far, by their bytes without the id."""

    def read(self, payload: bytes, number: int) -> MoveReply | None:
        """Return the content of a valid `play` reply with this id; None for anything else.

        The moves of a game are few and bots write them in one way, so nearly every reply has been
        read before, but for its id. All checks depend on the bytes alone.
        """
        head = _PLAY_HEAD + packed(number)
        if not payload.startswith(head, 1):
            return self._read(payload, number)
        key = payload.replace(head, b"", 1)
        reply = self._replies.get(key)
        if reply is None:
            reply = self._read(payload, number)
            if reply is not None and len(key) <= CACHED_REPLY_BYTES:
                if len(self._replies) >= MAX_REPLIES:
                    self._replies.clear()
                self._replies[key] = reply
        return reply

    def _read(self, payload: bytes, number: int) -> MoveReply | None:
        try:
            fields = decode(payload)
            if fields.get("id") != number or type(fields["id"]) is not int:
                return None
            return self._codec.to_reply(parse(self._codec.play_model, fields))
        except WireError:
            return None

    def packed_moves(self, moves: Iterable[Any]) -> list[bytes]:
        """Return the packed bytes of each move.

        The legal moves of a match are many and largely the same each turn. A game that keeps its
        moves has each of them packed once; looking one up by identity costs no hash of its fields.
        """
        known, moves = self._packed, tuple(moves)
        try:
            return [known[number] for number in map(id, moves)]
        except KeyError:
            if len(known) > MAX_PACKED:
                known.clear()
                self._moves.clear()
            new = [move for move in moves if id(move) not in known]
            self._moves += new
            known.update({id(move): packed(self._codec.wire_move(move)) for move in new})
            return [known[number] for number in map(id, moves)]

    def packed_choices(self, moves: Sequence[Any], flags: bytes) -> tuple[int, bytes]:
        """Return the number of moves with a flag of 1, and their packed list.

        `moves` are all of the game. A move changes the flags of few others, so the list is put
        together from sections, nearly all of which are as they were a ply ago.
        """
        if self._choices is not moves:
            self._choices = moves
            known = [packed(self._codec.wire_move(move)) for move in moves]
            cuts = [slice(first, first + SECTION) for first in range(0, len(moves), SECTION)]
            self._sections = [(cut, _Section(known[cut])) for cut in cuts]
        count = len(flags) - flags.count(0)
        parts = [section[flags[cut]] for cut, section in self._sections]
        return count, b"".join((list_header(count), *parts))
