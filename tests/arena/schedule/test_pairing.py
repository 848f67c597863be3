"""The schedule: equal meetings, equal first moves, equal seats, and keys that stay."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise, permutations
from math import comb, factorial
from typing import Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.schedule.pairing import Pairing, Schedule, ScheduleError, round_robin, solo

sizes = st.integers(2, 6)


def names(number: int) -> list[str]:
    return [f"bot{i}" for i in range(number)]


def keys(schedule: Schedule) -> list[str]:
    return [pairing.key for pairing in schedule.pairings]


def meetings(pairings: Sequence[Pairing]) -> Counter[tuple[str, ...]]:
    return Counter(pair for p in pairings for pair in combinations(sorted(p.players), 2))


def but_neighbours(schedule: Schedule) -> tuple[str, ...]:
    """Return the inequalities besides that of the bots after whom a bot moves."""
    return tuple(line for line in schedule.imbalance if "moves right after" not in line)


def seated(pairings: Sequence[Pairing], bot: str, seats: int) -> list[int]:
    return [sum(p.players[seat] == bot for p in pairings) for seat in range(seats)]


@given(seats=sizes, more=st.integers(0, 4), boards=st.integers(1, 3), laps=st.integers(1, 2))
@settings(max_examples=40, deadline=None)
def test_every_table_in_every_rotation_is_exactly_equal(
    seats: int, more: int, boards: int, laps: int
) -> None:
    bots = names(min(seats + more, 8))
    repeat = seats * laps

    schedule = round_robin(bots, seats=[seats], repeat=repeat, boards=boards)

    assert but_neighbours(schedule) == ()
    assert len(schedule.pairings) == comb(len(bots), seats) * repeat * boards
    met = meetings(schedule.pairings)
    assert len(met) == comb(len(bots), 2)
    assert len(set(met.values())) == 1
    assert len({tuple(seated(schedule.pairings, bot, seats)) for bot in bots}) == 1
    assert len(set(seated(schedule.pairings, bots[0], seats))) == 1
    assert len(set(keys(schedule))) == len(schedule.pairings)


@given(
    seats=sizes,
    more=st.integers(0, 3),
    repeat=st.integers(1, 7),
    boards=st.integers(1, 2),
    variants=st.sampled_from([("",), ("normal", "misere")]),
    grown=st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(0, 2)),
)
@settings(max_examples=60, deadline=None)
def test_bots_repeats_and_boards_that_are_added_keep_every_key(  # noqa: PLR0917 - drawn
    seats: int,
    more: int,
    repeat: int,
    boards: int,
    variants: tuple[str, ...],
    grown: tuple[int, int, int],
) -> None:
    before = round_robin(
        names(seats + more), seats=[seats], repeat=repeat, boards=boards, variants=variants
    )
    after = round_robin(
        names(seats + more + grown[0]),
        seats=[seats],
        repeat=repeat + grown[1],
        boards=boards + grown[2],
        variants=variants,
    )

    assert set(keys(before)) <= set(keys(after))
    assert len(set(keys(after))) == len(after.pairings)


@given(bots=st.integers(2, 30), repeat=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_two_seats_are_first_equally_often_within_one(bots: int, repeat: int) -> None:
    schedule = round_robin(names(bots), seats=[2], repeat=repeat)

    firsts = Counter(pairing.players[0] for pairing in schedule.pairings)
    low, high = min(firsts[bot] for bot in names(bots)), max(firsts.values())
    exact = (bots - 1) * repeat % 2 == 0
    assert high - low == (0 if exact else 1)
    assert but_neighbours(schedule) == (
        ()
        if exact
        else (
            f"seat 0 (first): {low} to {high} times per bot",
            f"seat 1: {low} to {high} times per bot",
        )
    )


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("more", range(5))
def test_one_match_of_every_table_gives_seat_counts_within_one(seats: int, more: int) -> None:
    bots = names(seats + more)

    schedule = round_robin(bots, seats=[seats], repeat=1)

    played = comb(len(bots) - 1, seats - 1)
    counts = [number for bot in bots for number in seated(schedule.pairings, bot, seats)]
    assert max(counts) - min(counts) == (1 if played % seats else 0)
    assert (but_neighbours(schedule) == ()) == (played % seats == 0)


@pytest.mark.parametrize(("seats", "bots"), [(2, 5), (3, 5), (4, 5), (5, 6)])
@pytest.mark.parametrize("repeat", [None, 1, 2])
def test_all_seat_orders_are_played_equally_often(
    seats: int, bots: int, repeat: int | None
) -> None:
    schedule = round_robin(names(bots), seats=[seats], repeat=repeat, seat_orders="all")

    played = Counter(pairing.players for pairing in schedule.pairings)
    assert played == Counter(permutations(names(bots), seats))


def test_all_seat_orders_round_the_repeats_up() -> None:
    schedule = round_robin(names(3), seats=[3], repeat=7, seat_orders="all")

    assert Counter(p.players for p in schedule.pairings) == Counter(
        order for order in permutations(names(3)) for _ in range(2)
    )
    assert {pairing.repeat for pairing in schedule.pairings} == {0, 1}


def test_later_rotations_use_another_circle() -> None:
    twice = round_robin(names(3), seats=[3], repeat=6)

    assert len({pairing.players for pairing in twice.pairings}) == factorial(3)


def test_both_orders_and_both_objectives_are_played_on_each_board() -> None:
    schedule = round_robin(["a", "b"], seats=[2], repeat=2, boards=2, variants=["normal", "misere"])

    assert sorted(keys(schedule)) == [
        "a,b/b0/misere/0",
        "a,b/b0/normal/0",
        "a,b/b1/misere/0",
        "a,b/b1/normal/0",
        "b,a/b0/misere/0",
        "b,a/b0/normal/0",
        "b,a/b1/misere/0",
        "b,a/b1/normal/0",
    ]


def test_one_repeat_takes_turns_to_be_first_over_boards_and_variants() -> None:
    schedule = round_robin(["a", "b"], seats=[2], repeat=1, boards=2, variants=["normal", "misere"])

    firsts = {(p.board, p.variant): p.players[0] for p in schedule.pairings}
    assert firsts[0, "normal"] == firsts[1, "misere"]
    assert firsts[1, "normal"] == firsts[0, "misere"] != firsts[0, "normal"]
    assert but_neighbours(schedule) == ()


@pytest.mark.parametrize("bots", [4, 5, 8, 9])
def test_no_bot_plays_twice_in_a_round_and_no_pair_before_all_have_met(bots: int) -> None:
    pairings = round_robin(names(bots), seats=[2], repeat=2).pairings

    half = len(pairings) // 2
    assert len(meetings(pairings[:half])) == half == comb(bots, 2)
    for start in range(0, half, bots // 2):
        players = [name for p in pairings[start : start + bots // 2] for name in p.players]
        assert len(set(players)) == len(players)


@pytest.mark.parametrize(("seats", "bots"), [(3, 7), (3, 9), (4, 9), (4, 12)])
def test_larger_tables_are_fair_at_every_prefix(seats: int, bots: int) -> None:
    pairings = round_robin(names(bots), seats=[seats]).pairings

    played = Counter(dict.fromkeys(names(bots), 0))
    for pairing in pairings:
        played.update(pairing.players)
        assert max(played.values()) - min(played.values()) <= 2
    shared = [len({*a.players} & {*b.players}) for a, b in pairwise(pairings)]
    assert sum(number == 0 for number in shared) > len(shared) * 3 // 4


def test_mixed_sizes_are_each_equal_and_run_side_by_side() -> None:
    schedule = round_robin(names(7), seats=[6, 2, 3])

    assert but_neighbours(schedule) == ()
    assert Counter(len(p.players) for p in schedule.pairings) == {2: 42, 3: 105, 6: 42}
    first_half = schedule.pairings[: len(schedule.pairings) // 2]
    assert {len(p.players) for p in schedule.pairings[:5]} == {2, 3, 6}
    for size, whole in ((2, 42), (3, 105), (6, 42)):
        assert abs(sum(len(p.players) == size for p in first_half) - whole / 2) <= 1


def test_mixed_sizes_report_inequality_with_its_number_of_seats() -> None:
    schedule = round_robin(names(4), seats=[2, 3], repeat=1)

    assert but_neighbours(schedule) == (
        "2 seats: seat 0 (first): 1 to 2 times per bot",
        "2 seats: seat 1: 1 to 2 times per bot",
        "overall: seat 0 (first): 2 to 3 times per bot",
    )


@pytest.mark.parametrize(
    ("bots", "seats", "matches"),
    [
        (7, 3, 7),  # Fano's plane
        (7, 3, 21),
        (9, 3, 36),  # three affine planes of order 3
        (6, 3, 10 * 3),
        (13, 4, 13),
        (11, 5, 11),
        (21, 5, 21),
        (25, 5, 30 * 5),
        (31, 6, 31),
        (8, 4, 14 * 4),
        (6, 5, 6),
        (5, 5, 10),
        (7, 2, 7 * 3),
        (7, 3, 35 * 3 + 7),
    ],
)
def test_a_wanted_number_is_exactly_equal_where_a_design_is_known(
    bots: int, seats: int, matches: int
) -> None:
    schedule = round_robin(names(bots), seats=[seats], matches=matches)

    assert len(schedule.pairings) == matches == len(set(keys(schedule)))
    assert but_neighbours(schedule) == ()


@given(
    bots=st.integers(2, 12),
    seats=sizes,
    matches=st.integers(1, 60),
    boards=st.integers(1, 3),
    seed=st.integers(0, 2**63 - 1),
)
@example(bots=10, seats=4, matches=3, boards=1, seed=0)
@settings(max_examples=15, deadline=None)
def test_a_wanted_number_is_met_and_bots_play_and_sit_within_one(
    bots: int, seats: int, matches: int, boards: int, seed: int
) -> None:
    bots = max(bots, seats)

    schedule = round_robin(names(bots), seats=[seats], matches=matches, boards=boards, seed=seed)

    assert len(schedule.pairings) == matches == len(set(keys(schedule)))
    played = [sum(bot in p.players for p in schedule.pairings) for bot in names(bots)]
    assert max(played) - min(played) == (matches * seats % bots > 0)
    for bot in names(bots):
        counts = seated(schedule.pairings, bot, seats)
        assert max(counts) - min(counts) <= 1
    on_boards = Counter(p.board for p in schedule.pairings)
    assert max(on_boards.values()) - min(on_boards[b] for b in range(boards)) <= 1


@pytest.mark.parametrize("seed", range(4))
def test_a_wanted_number_is_shared_by_mixed_sizes(seed: int) -> None:
    schedule = round_robin(names(7), seats=[2, 3, 6], matches=61, seed=seed)

    assert Counter(len(p.players) for p in schedule.pairings) == {2: 21, 3: 20, 6: 20}
    played = Counter(name for p in schedule.pairings for name in p.players)
    assert max(played.values()) - min(played.values()) == 1


def test_a_wanted_number_reports_its_inequality() -> None:
    schedule = round_robin(names(5), seats=[3], matches=2)

    assert but_neighbours(schedule) == (
        "bots play 1 to 2 matches",
        "pairs meet 0 to 1 times",
        "seat 0 (first): 0 to 1 times per bot",
        "seat 1: 0 to 1 times per bot",
        "seat 2: 0 to 1 times per bot",
    )


def test_the_wanted_schedule_is_the_same_on_every_machine() -> None:
    developed = round_robin(names(7), seats=[3], matches=7, seed=1997)
    annealed = round_robin(names(5), seats=[3], matches=6, seed=1997)

    assert keys(developed) == [
        "bot1,bot4,bot6/b0/0",
        "bot0,bot2,bot4/b0/0",
        "bot2,bot6,bot5/b0/0",
        "bot4,bot5,bot3/b0/0",
        "bot3,bot1,bot2/b0/0",
        "bot5,bot0,bot1/b0/0",
        "bot6,bot3,bot0/b0/0",
    ]
    assert keys(annealed) == [
        "bot2,bot3,bot4/b0/0",
        "bot0,bot4,bot1/b0/0",
        "bot1,bot2,bot3/b0/0",
        "bot4,bot0,bot2/b0/0",
        "bot3,bot1,bot0/b0/0",
        "bot1,bot3,bot4/b0/0",
    ]


def test_the_seed_only_matters_to_a_wanted_number() -> None:
    wanted = {tuple(keys(round_robin(names(9), seats=[3], matches=9, seed=s))) for s in range(4)}
    every = {tuple(keys(round_robin(names(5), seats=[3], seed=s))) for s in range(4)}

    assert len(wanted) == 4
    assert len(every) == 1


def test_one_seat_games_are_played_by_every_bot_on_the_same_boards() -> None:
    schedule = solo(["a", "b"], repeat=2, boards=2)

    assert keys(schedule) == [
        "a/b0/0",
        "b/b0/0",
        "a/b1/0",
        "b/b1/0",
        "a/b0/1",
        "b/b0/1",
        "a/b1/1",
        "b/b1/1",
    ]
    assert but_neighbours(schedule) == ()


@pytest.mark.parametrize(
    ("options", "option", "detail"),
    [
        ({"seats": [6]}, "bots", "a match of 6 seats needs 6 bots, not 4"),
        ({"seats": [2, 5]}, "bots", "a match of 5 seats needs 5 bots, not 4"),
        ({"seats": [1]}, "seats", "[1] must be 2 or more"),
        ({"variants": []}, "variants", "variants must not be empty"),
        ({"variants": ["x", "x"]}, "variants", "a name occurs twice"),
        (
            {"repeat": 10**9},
            "repeat",
            (
                "the schedule would have 6,000,000,000 matches, more than 2,000,000;"
                " set `matches` to the number to play"
            ),
        ),
        (
            {"matches": 2_000_001},
            "matches",
            "the schedule would have 2,000,001 matches, more than 2,000,000",
        ),
        ({"matches": 0}, "matches", "matches is 0, it must be at least 1"),
        ({"seats": [2, 3], "matches": 1}, "matches", "matches is 1, it must be at least 2"),
    ],
)
def test_options_that_make_no_schedule_are_refused_by_name(
    options: dict[str, object], option: str, detail: str
) -> None:
    with pytest.raises(ScheduleError) as refusal:
        round_robin(names(4), **{"seats": [2], **options})  # type: ignore[arg-type]  # wrong

    assert refusal.value.option == option
    assert str(refusal.value) == detail


@pytest.mark.parametrize("order", ["rotate", "all"])
def test_a_schedule_too_large_is_refused_before_it_is_made(order: Literal["rotate", "all"]) -> None:
    with pytest.raises(ScheduleError, match="more than 2,000,000"):
        round_robin(names(100_000), seats=[2, 3, 6], seat_orders=order)
    with pytest.raises(ScheduleError, match="the limit is 100,000"):
        round_robin(names(40), seats=[6], matches=100_001)


@pytest.mark.parametrize("bots", [["a", "a"], ["a", "b,c"], ["a", "b/c"], []])
def test_names_that_would_make_equal_keys_are_refused(bots: list[str]) -> None:
    with pytest.raises(ScheduleError) as refusal:
        solo(bots, repeat=1, boards=1)

    assert refusal.value.option == "bots"
