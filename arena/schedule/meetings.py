"""Number of Swiss rounds, and the first meetings of a ladder."""

from math import ceil, log2

from arena.schedule.seating import rounds


def usual_rounds(players: int) -> int:
    """Return the rounds for one winner and one more, at most half of those of a round robin."""
    return min(ceil(log2(players)) + 1, (players + 1) // 2)


def most_rounds(players: int) -> int:
    """Return the maximum number of Swiss rounds without a second meeting or a second bye."""
    return players - 1 + players % 2


def first_meetings(players: int) -> list[tuple[int, ...]]:
    """Return enough rounds of a round robin to connect all players, directly or through others."""
    number = max(2, (players - 1).bit_length())
    return rounds(players)[: number * (players // 2)]
