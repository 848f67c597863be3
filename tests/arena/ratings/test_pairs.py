"""Elo from pairs: its error covers where that of single matches is too wide or too narrow."""

from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from events import job_of, new_event, new_store, won_by

from arena.ratings.pairs import elo_of
from arena.ratings.rating import rate
from arena.reports.notes import notes_of
from referee.records.result import SeatRow

EVENTS = 400
PAIRS = 50
ROUND_ROBIN: dict[str, Any] = {"openings": {"random_plies": 4}, "format": "round_robin"}


def seat(player: str, place: int) -> SeatRow:
    return SeatRow(player, 0, place, "0", None, 0, 0, 0, 0)


def covered(seat_bias: float, player_bias: float) -> tuple[float, float]:
    """Return how often the 95 % errors of pairs and of matches cover a difference of 0 Elo.

    Each opening favours a random seat and a random player by these chances.
    """
    random = Random(8)
    by_pairs = by_matches = 0
    for _ in range(EVENTS):
        bins, matches = [0] * 5, []
        for _ in range(PAIRS):
            seats, players = (random.choice((-by, by)) for by in (seat_bias, player_bias))
            wins = [random.random() < 0.5 + players + by for by in (seats, -seats)]
            bins[2 * sum(wins)] += 1
            for first, is_won in zip("ab", wins, strict=True):
                places = {"a": 2 - is_won, "b": 1 + is_won}
                second = "b" if first == "a" else "a"
                matches.append((seat(first, places[first]), seat(second, places[second])))
        elo, error = elo_of(bins)
        by_pairs += abs(elo) <= error
        rated = rate(matches).players[0].elo
        by_matches += rated.low <= 0 <= rated.high
    return by_pairs / EVENTS, by_matches / EVENTS


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("seat_bias", "player_bias", "of_matches"),
    [(0, 0, (0.92, 0.98)), (0.35, 0, (0.985, 1)), (0, 0.35, (0.5, 0.88))],
    ids=["even", "seat", "player"],
)
def test_errors_of_pairs_cover_whatever_the_openings_favour(
    seat_bias: float, player_bias: float, of_matches: tuple[float, float]
) -> None:
    by_pairs, by_matches = covered(seat_bias, player_bias)

    assert 0.92 <= by_pairs <= 0.98
    assert of_matches[0] <= by_matches <= of_matches[1]


def note(folder: Path, boards: int, repeat: int, config: dict[str, Any]) -> str:
    """Return the note on an event in which bob wins as second on each third board, else ann."""
    with closing(new_store(folder)) as store:
        event = new_event(store, ["ann", "bob"], **config)
        for number in range(boards * repeat):
            board, turn = divmod(number, repeat)
            names = ("ann", "bob") if turn % 2 == 0 else ("bob", "ann")
            winner = "bob" if board % 3 == 0 and turn == 0 else "ann"
            record = won_by(job_of(*names, key=f"{board}/{turn}"), names.index(winner))
            store.add_match(event, board=board, variant="", attempt=1, match=record.finished())
        row = store.event(event)
        assert row is not None
        return dict(notes_of(store, row)).get("pairs of matches", "")


@pytest.mark.parametrize("config", [ROUND_ROBIN, {}], ids=["openings", "boards"])
def test_the_points_of_two_players_are_counted_by_pairs(
    tmp_path: Path, config: dict[str, Any]
) -> None:
    assert note(tmp_path, 10, 2, config) == (
        "ann in 10 pairs (points of 2: 0: 0, ½: 0, 1: 4, 1½: 0, 2: 6).\n"
        "A pair is two matches on one board with the seats swapped."
    )


@pytest.mark.parametrize(
    ("boards", "repeat", "config"),
    [
        (9, 2, ROUND_ROBIN),
        (10, 1, ROUND_ROBIN),
        (10, 4, ROUND_ROBIN),
        (10, 2, {**ROUND_ROBIN, "format": "gate"}),
    ],
    ids=["few", "single", "repeated", "gate"],
)
def test_without_pairs_nothing_is_said(
    tmp_path: Path, boards: int, repeat: int, config: dict[str, Any]
) -> None:
    assert note(tmp_path, boards, repeat, config) == ""
