"""Workers compared: whether bots do worse on one machine than on the others.

The expected score of a match between two players follows from their ratings in this event. The sum
of score minus expectation on a worker, in standard errors, shows a player that does worse there.
The more matches are drawn, the smaller these errors are.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from arena.ratings.comparisons import compare, compared_seats
from arena.ratings.rating import Strengths
from arena.results.standings import rated_match
from arena.results.store import EventRow, Store
from arena.results.workers import workers_of
from arena.text import table
from referee.records.match_end import Worker
from referee.records.result import SeatRow

NOTABLE = 3.0
"""Standard errors of a deviation that is marked; of many random ones, some reach 2."""


@dataclass
class Residual:
    """Results on one worker."""

    speeds: list[float] = field(default_factory=list)
    faults: int = 0
    near_limit: int = 0
    surplus: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Score minus expectation, by player."""
    variance: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def deviations(self) -> dict[str, float]:
        """Return score minus expectation in standard errors, by player."""
        return {
            player: surplus / math.sqrt(self.variance[player])
            for player, surplus in self.surplus.items()
            if self.variance[player] > 0
        }


def residuals_text(store: Store, event: EventRow) -> str:
    """Return a table of the workers of an event; empty if it was played without workers."""
    workers = dict(workers_of(store, event.id))
    if not workers:
        return ""
    matches = [(match.id, match.seats) for match in store.matches(event.id)]
    found = residuals(matches, workers)
    rows = [[name, *_cells(residual)] for name, residual in sorted(found.items())]
    header = ["worker", "matches", "speed", "faults", "near limit", "score against expectation"]
    return table(header, rows)


def residuals(
    matches: Iterable[tuple[int, tuple[SeatRow, ...]]], workers: Mapping[int, Worker]
) -> dict[str, Residual]:
    """Return the results on each worker, by its name; `workers` are those of the matches."""
    played = list(matches)
    strengths = Strengths(compare(Counter(rated_match(seats) for _, seats in played)))
    found: dict[str, Residual] = defaultdict(Residual)
    for number, seats in played:
        if (worker := workers.get(number)) is not None:
            _add(found[worker.name], worker, seats, strengths)
    return dict(found)


def _add(
    residual: Residual, worker: Worker, seats: tuple[SeatRow, ...], strengths: Strengths
) -> None:
    residual.speeds.append(worker.speed)
    residual.faults += sum(seat.fault is not None for seat in seats)
    residual.near_limit += sum(seat.near_limit for seat in seats)
    players = [seat.player for seat in seats]
    expected = strengths.expected_score(*players) if len(players) == 2 else None
    scores = [score for _, _, score in compared_seats(rated_match(seats).seats)]
    if expected is None or not scores or any(seat.is_unplayed for seat in seats):
        return
    (score,) = scores
    for player, surplus in zip(players, (score - expected, expected - score), strict=True):
        residual.surplus[player] += surplus
        residual.variance[player] += expected * (1 - expected) * strengths.spread


def _cells(residual: Residual) -> list[str]:
    deviations = residual.deviations()
    worst = max(deviations, key=lambda player: abs(deviations[player]), default="")
    text = f"{worst} {deviations[worst]:+z.1f} standard errors" if worst else "-"
    if worst and abs(deviations[worst]) > NOTABLE:
        text += ", look at this worker"
    speed = sum(residual.speeds) / len(residual.speeds)
    counts = (len(residual.speeds), f"{speed:.2f}", residual.faults, residual.near_limit)
    return [*map(str, counts), text]
