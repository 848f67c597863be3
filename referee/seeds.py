"""Seeds: all random choices come from the event's one seed.

Each seed is derived one-way. A seed reveals nothing of its parent or siblings, unless the parent is
among values few enough to be tried.
"""

import hashlib
import json
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING, Any

from referee.errors import BrokenMatchError

if TYPE_CHECKING:
    from referee.rules import Game

SEED_BITS = 128
"""Bits of a random event seed, and of every seed down to a bot's."""
MAX_SEED = 2**SEED_BITS - 1
GUESSABLE_BITS = 64
"""Bits of a seed found by trying all values; one like 1997 takes a millisecond."""

MAX_DRAWS = 10_000
"""Draws in a row after which a game is broken: nobody could move any more."""


def derive_seed(seed: int, *parts: str | int, bits: int = SEED_BITS) -> int:
    """Return the seed of a part, named like ("board", 3); related names give unrelated seeds."""
    key = seed.to_bytes(SEED_BITS // 8, "big")
    digest = hashlib.blake2b(json.dumps(parts).encode(), key=key, digest_size=SEED_BITS // 8)
    return int.from_bytes(digest.digest(), "big") >> (SEED_BITS - bits)


def draw_stream(seed: int, ply: int) -> Random:
    """Return the random numbers for the draw at a ply of a match, given the match's seed."""
    return Random(derive_seed(seed, "draw", ply))  # noqa: S311 - seeded one-way, one for each draw


def due_draws(game: "Game[Any, Any]", state: Any, seed: int, ply: int) -> Iterator[tuple[Any, Any]]:
    """Yield each draw due at a ply and the next position; raises BrokenMatchError if endless."""
    last = ply + MAX_DRAWS
    while game.has_chance and game.outcome(state) is None:
        draw = game.draw(state, draw_stream(seed, ply))
        if draw is None:
            return
        if ply == last:
            raise BrokenMatchError(f"{game.name} draws without end: {MAX_DRAWS} draws in a row")
        state = game.apply(state, draw)
        ply += 1
        yield draw, state


def is_guessable(seed: int) -> bool:
    """Whether a bot can find the event's seed, and all later ones, from its own seed."""
    return seed.bit_length() <= GUESSABLE_BITS
