"""Encounters of two players: their matches in order, and the points of the sum."""

from decimal import Decimal

import pytest
from outcomes import drawn, forfeited, sat, won

from arena.formats.encounters import EncounterResult, EncounterTerms, points_text, tally

PAIR = ("ann", "bob")


def firsts(terms: EncounterTerms, first_board: int = 0) -> list[str]:
    """Return the matches as their first mover, board and repeat, like "ann 0/0"."""
    return [
        f"{match.players[0]} {match.board}/{match.repeat}{match.variant}"
        for match in terms.encounter(PAIR, first_board)
    ]


def test_a_board_is_played_from_both_seats_before_the_next_one() -> None:
    terms = EncounterTerms(repeat=2, boards=2)

    assert firsts(terms, first_board=5) == ["ann 5/0", "bob 5/0", "bob 6/0", "ann 6/0"]
    assert terms.matches == 4
    assert terms.is_even


def test_every_repeat_is_played_in_every_variant() -> None:
    terms = EncounterTerms(repeat=4, boards=1, variants=("x", "y"))

    assert firsts(terms) == [
        *("ann 0/0x", "bob 0/0x", "bob 0/0y", "ann 0/0y"),
        *("ann 0/1x", "bob 0/1x", "bob 0/1y", "ann 0/1y"),
    ]
    assert terms.matches == 8


@pytest.mark.parametrize(
    ("terms", "is_even"),
    [
        (EncounterTerms(repeat=1), False),
        (EncounterTerms(repeat=1, boards=2), True),
        (EncounterTerms(repeat=1, boards=3), False),
        (EncounterTerms(repeat=3, boards=1, variants=("x", "y")), True),
        (EncounterTerms(repeat=3, boards=3), False),
    ],
)
def test_odd_repeats_even_out_over_boards_and_variants(
    terms: EncounterTerms, *, is_even: bool
) -> None:
    movers = [first.split()[0] for first in firsts(terms)]

    assert (movers.count("ann") == movers.count("bob")) is is_even
    assert terms.is_even is is_even
    assert len(movers) == terms.matches


def test_wins_draws_and_void_matches_give_half_points() -> None:
    terms = EncounterTerms(repeat=2, boards=2)
    matches = list(terms.encounter(PAIR))
    results = {
        matches[0].key: won(matches[0], "bob"),
        matches[1].key: drawn(matches[1]),
        matches[2].key: (),
        matches[3].key: won(matches[3], "bob"),
    }

    assert tally(PAIR, matches, results, terms) == EncounterResult(
        halves=(2, 6), scores=(Decimal("0.5"), Decimal("2.5"))
    )
    del results[matches[1].key]
    assert tally(PAIR, matches, results, terms) is None


def test_a_player_absent_from_every_match_is_a_no_show() -> None:
    terms = EncounterTerms(repeat=2)
    both = list(terms.encounter(PAIR))
    results = {match.key: forfeited(match, "bob") for match in both}
    once = {**results, both[1].key: won(both[1], "ann")}

    found, played = (tally(PAIR, both, each, terms) for each in (results, once))

    assert found is not None
    assert found.no_shows == (False, True)
    assert found.halves == (4, 0)
    assert played is not None
    assert played.no_shows == (False, False)


def test_faults_of_both_give_nobody_a_point() -> None:
    terms = EncounterTerms(repeat=1)
    (match,) = terms.encounter(PAIR)
    seats = [sat("ann", 1, fault="crash"), sat("bob", 1, fault="timeout")]

    found = tally(PAIR, [match], {match.key: seats}, terms)

    assert found is not None
    assert found.halves == (0, 0)


@pytest.mark.parametrize(("is_lost", "halves"), [(False, (1, 1)), (True, (0, 0))])
def test_a_draw_without_points_is_lost_by_both_where_the_game_says_so(
    halves: tuple[int, int], *, is_lost: bool
) -> None:
    terms = EncounterTerms(repeat=1, is_pointless_draw_lost=is_lost)
    (match,) = terms.encounter(PAIR)

    found = tally(PAIR, [match], {match.key: drawn(match)}, terms)
    with_points = [seat._replace(points=1) for seat in drawn(match)]
    other = tally(PAIR, [match], {match.key: with_points}, terms)

    assert found is not None
    assert found.halves == halves
    assert other is not None
    assert other.halves == (1, 1)


@pytest.mark.parametrize(("halves", "text"), [(0, "0"), (1, "0.5"), (2, "1"), (7, "3.5")])
def test_half_points_are_written_as_points(halves: int, text: str) -> None:
    assert points_text(halves) == text
