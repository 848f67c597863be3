"""How many rounds a Swiss tournament has, and with which meetings a ladder begins."""

from math import ceil, log2

from arena.schedule.seating import rounds


def usual_rounds(players: int) -> int:
    """Return how many Swiss rounds there are by default: enough for one winner, and one more.

    But no more than half of what a round robin has: so many can be paired whatever the results.
    """
    return min(ceil(log2(players)) + 1, (players + 1) // 2)


def most_rounds(players: int) -> int:
    """Return how many Swiss rounds there can be without a second meeting or a second bye."""
    return players - 1 + players % 2


def first_meetings(players: int) -> list[tuple[int, ...]]:
    """Return so many rounds of a round robin that players are joined, directly or by others."""
    number = max(2, (players - 1).bit_length())
    return rounds(players)[: number * (players // 2)]
