"""ISAAC-64, the generator of random numbers of Bob Jenkins, which he gave to the public domain.

The keys of Polyglot's books are made of its first 781 numbers with a seed of zeros.
"""

from collections.abc import Iterator

_ALL = (1 << 64) - 1
_SIZE = 256
_GOLDEN = 0x9E3779B97F4A7C13
_SHIFTS = (-9, 9, -23, 15, -14, 20, -17, 14)
"""Shift of each step of the mixing; to the right if it is negative."""


def isaac64() -> Iterator[int]:
    """Yield the numbers of 64 bits of the generator with a seed of zeros."""
    memory = _first_memory()
    a = b = count = 0
    while True:
        count += 1
        b = (b + count) & _ALL
        found = []
        for place in range(_SIZE):
            x = memory[place]
            a = (_stirred(a, place % 4) + memory[(place + _SIZE // 2) % _SIZE]) & _ALL
            y = memory[place] = (memory[x >> 3 & 255] + a + b) & _ALL
            b = (memory[y >> 11 & 255] + x) & _ALL
            found.append(b)
        yield from reversed(found)


def _stirred(a: int, step: int) -> int:
    if step == 0:
        return ~(a ^ a << 21) & _ALL
    if step == 2:
        return (a ^ a << 12) & _ALL
    return a ^ a >> (5 if step == 1 else 33)


def _first_memory() -> list[int]:
    words = [_GOLDEN] * 8
    for _ in range(4):
        words = _mixed(words)
    memory = [0] * _SIZE
    for _ in range(2):
        for place in range(0, _SIZE, 8):
            given = memory[place : place + 8]
            words = _mixed([(word + more) & _ALL for word, more in zip(words, given, strict=True)])
            memory[place : place + 8] = words
    return memory


def _mixed(words: list[int]) -> list[int]:
    """Return eight words, each mixed with three others in turn."""
    w = list(words)
    for step, shift in enumerate(_SHIFTS):
        one, four, five, seven = step, (step + 4) % 8, (step + 5) % 8, (step + 7) % 8
        w[one] = (w[one] - w[four]) & _ALL
        w[five] ^= w[seven] >> -shift if shift < 0 else w[seven] << shift & _ALL
        w[seven] = (w[seven] + w[one]) & _ALL
    return w
