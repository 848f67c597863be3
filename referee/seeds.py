"""Seeds: every bit of chance comes from the tournament's one printed seed."""

import hashlib


def derive_seed(seed: int, *parts: str | int, bits: int = 64) -> int:
    """Return the seed of a part of something seeded; the same everywhere and for ever.

    `parts` name the part, like ("board", 3). Related names give unrelated seeds.
    """
    text = "\0".join([str(seed), *(f"{type(part).__name__}:{part}" for part in parts)])
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - bits)
