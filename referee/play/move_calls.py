"""Calls for a move: their fields, and how a reply is read.

`MoveCalls` is the plain way: a map of fields, and a reply read by its model like any other. Matches
use `FastMoveCalls`, which sends the same bytes and reads the same replies with the help of caches.
`tests/games/test_both_ways.py` plays every game in both ways and compares them.
"""

from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any

from protocol.codec import PackedFields, packed, packed_list
from protocol.messages import LEGAL_LIMIT_BYTES, Play
from protocol.vocabulary import Seat
from referee.move_codec import MoveReply, codec_of
from referee.play.history import History
from referee.play.move_cache import cache_of
from referee.rules import Game
from referee.seats.clock import Budget
from referee.seats.seat import OpenCall

LEGAL_LIMIT = LEGAL_LIMIT_BYTES // 8
"""Limit of listed legal moves; the encoding of more would be too long anyway."""

_PLY, _OPPONENT_MOVES = packed("ply"), packed("opponent_moves")
_LEFT_MS, _CLOCKS = packed("left_ms"), packed("clocks")
_VIEW, _LEGAL = packed("view"), packed("legal")
_LEGAL_OMITTED = packed("legal_omitted"), packed(True)  # noqa: FBT003 - a value of a message


class MoveCalls:
    """The calls for a move in one match."""

    def __init__(
        self, game: Game[Any, Any], history: History, budgets: Mapping[Seat, Budget]
    ) -> None:
        """Begin a match; `budgets` are those of all seats, which change with each move."""
        self._game, self._budgets = game, budgets
        self._has_open_clocks = not game.has_hidden_information
        self._history = history
        self._codec = codec_of(game)

    def open(self, seat: Seat, state: Any, wants: Collection[str]) -> OpenCall[Any]:
        """Return the call for the next move of a seat; it takes the entries new to the seat."""
        budget = self._budgets[seat]
        fields: dict[str, Any] = {
            "ply": len(self._history.played),
            "opponent_moves": self._history.new_entries(seat, state),
        }
        if budget.left_ms is not None:
            fields["left_ms"] = budget.left_ms
        if "clocks" in wants and (clocks := self._clocks()):
            fields["clocks"] = clocks
        if "view" in wants:
            fields["view"] = self._game.view(state, seat)
        if "legal" in wants:
            fields |= self._legal(state)
        return OpenCall(
            name="move",
            fields=fields,
            model=self._codec.play_model,
            limit_ns=budget.move_limit_ns,
            state=state,
            played=self._history.played,
        )

    def reply(self, answer: Play[Any, Any]) -> MoveReply:
        """Return the content of an answer in the game's own types."""
        return self._codec.to_reply(answer)

    def _clocks(self) -> list[dict[str, int]]:
        """Return the clocks of all seats with a bank, unless their times could tell a secret."""
        if not self._has_open_clocks:
            return []
        return [
            {"seat": seat, "left_ms": budget.left_ms}
            | ({"increment_ms": budget.increment_ms} if budget.increment_ms else {})
            for seat, budget in self._budgets.items()
            if budget.left_ms is not None
        ]

    def _legal(self, state: Any) -> dict[str, Any]:
        legal = islice(self._game.legal(state), LEGAL_LIMIT + 1)
        moves = [self._codec.wire_move(move) for move in legal]
        if len(moves) > LEGAL_LIMIT or len(packed(moves)) > LEGAL_LIMIT_BYTES:
            return {"legal_omitted": True}
        return {"legal": moves}


class FastMoveCalls(MoveCalls):
    """The same calls, encoded from parts; nearly all replies are found by their bytes."""

    def __init__(
        self, game: Game[Any, Any], history: History, budgets: Mapping[Seat, Budget]
    ) -> None:
        super().__init__(game, history, budgets)
        self._cache = cache_of(game)
        self._fields = PackedFields(())
        # one object for all plies of a match, since making one takes as long as a move of Pente
        self._call: OpenCall[Any] = OpenCall(
            name="move",
            fields=self._fields,
            model=self._codec.play_model,
            read=self._cache.read,
            limit_ns=0,
            played=history.played,
        )

    def open(self, seat: Seat, state: Any, wants: Collection[str]) -> OpenCall[Any]:
        """Return the call for the next move of a seat, valid until the next one."""
        history, budget = self._history, self._budgets[seat]
        left_ms = budget.left_ms
        parts = [
            _PLY,
            packed(len(history.played)),
            _OPPONENT_MOVES,
            history.packed_entries(seat, state),
        ]
        if left_ms is not None:
            parts += _LEFT_MS, packed(left_ms)
        if "clocks" in wants and (clocks := self._clocks()):
            parts += _CLOCKS, packed(clocks)
        if "view" in wants:
            parts += _VIEW, packed(self._game.view(state, seat))
        if "legal" in wants:
            parts += self._packed_legal(state)
        self._fields.parts = parts
        call = self._call
        call.limit_ns, call.state = budget.move_limit_ns, state
        return call

    def reply(self, answer: Play[Any, Any] | MoveReply) -> MoveReply:
        """Return the content of an answer, which was perhaps read by its bytes."""
        return answer if isinstance(answer, MoveReply) else super().reply(answer)

    def _packed_legal(self, state: Any) -> tuple[bytes, bytes]:
        choices = self._game.choices(state)
        if choices is None:
            moves = self._cache.packed_moves(islice(self._game.legal(state), LEGAL_LIMIT + 1))
            count, encoded = len(moves), packed_list(moves)
        else:
            count, encoded = self._cache.packed_choices(*choices)
        if count > LEGAL_LIMIT or len(encoded) > LEGAL_LIMIT_BYTES:
            return _LEGAL_OMITTED
        return _LEGAL, encoded
