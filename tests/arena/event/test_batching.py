"""The number of matches in a pipe, and how long a result waits for others."""

import pytest

from arena.event.slots.batching import LONGEST_S, MOST, MatchPace


def tempo_of(match_s: float, results: int = 8) -> MatchPace:
    """Return the tempo after results that came one at a time."""
    times = iter([number * match_s for number in range(results + 1)])
    tempo = MatchPace(lambda: next(times))
    tempo.begin()
    for _ in range(results):
        tempo.add(1)
    return tempo


def test_before_the_first_result_one_match_waits_and_no_result_does() -> None:
    tempo = MatchPace(lambda: 0.0)
    tempo.begin()

    assert tempo.wanted() == 2
    assert tempo.rest_s(2) == 0


@pytest.mark.parametrize(
    ("match_s", "matches"), [(1.0, 2), (0.11, 2), (0.09, 4), (0.03, 6), (0.001, MOST), (0, MOST)]
)
def test_the_shorter_the_matches_the_more_wait(match_s: float, matches: int) -> None:
    assert tempo_of(match_s).wanted() == matches


def test_a_result_waits_only_while_its_referee_has_more_to_play() -> None:
    tempo = tempo_of(0.008)

    assert tempo.rest_s(1) < 0
    assert tempo.rest_s(2) == pytest.approx(0.004)
    assert tempo.rest_s(4) == pytest.approx(0.020)


def test_the_tempo_follows_the_latest_matches() -> None:
    times = iter([0.0, *[10.0] * 2, *[10.0 + 0.001 * number for number in range(1, 40)]])
    tempo = MatchPace(lambda: next(times))
    tempo.begin()
    tempo.add(1)
    assert tempo.wanted() == 2

    for _ in range(39):
        tempo.add(1)

    assert tempo.rest_s(2) < LONGEST_S
    assert tempo.wanted() > 2
