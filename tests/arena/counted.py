"""Results of two players as outcomes for ratings."""

from collections import Counter

from arena.results.standings import RatedMatch, RatedSeat


def sat(one: str, other: str, places: tuple[int, int], *board: int) -> RatedMatch:
    """Return a match of two; the places are by seat."""
    seats = zip((one, other), places, strict=True)
    return RatedMatch(
        tuple(RatedSeat(player, place, fault=False) for player, place in seats), board
    )


def results(wins: int, draws: int = 0, losses: int = 0) -> Counter[RatedMatch]:
    """Return matches of "a" against "b" on unknown boards, each result from both seats in turn."""
    outcomes: Counter[RatedMatch] = Counter()
    for times, places in ((wins, (1, 2)), (draws, (1, 1)), (losses, (2, 1))):
        for number in range(times):
            seated = ("a", "b", places) if number % 2 == 0 else ("b", "a", places[::-1])
            outcomes[sat(*seated)] += 1
    return outcomes
