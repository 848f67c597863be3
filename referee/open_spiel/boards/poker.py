"""Kuhn and Leduc poker: a row for each seat with its card and its chips.

A seat's picture is made of its own observation alone, so that it never shows another seat's card.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final

from protocol.vocabulary import Seat
from referee.open_spiel.boards.board import Board
from referee.rules.layout import Layout, Piece, Place

RANKS: Final = "789TJQK"
"""The cards of seven ranks; with fewer the highest of them."""
NAMES: Final = {"7": "seven", "8": "eight", "9": "nine", "T": "ten"} | {
    "J": "jack",
    "Q": "queen",
    "K": "king",
}
SUITS: Final = {"♠": "of spades", "♥": "of hearts"}
HIDDEN: Final = Piece(shape="card", name="hidden card")
NO_CARD: Final = -10000
"""OpenSpiel's number of a card that was not dealt yet."""
GAP: Final = 1.25
"""Distance of neighbouring places, in cells."""


class _Poker(Board):
    """A table with two places for each seat: its card, then its chips."""

    extra_names: tuple[str, ...] = ()
    """Names of the places after those of the seats."""

    def __init__(self, spiel_game: Any) -> None:
        self._seats = int(spiel_game.num_players())

    def layout(self) -> Layout:
        """Return a row of places for each seat, and the other ones beside them."""
        middle = (self._seats - 1) / 2 * GAP
        rows = ((0.0, seat * GAP) for seat in range(self._seats))
        spots = chain.from_iterable(((x, y), (x + GAP, y)) for x, y in rows)
        beside = ((2.5 * GAP, middle) for _ in self.extra_names)
        names = ((f"card of seat {seat}", f"chips of seat {seat}") for seat in range(self._seats))
        return Layout(
            kind="cards",
            spots=(*spots, *beside),
            names=(*chain.from_iterable(names), *self.extra_names),
        )

    def _seated(
        self, cards: Mapping[Seat, Piece], dealt: int, chips: Sequence[int]
    ) -> dict[Place, Piece]:
        """Return cards and chips; the unknown cards of the first `dealt` seats are hidden."""
        shown: dict[Place, Piece] = {}
        for seat in range(self._seats):
            if seat in cards or seat < dealt:
                shown[2 * seat] = cards.get(seat, HIDDEN)
            if seat < len(chips):
                count = str(chips[seat])
                shown[2 * seat + 1] = Piece(seat, text=count, name=f"{count} in the pot")
        return shown

    def _rank(self, number: int) -> str:
        """Return the letter of a rank from 0."""
        return RANKS[number - self._seats - 1]


class Kuhn(_Poker):
    """Kuhn poker: one card for each seat, chips of 1 and 2."""

    def pieces(self, inner: Any, seat: Seat | None) -> dict[Place, Piece]:
        """Return the cards known to a seat, all for a spectator, and the chips."""
        dealt = min(len(inner.history()), self._seats)
        watched = range(dealt) if seat is None else (seat,) if seat < dealt else ()
        cards = {each: self._card(inner.observation_string(each)[0]) for each in watched}
        return self._seated(cards, dealt, self._chips(inner))

    def caption(self, inner: Any, seat: Seat | None) -> str:
        """Return the pot."""
        return f"pot {sum(self._chips(inner))}"

    def _chips(self, inner: Any) -> list[int]:
        """Return the chips of each seat; OpenSpiel writes one digit for each after the card."""
        return list(map(int, inner.observation_string(0)[1:])) or [1] * self._seats

    def _card(self, number: str) -> Piece:
        rank = self._rank(int(number))
        return Piece(shape="card", text=rank, name=NAMES[rank])


class Leduc(_Poker):
    """Leduc poker: two cards of each rank, and one card for all after the first round."""

    extra_names = ("public card",)

    def __init__(self, spiel_game: Any) -> None:
        super().__init__(spiel_game)
        self._has_suits = not spiel_game.get_parameters().get("suit_isomorphism", False)

    def pieces(self, inner: Any, seat: Seat | None) -> dict[Place, Piece]:
        """Return the cards known to a seat, all for a spectator, and the chips."""
        dealt = min(len(inner.history()), self._seats)
        watched = range(self._seats) if seat is None else (seat,)
        seen = {each: _facts(inner, each) for each in watched}
        private = {each: facts["Private"][0] for each, facts in seen.items()}
        known = {each: self._card(card) for each, card in private.items() if card != NO_CARD}
        facts = seen[watched[0]]
        shown = self._seated(known, dealt, facts["Ante"])
        if "Public" in facts:
            shown[2 * self._seats] = self._card(facts["Public"][0])
        return shown

    def caption(self, inner: Any, seat: Seat | None) -> str:
        """Return the pot."""
        return f"pot {sum(_facts(inner, 0)['Ante'])}"

    def _card(self, number: int) -> Piece:
        if not self._has_suits:
            rank = self._rank(number)
            return Piece(shape="card", text=rank, name=NAMES[rank])
        rank, suit = self._rank(number // 2), tuple(SUITS)[number % 2]
        color = number % 2  # hearts are red
        return Piece(None, "card", color, f"{rank}{suit}", f"{NAMES[rank]} {SUITS[suit]}")


def _facts(inner: Any, seat: Seat) -> dict[str, list[int]]:
    """Return the numbers of a seat's observation, like [Private: 3] and [Ante: 1 3]."""
    found = _FACT.findall(inner.observation_string(seat))
    return {name: list(map(int, numbers.split())) for name, numbers in found}


_FACT: Final = re.compile(r"\[(\w+): ([-\d ]+)\]")
