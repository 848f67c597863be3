"""Mean scores and their intervals."""

import random
from collections.abc import Sequence

import pytest

from arena.ratings.mean_scores import Interval, mean_scores
from arena.ratings.student import half_width
from arena.ratings.text import mean_scores_text
from arena.results.store import MatchRow
from referee.records.result import SeatRow


def alone(player: str, board: int, score: float) -> MatchRow:
    seat = SeatRow(player, 0, 1, f"{score:.6f}", None, 0, 0, 0, 0)
    return MatchRow(0, 1, "", board, "", "normal", "", 0, "", (seat,))


def replace_seats(match: MatchRow, scores: Sequence[tuple[str, float]]) -> MatchRow:
    seat = match.seats[0]
    seats = (seat._replace(player=player, score=str(score)) for player, score in scores)
    return match._replace(seats=tuple(seats))


def test_the_mean_is_the_mean_of_the_matches() -> None:
    found = mean_scores([alone("a", 0, 1), alone("a", 0, 2), alone("a", 1, 6), alone("b", 0, 9)])

    assert [(each.player, each.mean, each.matches) for each in found] == [("b", 9, 1), ("a", 3, 3)]
    assert found[0].ahead == 6
    assert found[1].ahead is None


def test_no_matches_have_no_means() -> None:
    assert mean_scores([]) == []


def test_one_board_has_no_interval() -> None:
    found = mean_scores([alone("a", 0, 1), alone("b", 0, 2)])

    assert [each.interval for each in found] == [None, None]
    assert found[0].ahead_interval is None


def test_boards_that_happen_to_agree_give_no_interval() -> None:
    found = mean_scores([alone(player, board, 5) for player in "ab" for board in range(9)])

    assert (found[0].interval, found[0].ahead, found[0].ahead_interval) == (None, 0, None)


def test_players_that_no_match_connects_are_not_compared() -> None:
    found = mean_scores(
        [
            replace_seats(alone("a", board, 0), [(one, score + board), (other, 0)])
            for board in range(3)
            for one, other, score in (("a", "b", 1), ("c", "d", 3))
        ]
    )

    assert [(each.player, each.ahead is not None) for each in found] == [
        ("c", False),
        ("a", True),
        ("b", False),
        ("d", False),
    ]


def test_the_difficulty_of_a_board_cancels_out() -> None:
    dice = random.Random(1)
    matches = []
    for board in range(30):
        luck = dice.gauss(0, 100)
        matches += [alone("a", board, luck + 1 + dice.random() / 10), alone("b", board, luck)]

    best = mean_scores(matches)[0]

    assert best.player == "a"
    assert best.interval is not None
    assert best.interval[1] - best.interval[0] > 30
    assert best.ahead_interval is not None
    assert 1 < best.ahead_interval[0] < best.ahead_interval[1] < 1.1


def test_the_interval_agrees_with_the_standard_error() -> None:
    dice = random.Random(2)
    scores = [dice.gauss(10, 3) for _ in range(200)]
    mean = sum(scores) / 200
    error = (sum((score - mean) ** 2 for score in scores) / 199 / 200) ** 0.5

    interval = mean_scores([alone("a", board, by) for board, by in enumerate(scores)])[0].interval

    assert interval == pytest.approx((mean - 1.96 * error, mean + 1.96 * error), abs=error / 3)


@pytest.mark.parametrize("boards", [2, 3, 5, 20])
def test_about_95_percent_of_the_intervals_contain_the_true_value_on_few_boards(
    boards: int,
) -> None:
    dice = random.Random(boards)
    held = []

    def holds(interval: Interval | None) -> bool:
        assert interval is not None
        return interval[0] < 0 < interval[1]

    for _ in range(500):
        luck = [dice.gauss(0, 10) for _ in range(boards)]
        found = mean_scores(
            alone(player, board, luck[board] + dice.gauss(0, 10))
            for board in range(boards)
            for player in "ab"
        )
        held += [holds(found[0].interval), holds(found[0].ahead_interval)]

    # the means differ: the better one of two is more often too high
    assert 92 < 100 * sum(held) / len(held) < 98


def test_a_board_played_twice_by_both_is_one_board() -> None:
    dice = random.Random(5)
    once = [alone(player, board, dice.random()) for player in "ab" for board in range(4)]

    one, two = mean_scores(once)[0], mean_scores(once * 2)[0]

    assert one.interval is not None
    assert one.ahead_interval is not None
    assert two.interval == pytest.approx(one.interval)
    assert two.ahead_interval == pytest.approx(one.ahead_interval)
    assert two.matches == 2 * one.matches


def test_a_board_of_one_player_alone_adds_its_part_to_the_error_of_a_difference() -> None:
    """Each board adds what it moves the difference by; the two shared boards are the sample."""
    rows = [alone("a", board, score) for board, score in enumerate((10, 12, 17))]
    rows += [alone("b", board, score) for board, score in enumerate((1, 4))]
    parts = [(10 - 13) / 3 - (1 - 2.5) / 2, (12 - 13) / 3 - (4 - 2.5) / 2, (17 - 13) / 3]
    width = half_width(1) * (sum(part**2 for part in parts) * 2) ** 0.5

    best = mean_scores(rows)[0]

    assert best.ahead_interval == pytest.approx((10.5 - width, 10.5 + width))


def test_boards_without_a_match_of_a_player_are_no_sample_of_it() -> None:
    rows = [alone("a", board, 10 + board) for board in range(4)] + [alone("b", 0, 1)]

    best, last = mean_scores([*rows, alone("b", 0, 3)])

    assert best.interval is not None
    assert (last.interval, best.ahead, best.ahead_interval) == (None, 9.5, None)


def test_the_order_of_the_matches_has_no_effect() -> None:
    dice = random.Random(3)
    matches = [alone(player, board, dice.random()) for player in "abc" for board in range(8)] * 2

    assert mean_scores(dice.sample(matches, len(matches))) == mean_scores(matches)


def test_players_who_share_no_board_have_no_paired_interval_but_a_difference() -> None:
    found = mean_scores([alone("a", 0, 3), alone("b", 1, 1)])

    assert found[0].ahead == 2
    assert mean_scores_text(found).splitlines()[0].split() == (
        ["#", "bot", "mean", "95", "%", "ahead", "of", "the", "next", "95", "%", "matches"]
    )


def test_no_mean_is_a_negative_zero() -> None:
    found = mean_scores(
        [alone(who, board, -0.001 - board / 1e5) for who in "ab" for board in range(3)]
    )

    assert "0.00 to 0.00" in mean_scores_text(found)
    assert "-0.00" not in mean_scores_text(found)


@pytest.mark.parametrize("score", [0.1, 123.456, 123456789.123, -(1e15 + 0.1)])
def test_boards_that_agree_have_no_interval_however_large_the_scores_are(score: float) -> None:
    matches = [
        alone(who, board, score + step)
        for who, step in (("a", 1), ("b", 0))
        for board in range(3)
        for _ in range(board + 1)
    ]

    assert [(each.interval, each.ahead_interval) for each in mean_scores(matches)] == [
        (None, None)
    ] * 2


def test_a_small_spread_of_large_scores_has_an_interval() -> None:
    (found,) = mean_scores([alone("a", board, 123456789 + board / 100) for board in range(3)])

    assert found.interval is not None
    low, high = found.interval
    assert high - low == pytest.approx(2 * half_width(2) * 0.01 / 3**0.5, rel=1e-3)
