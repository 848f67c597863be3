"""Which matches are worth a look."""

from arena.ratings.notable import notable_matches
from arena.results.store import MatchRow
from referee.records.result import SeatRow


def match_of(number: int, plies: int, margin: int = 1) -> MatchRow:
    """Return a match that ann has won."""
    seats = tuple(
        SeatRow(name, 0, place, str(score), None, 0, 0, 0, 0)
        for name, place, score in (("ann", 1, margin), ("bob", 2, 0))
    )
    return MatchRow(number, 1, "", 0, "", "normal", "", plies, "", seats)


def numbers_of(matches: list[MatchRow]) -> dict[str, list[int]]:
    return {
        title: [match.id for match, _ in noted] for title, noted in notable_matches(matches, [])
    }


def test_no_match_is_both_short_and_long() -> None:
    matches = [match_of(number, plies=10 * number) for number in range(1, 6)]

    assert numbers_of(matches) == {"shortest": [1, 2], "longest": [5, 4]}


def test_many_matches_have_five_of_each_kind() -> None:
    matches = [match_of(number, plies=number, margin=100 - number) for number in range(1, 41)]

    assert numbers_of(matches) == {
        "shortest": [1, 2, 3, 4, 5],
        "longest": [40, 39, 38, 37, 36],
        "narrowest": [40, 39, 38, 37, 36],
    }


def test_nothing_is_notable_where_all_matches_are_alike() -> None:
    assert numbers_of([match_of(number, plies=30) for number in range(1, 21)]) == {}
    assert numbers_of([match_of(1, plies=30)]) == {}
    assert numbers_of([]) == {}
