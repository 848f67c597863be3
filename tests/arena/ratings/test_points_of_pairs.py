"""The points in pairs of matches, from matches without a database."""

from collections.abc import Iterator, Sequence

import pytest

from arena.ratings.pairs import PairBins, bins_text, elo_of, pairs_text, points_of
from arena.results.store import EventRow, MatchRow
from referee.records.result import SeatRow


def seat(player: str, place: int) -> SeatRow:
    return SeatRow(player, 0, place, "0", None, 0, 0, 0, 0)


def match(board: int, *seats: SeatRow) -> MatchRow:
    return MatchRow(1, 1, f"{board}", board, "", "normal", "", 9, "", seats)


def pair(board: int, points: float) -> Iterator[MatchRow]:
    """Yield two matches in which ann gets the points, the first one's half if they are 1."""
    places = {0.0: (2, 1), 0.5: (1, 1), 1.0: (1, 2)}
    for number, own in enumerate(
        (points / 2, points / 2) if points % 1 == 0 else (0.5, points - 0.5)
    ):
        mine, other = places[own]
        seats = [seat("ann", mine), seat("bob", other)]
        yield match(board, *(seats if number == 0 else seats[::-1]))


class Results:
    """Matches as a store has them, which counts how often they are read."""

    def __init__(self, matches: Sequence[MatchRow]) -> None:
        self._matches = matches
        self.times = 0

    def matches(self, event: int) -> Sequence[MatchRow]:
        assert event == 7
        self.times += 1
        return self._matches


def event(*names: str, kind: str = "", **config: object) -> EventRow:
    return EventRow(7, "e", 1, {"format": "round_robin", **config}, "", dict.fromkeys(names, kind))


def said(row: EventRow, results: Results) -> str:
    return pairs_text(results, row)  # type: ignore[arg-type]  # one method of a store


def ten_pairs() -> Results:
    return Results([each for board in range(10) for each in pair(board, board % 5 / 2)])


@pytest.mark.parametrize(
    ("bins", "elo", "error"), [((0, 0, 0, 0, 0), 0, 481.52), ((1, 0, 0, 0, 3), 147.19, 311.88)]
)
def test_the_elo_of_pairs_by_hand(bins: tuple[int, ...], elo: float, error: float) -> None:
    """A fifth of a pair in each bin more: means 0.5 and 0.7, sums of squares 0.125 and 0.925."""
    assert elo_of(bins) == pytest.approx((elo, error), abs=0.01)


@pytest.mark.parametrize(("mine", "other", "points"), [(1, 2, 1), (2, 1, 0), (1, 1, 0.5)])
def test_the_points_of_a_match_of_two(mine: int, other: int, points: float) -> None:
    for seats in ([seat("ann", mine), seat("bob", other)], [seat("bob", other), seat("ann", mine)]):
        assert points_of("ann", seats) == points
        assert points_of("bob", seats) == 1 - points


def test_bins_are_named_by_the_points_of_a_pair() -> None:
    assert bins_text([5, 4, 3, 2, 1]) == "points of 2: 0: 5, ½: 4, 1: 3, 1½: 2, 2: 1"


def test_ten_pairs_are_said_and_nine_are_not() -> None:
    ten = ten_pairs()
    nine = Results(list(ten.matches(7))[:-1])

    assert said(event("ann", "bob"), ten) == (
        "ann in 10 pairs (points of 2: 0: 2, ½: 2, 1: 2, 1½: 2, 2: 2).\n"
        "A pair is two matches on one board with the seats swapped."
    )
    assert said(event("ann", "bob"), nine) == ""


@pytest.mark.parametrize(
    "row",
    [
        event("ann"),
        event("ann", "bob", "cho"),
        event("ann", "bob", format="gate"),
        event("ann", "bob", kind="person"),
        event("ann", "bob", boards=9),
    ],
    ids=["one player", "three players", "gate", "people", "few boards"],
)
def test_an_event_without_pairs_is_not_read(row: EventRow) -> None:
    results = ten_pairs()

    assert said(row, results) == ""
    assert results.times == 0


@pytest.mark.parametrize(
    "row", [event("ann", "bob", boards=10), event("ann", "bob", format="ladder", boards=1)]
)
def test_a_ladder_has_more_boards_than_its_config_says(row: EventRow) -> None:
    assert said(row, ten_pairs()).startswith("ann in 10 pairs")


def bins_of(*matches: MatchRow) -> tuple[int, ...]:
    pairs = PairBins("ann")
    for each in matches:
        pairs.add(each)
    return pairs.bins


def test_a_third_match_on_a_board_leaves_no_pairs() -> None:
    first, second = pair(3, 2)

    assert bins_of(first, second) == (0, 0, 0, 0, 1)
    assert bins_of(first, second, *pair(4, 0)) == (1, 0, 0, 0, 1)
    assert bins_of(first, second, first) == (0, 0, 0, 0, 0)
    assert bins_of(first, second, first, *pair(4, 0)) == (0, 0, 0, 0, 0)


def test_two_matches_with_the_same_first_seat_are_no_pair() -> None:
    first, second = pair(3, 1)

    assert bins_of(first, first, *pair(4, 0)) == (0, 0, 0, 0, 0)
    assert bins_of(second, second) == (0, 0, 0, 0, 0)


def test_matches_of_three_and_unplayed_ones_are_not_counted() -> None:
    first, second = pair(3, 2)
    three = match(3, *first.seats, seat("cho", 3))
    unplayed = first._replace(seats=(first.seats[0], first.seats[1]._replace(is_unplayed=True)))

    assert bins_of(three, unplayed, first, second) == (0, 0, 0, 0, 1)
