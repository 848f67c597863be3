"""Intervals of simulated events hold the true value, and miss it as often on either side.

A rough check with few events; `python -m tests.bench coverage` tests each kind of event.
"""

import pytest

from tests.bench.coverage import KINDS, misses


@pytest.mark.simulation
@pytest.mark.parametrize(("seats", "events"), [(2, 10), (3, 6), (4, 4), (6, 2)])
def test_intervals_hold_the_true_value_and_miss_it_on_either_side_alike(
    seats: int, events: int
) -> None:
    kinds = [kind for kind in KINDS if kind.is_exact(seats)]

    found = [misses(kind, seats, events=events) for kind in kinds]

    above, below = (sum(side) / len(found) for side in zip(*found, strict=True))
    assert 1 < above + below < 9
    assert max(above, below) < 6
