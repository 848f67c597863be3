"""Seeds: every bit of chance comes from the tournament's one printed seed.

Each is derived one-way: who knows one learns nothing of the one it comes from, nor of its
neighbours, as long as the first cannot be found by trying all that are likely.
"""

import hashlib
import json

SEED_BITS = 128
"""Of an event's seed when it is drawn, and of every seed between it and what a bot receives."""
MAX_SEED = 2**SEED_BITS - 1
GUESSABLE_BITS = 64
"""A seed below this is found by trying them all: one like 1997 in a millisecond."""


def derive_seed(seed: int, *parts: str | int, bits: int = SEED_BITS) -> int:
    """Return the seed of a part of something seeded; the same everywhere and for ever.

    `parts` name the part, like ("board", 3). Related names give unrelated seeds.
    """
    key = seed.to_bytes(SEED_BITS // 8, "big")
    digest = hashlib.blake2b(json.dumps(parts).encode(), key=key, digest_size=SEED_BITS // 8)
    return int.from_bytes(digest.digest(), "big") >> (SEED_BITS - bits)


def is_guessable(seed: int) -> bool:
    """Whether a bot can find the seed from what it receives, and with it all that follows."""
    return seed.bit_length() <= GUESSABLE_BITS
