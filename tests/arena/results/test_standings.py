"""Standings and crosstable: finished matches added up."""

from decimal import Decimal
from itertools import permutations

import pytest

from arena.results.standings import Ranking, Table
from arena.terminal.tables import crosstable_text, standings_text
from protocol.vocabulary import Termination
from referee.records.result import SeatRow


def seat(
    player: str, points: int, place: int, *, score: str | None = None, fault: str | None = None
) -> SeatRow:
    shown = str(points) if score is None else score
    return SeatRow(player, points, place, shown, fault, 2_000_000, 1_000_000, 1_000_000, 0)


def win(winner: str, loser: str, points: int = 5) -> list[SeatRow]:
    return [seat(winner, points, 1), seat(loser, 0, 2)]


def table_of(*matches: list[SeatRow], players: str = "abc", **options: object) -> Table:
    table = Table(tuple(players), **options)  # type: ignore[arg-type]  # as the test says
    for match in matches:
        table.add(match)
    return table


def results(table: Table, player: str) -> tuple[int, int, int, int]:
    row = table.rows[player]
    return row.wins, row.draws, row.losses, row.faults


def test_a_win_a_draw_and_a_loss_are_distinguished() -> None:
    table = table_of(
        win("a", "b"), [seat("a", 2, 1), seat("c", 2, 1)], [seat("b", 1, 2), seat("c", 3, 1)]
    )

    assert [results(table, player) for player in "abc"] == [
        (1, 1, 0, 0),
        (0, 0, 2, 0),
        (1, 1, 0, 0),
    ]
    assert [row.points for _, row in table.ranked()] == [7, 5, 1]


def test_the_sum_of_the_scores_ranks_not_the_wins() -> None:
    table = table_of(win("a", "b", 1), win("a", "b", 1), win("b", "a", 5), players="ab")

    assert [row.player for _, row in table.ranked()] == ["b", "a"]


def test_equal_scores_are_broken_by_points_and_equal_points_share_a_rank() -> None:
    table = table_of(
        [seat("a", 9, 1, score="5"), seat("b", 5, 1, score="5")],
        [seat("c", 5, 1, score="5"), seat("d", 1, 2, score="1")],
        players="abcd",
        has_score_rule=True,
    )

    assert [(rank, row.player) for rank, row in table.ranked()] == [
        (1, "a"),
        (2, "b"),
        (2, "c"),
        (4, "d"),
    ]


def test_the_order_of_the_matches_does_not_matter() -> None:
    matches = [
        [seat("a", 3, 1, score="2.9"), seat("b", 0, 2, score="-0.1")],
        [seat("b", 2, 1, score="1.999999"), seat("c", 2, 1, score="0.3")],
        [seat("c", 0, 2, score="0.1", fault="crash"), seat("a", 1, 1, score="0.2")],
    ]

    tables = [table_of(*order) for order in permutations(matches)]

    assert len({str([(rank, row) for rank, row in table.ranked()]) for table in tables}) == 1
    assert tables[0].rows["a"].score == Decimal("3.1")


@pytest.mark.parametrize("places", [(1, 1), (1, 2), (2, 1)])
def test_a_fault_is_never_a_win_nor_a_draw(places: tuple[int, int]) -> None:
    table = table_of(
        [seat("a", 0, places[0], fault="crash"), seat("b", 0, places[1], fault="crash")],
        players="ab",
    )

    assert results(table, "a") == results(table, "b") == (0, 0, 1, 1)
    assert table.duels["a", "b"].losses == table.duels["b", "a"].losses == 1


def test_with_more_seats_one_wins_and_the_places_decide_each_duel() -> None:
    table = table_of([seat("a", 1, 3), seat("b", 7, 1), seat("c", 4, 2)])

    assert [results(table, player)[:3] for player in "abc"] == [(0, 0, 1), (1, 0, 0), (0, 0, 1)]
    assert (table.duels["c", "a"].wins, table.duels["a", "c"].losses) == (1, 1)
    assert (table.duels["c", "b"].losses, table.duels["b", "c"].wins) == (1, 1)


def test_sharing_the_first_place_of_three_is_a_draw_and_a_loss_for_the_third() -> None:
    table = table_of([seat("a", 4, 1), seat("b", 4, 1), seat("c", 1, 3)])

    assert [results(table, player)[:3] for player in "abc"] == [(0, 1, 0), (0, 1, 0), (0, 0, 1)]


def test_alone_nobody_wins_or_loses() -> None:
    table = table_of([seat("a", 40, 1)], [seat("a", 2, 1, fault="timeout")], players="a")

    assert results(table, "a") == (0, 0, 0, 1)
    assert (table.rows["a"].matches, table.rows["a"].points) == (2, 42)
    assert table.duels == {}


@pytest.mark.parametrize(("second", "score"), [(-60, 5), (-64, 0), (-70, -6)])
def test_a_bonus_adds_its_part_of_the_whole_score_if_that_is_positive(
    second: int, score: int
) -> None:
    table = table_of(
        [seat("a", 64, 1), seat("b", 4, 1)],
        [seat("a", second, 2), seat("b", 4, 1)],
        players="ab",
        bonus={"a": Decimal("0.25")},
    )

    assert table.rows["a"].score == score
    assert table.rows["b"].score == 8
    assert table.rows["a"].points == 64 + second


def test_times_add_up() -> None:
    row = table_of(win("a", "b"), win("b", "a")).rows["a"]

    assert (row.wall_ns, row.cpu_ns) == (4_000_000, 2_000_000)


def test_limits_and_null_calls_are_counted_of_each_match() -> None:
    late = seat("b", 0, 2, fault="timeout")._replace(near_limit=3, null_ns=70)
    crashed = seat("b", 0, 2, fault="crash")._replace(near_limit=2, null_ns=0)
    table = table_of([seat("a", 5, 1), late], [seat("a", 5, 1), crashed], players="ab")

    row = table.rows["b"]
    assert (row.faults, row.timeouts, row.near_limit) == (2, 1, 5)
    assert list(row.nulls_ns) == [70, 0]
    assert list(table.rows["a"].nulls_ns) == []
    assert table.matches == 2


def test_a_duel_has_the_score_of_the_one_and_the_places_of_both() -> None:
    table = table_of(
        [seat("a", 1, 2, score="1.5"), seat("b", 1, 2), seat("c", 4, 1)],
        [seat("a", 1, 1, score="2"), seat("b", 0, 2, fault="crash"), seat("c", 1, 1)],
    )

    duel = table.duels["a", "b"]
    assert (duel.matches, duel.score, str(duel)) == (2, Decimal("3.5"), "1-1-0")
    assert str(table.duels["b", "a"]) == "0-1-1"
    assert str(table.duels["a", "c"]) == "0-1-1"


def test_a_player_without_matches_is_last_with_zero() -> None:
    ranked = table_of(win("a", "b")).ranked()

    assert [(rank, row.player) for rank, row in ranked] == [(1, "a"), (2, "b"), (2, "c")]


def test_the_standings_in_text() -> None:
    table = table_of(
        [seat("ann", 5, 1, score="4.75"), seat("bob", 0, 2, score="-0.0004", fault="crash")],
        [seat("bob", 2, 1), seat("ann", 2, 1)],
        players=("ann", "bob", "someone-else"),  # type: ignore[arg-type]  # names of more letters
        has_score_rule=True,
    )

    assert standings_text(table) == (
        "standings by score, then points:\n"
        "#  bot           score  points  +  =  -  matches     CPU    wall  faults\n"
        "-  ------------  -----  ------  -  -  -  -------  ------  ------  ------\n"
        "1  ann            6.75       7  1  1  0        2  2.0 ms  4.0 ms       0\n"
        "2  bob               2       2  0  1  1        2  2.0 ms  4.0 ms       1\n"
        "3  someone-else      0       0  0  0  0        0    0 µs    0 µs       0"
    )
    assert standings_text(table, 2).splitlines()[4:] == [
        "2  bob      2       2  0  1  1        2  2.0 ms  4.0 ms       1",
        "... and 1 more",
    ]


def test_without_a_score_rule_points_are_no_column_and_break_no_tie() -> None:
    table = table_of([seat("a", 9, 1, score="5"), seat("b", 5, 1, score="5")], players="ab")

    assert [rank for rank, _ in table.ranked()] == [1, 1]
    caption, header, *_ = standings_text(table).splitlines()
    assert caption == "standings by score:"
    assert "points" not in header.split()


def test_the_places_of_a_format_rank_before_any_score() -> None:
    table = table_of(win("a", "b"), win("c", "b"), players="abcd")
    table.ranking = Ranking("round reached", ((1, "b"), (2, "a")))

    assert [(rank, row.player) for rank, row in table.ranked()] == [
        (1, "b"),
        (2, "a"),
        (3, "c"),
        (4, "d"),
    ]
    assert standings_text(table).startswith("standings by round reached:\n")
    assert crosstable_text(table).splitlines()[2].startswith("1 b")


def test_winners_of_groups_rank_before_all_seconds() -> None:
    table = table_of(win("a", "b", 9), win("c", "d", 1), players="abcde", groups=["ab", "cd"])

    assert [(rank, row.player) for rank, row in table.ranked()] == [
        (1, "a"),
        (1, "c"),
        (2, "b"),
        (2, "d"),
        (5, "e"),
    ]
    assert standings_text(table).startswith("standings by place in the group:\n")


def test_unplayed_matches_are_counted_apart_from_faults() -> None:
    crash = [seat("a", 5, 1), seat("b", 0, 2, fault="crash")]
    unplayed = [seat("a", 5, 1), seat("b", 0, 2, fault="no_show")._replace(is_unplayed=True)]
    table = table_of(crash, unplayed, unplayed, players="ab")

    row = table.rows["b"]
    assert (row.matches, row.losses, row.faults, row.unplayed) == (3, 3, 1, 2)
    lines = standings_text(table).splitlines()
    assert lines[1].split()[-2:] == ["faults", "unplayed"]
    assert lines[-1].split()[-2:] == ["1", "2"]


def test_adjudicated_matches_have_a_column_where_there_are_any() -> None:
    table = table_of(win("a", "b"), players="ab")
    assert "adjudicated" not in standings_text(table)

    table.add(win("b", "a"), None, Termination.ADJUDICATION)

    assert {row.adjudicated for row in table.rows.values()} == {1}
    lines = standings_text(table).splitlines()
    assert lines[1].split()[-1] == "adjudicated"
    assert lines[-1].split()[-1] == "1"


def test_the_crosstable_in_text() -> None:
    table = table_of(win("a", "b"), win("a", "b"), win("b", "a", 1), win("c", "b", 3))

    assert crosstable_text(table) == (
        "         1      2      3\n"
        "---  -----  -----  -----\n"
        "1 a      .      .  2-0-1\n"
        "2 c      .      .  1-0-0\n"
        "3 b  1-0-2  0-0-1      ."
    )
