"""The moves of a match as each seat learns them: the lists `history` and `opponent_moves`.

An entry is a move `{"seat": 0, "move": {...}}` or a draw `{"chance": true, "move": {...}}`. The
entry of a move hidden from a seat has no `move`, or one with a part of its fields.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from protocol.codec import list_header, packed, packed_list
from protocol.messages import MAX_SEATS, Fields
from protocol.vocabulary import Seat
from referee.move_codec import MoveForms
from referee.rules import Game

_SEATS = [packed({"seat": seat, "move": 0})[:-1] for seat in range(MAX_SEATS)]
"""The beginning of an encoded move of each seat, before the move itself."""
_ONE_ENTRY = list_header(1)
_CHANCE = packed({"chance": True, "move": 0})[:-1]
"""The beginning of an encoded draw, before the draw itself."""


class Played(NamedTuple):
    """A move or draw, with the positions before and after."""

    before: Any
    move: Any
    after: Any


class History:
    """The moves of a match, each known to every seat at once."""

    def __init__(self) -> None:
        """Begin without a move."""
        self.played: list[Fields] = []
        """Every move and draw so far, in full."""
        self._packed: list[bytes] = []
        """The same, encoded."""
        self._told: dict[Seat, int] = {}
        """Number of the entries so far that each seat has received or made, after its `init`."""

    def add(self, seat: Seat | None, forms: MoveForms, before: Any, move: Any, after: Any) -> None:
        """Add a move of a seat, or a draw (None), between two positions."""
        if seat is None:
            self.played.append({"chance": True, "move": forms.wire})
            self._packed.append(_CHANCE + forms.packed)
        else:
            if self._told.get(seat) == len(self._packed):
                self._told[seat] += 1  # its own move, right after its call
            self.played.append({"seat": seat, "move": forms.wire})
            self._packed.append(_SEATS[seat] + forms.packed)

    def whole(self, seat: Seat, state: Any) -> list[Fields]:
        """Return all entries so far, for `init`; the seat's own included."""
        self._told[seat] = len(self.played)
        return self.played

    def new_entries(self, seat: Seat, state: Any) -> list[Fields]:
        """Return the others' entries since this seat's last call."""
        told, self._told[seat] = self._told[seat], len(self.played)
        return self.played[told:]

    def packed_entries(self, seat: Seat, state: Any) -> bytes:
        """Return `new_entries` as an encoded list."""
        entries, told = self._packed, self._told[seat]
        self._told[seat] = count = len(entries)
        if count - told == 1:
            return _ONE_ENTRY + entries[-1]  # as at nearly every call in a game of two
        return packed_list(entries[told:])

    def last_entries(self, seat: Seat) -> list[Fields]:
        """Return the entries of the others since this seat's last call, for `term`."""
        new = self._visible(seat)[self._told[seat] :]
        return [entry for entry in new if entry.get("seat") != seat]

    def _visible(self, seat: Seat) -> list[Fields]:
        """Return the entries so far as a seat may see them."""
        return self.played


class HiddenHistory(History):
    """The moves of a match where the game decides how much a seat learns of them, and when."""

    def __init__(self, game: Game[Any, Any], seats: Iterable[Seat]) -> None:
        """Begin without a move; `seats` have a player."""
        super().__init__()
        self._game = game
        self._seen: dict[Seat, list[Fields]] = {seat: [] for seat in seats}
        """The entries as each seat may see them."""
        self._round = 0
        """Number of entries before the last round."""

    def add(self, seat: Seat | None, forms: MoveForms, before: Any, move: Any, after: Any) -> None:
        """Add a move of a seat, or a draw (None), between two positions."""
        if not self._game.is_round_open(before):
            self._round = len(self.played)
        super().add(seat, forms, before, move, after)
        entry, played = self.played[-1], Played(before, move, after)
        for reader, entries in self._seen.items():
            entries.append(
                entry if reader == seat else seen_entry(self._game, entry, played, reader)
            )

    def whole(self, seat: Seat, state: Any) -> list[Fields]:
        """Return all entries so far, for `init`; of an open round only the seat's own."""
        closed = self._told[seat] = self._closed(state)
        entries = self._seen[seat]
        return [*entries[:closed], *(own for own in entries[closed:] if own.get("seat") == seat)]

    def new_entries(self, seat: Seat, state: Any) -> list[Fields]:
        """Return the others' entries since this seat's last call."""
        told, closed = self._told[seat], self._closed(state)
        self._told[seat] = closed
        new = self._seen[seat][told:closed]
        return [entry for entry in new if entry.get("seat") != seat]

    def packed_entries(self, seat: Seat, state: Any) -> bytes:
        """Return `new_entries` as an encoded list."""
        return packed(self.new_entries(seat, state))

    def _visible(self, seat: Seat) -> list[Fields]:
        """Return the entries so far as a seat may see them."""
        return self._seen[seat]

    def _closed(self, state: Any) -> int:
        """Return the number of entries outside of an open round."""
        return self._round if self._game.is_round_open(state) else len(self.played)


def history_of(game: Game[Any, Any], seats: Iterable[Seat]) -> History:
    """Return the history of a new match for the seats with a player."""
    return HiddenHistory(game, seats) if game.has_hidden_information else History()


def seen_entry(
    game: Game[Any, Any], entry: Mapping[str, Any], played: Played, seat: Seat
) -> Fields:
    """Return the entry of another's move or of a draw as a seat may see it."""
    rest = {name: value for name, value in entry.items() if name != "move"}
    part = game.seen(*played, seat)
    return {**rest, "move": part} if part else rest
