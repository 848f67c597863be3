"""Seats, turns and the order of play."""

from collections import Counter
from itertools import combinations, pairwise, permutations
from math import comb, factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.schedule.seating import Seating, rounds, spread, turn


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[int, ...]]:
    players, seats = draw(st.integers(6, 9)), draw(st.integers(2, 6))
    every = list(combinations(range(players), seats))
    return draw(st.lists(st.sampled_from(every), min_size=1, max_size=60))


@given(tables())
@settings(max_examples=60, deadline=None)
def test_any_tables_can_be_seated_with_counts_within_one(
    tables: list[tuple[int, ...]],
) -> None:
    orders = Seating(9, len(tables[0])).orders(tables)

    assert [tuple(sorted(order)) for order in orders] == tables
    for player in range(9):
        had = [sum(order[seat] == player for order in orders) for seat in range(len(tables[0]))]
        assert max(had) - min(had) <= 1


@given(tables(), st.integers(0, 60))
@settings(max_examples=30, deadline=None)
def test_tables_that_come_later_change_no_order(tables: list[tuple[int, ...]], cut: int) -> None:
    seats = len(tables[0])
    short, long = Seating(9, seats), Seating(9, seats)

    assert short.orders(tables[:cut]) == long.orders(tables[:cut])
    later = long.orders(tables[cut:])
    assert [tuple(sorted(order)) for order in later] == tables[cut:]
    for player in range(9):
        assert sum(long.seated[player]) == sum(player in table for table in tables)


def test_predecessors_even_out_too() -> None:
    tables = list(combinations(range(7), 3))

    orders = Seating(7, 3).orders(tables)

    steps = Counter(step for order in orders for step in pairwise((*order, order[0])))
    assert len(steps) == 7 * 6
    assert max(steps.values()) <= 4


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("shift", [0, 1, 7])
def test_repeated_tables_are_rotated_first_and_cover_all_orders_at_last(
    seats: int, shift: int
) -> None:
    turns = [turn(seats, number, shift) for number in range(factorial(seats))]

    assert set(turns) == set(permutations(range(seats)))
    for lap in range(0, len(turns), seats):
        for seat in range(seats):
            assert {order[seat] for order in turns[lap : lap + seats]} == set(range(seats))
    assert turn(seats, len(turns), shift) == turns[0]


@pytest.mark.parametrize("seats", [3, 5])
def test_a_few_circles_give_each_player_each_predecessor_equally_often(seats: int) -> None:
    circles = [turn(seats, lap * seats) for lap in range(seats - 1)]

    steps = Counter(step for circle in circles for step in pairwise((*circle, circle[0])))
    assert set(steps.values()) == {1}
    assert len(steps) == seats * (seats - 1)


@pytest.mark.parametrize("players", range(2, 12))
def test_rounds_contain_each_pair_once(players: int) -> None:
    pairs = rounds(players)

    assert sorted(pairs) == list(combinations(range(players), 2))
    for start in range(0, len(pairs), players // 2):
        together = [player for pair in pairs[start : start + players // 2] for player in pair]
        assert len(together) == len(set(together))


@pytest.mark.parametrize(("players", "seats"), [(3, 3), (6, 2), (7, 3), (9, 4), (10, 6)])
def test_spread_tables_are_the_same_tables_and_even_at_every_stop(players: int, seats: int) -> None:
    tables = list(combinations(range(players), seats))

    in_order = spread(tables, players)

    assert sorted(in_order) == tables
    played = Counter(dict.fromkeys(range(players), 0))
    for table in in_order:
        played.update(table)
        assert max(played.values()) - min(played.values()) <= 2


def test_the_first_spread_tables_meet_many_pairs() -> None:
    first = spread(list(combinations(range(9), 3)), 9)[:12]

    met = {pair for table in first for pair in combinations(table, 2)}
    assert len(met) >= comb(9, 2) * 3 // 4
