"""The matches of a search by SPSA: one iteration after another, each known after the one before."""

from collections.abc import Sequence
from decimal import Decimal
from typing import ClassVar

from arena.bots.settings import Settings
from arena.formats.format import Results
from arena.gate.schedule import matches_of
from arena.gate.tally import Pair, place_points, seats_of
from arena.ratings.pairs import points_of
from arena.schedule.pairing import Pairing
from arena.tune.spsa import Course, Gains, Parameter
from referee.records.result import SeatRow

Ended = tuple[Sequence[SeatRow], ...]


class SpsaSchedule:
    """Format of a search: the pairs of an iteration follow from the results of those before.

    Results count in the order of the schedule, so the course is the same on one slot and on ten,
    and after an interruption.
    """

    is_fixed: ClassVar[bool] = False
    imbalance: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        sides: tuple[str, str],
        pairs: Sequence[Pair],
        parameters: tuple[Parameter, ...],
        gains: Gains,
        seed: int,
    ) -> None:
        """Start a search; `sides` are the names of the plus and the minus side.

        `pairs` are the same number of pairs for each iteration, all on their own boards.
        """
        self._sides = sides
        self._pairs = pairs
        self._search = parameters, gains, len(pairs) // gains.iterations, seed
        self._settings: dict[int, tuple[Settings, Settings]] = {}
        """Settings of both sides by board; kept, since the same results give the same ones."""
        self._begin()

    @property
    def latest(self) -> Course:
        """The course by the results of the last call."""
        return self._course

    def _begin(self) -> None:
        parameters, gains, pairs, seed = self._search
        self._course = Course(parameters, gains, pairs, seed)
        self._counted: list[Sequence[Ended]] = []
        self._known: tuple[Pairing, ...] = ()
        self._add_iteration()

    def course(self, results: Results) -> Course:
        """Return the course by all iterations that have ended; what has been counted is kept."""
        if self._counted and self._ended(len(self._counted) - 1, results) != self._counted[-1]:
            self._begin()
        while not self._course.is_ended:
            if (ended := self._ended(self._course.iteration, results)) is None:
                break
            self._counted.append(ended)
            self._course.advance([result_of(self._sides, matches) for matches in ended])
            if not self._course.is_ended:
                self._add_iteration()
        return self._course

    def known(self, results: Results) -> tuple[Pairing, ...]:
        """Return the matches of all iterations up to the current one."""
        self.course(results)
        return self._known

    def total(self, results: Results) -> int:
        """Return the number of matches, unless the search ends early."""
        course = self.course(results)
        return len(self._known) if course.is_stuck else 2 * len(self._pairs)

    def ranking(self, results: Results) -> None:
        """Return None: the sides are no players to be ranked."""

    def text(self, results: Results) -> str:
        """Return an empty text: the result is printed separately."""
        return ""

    def settings(self, board: int) -> dict[str, Settings]:
        """Return the settings of both sides in the known matches on a board, by name."""
        return dict(zip(self._sides, self._settings[board], strict=True))

    def _add_iteration(self) -> None:
        batch = self._batch(self._course.iteration)
        self._known += matches_of(batch)
        for (pairing, _), probe in zip(batch, self._course.probes(), strict=True):
            self._settings[pairing.board] = (
                settings_of(self._course.parameters, probe.plus),
                settings_of(self._course.parameters, probe.minus),
            )

    def _batch(self, iteration: int) -> Sequence[Pair]:
        count = self._course.pairs
        return self._pairs[iteration * count : (iteration + 1) * count]

    def _ended(self, iteration: int, results: Results) -> Sequence[Ended] | None:
        """Return the seats of the matches of an iteration, or None before all have ended."""
        found: list[Ended] = []
        for pair in self._batch(iteration):
            seats = [results[pairing.key] for pairing in pair if pairing.key in results]
            if len(seats) < len(pair):
                return None
            found.append(tuple(seats))
        return found


def settings_of(parameters: Sequence[Parameter], values: Sequence[float]) -> Settings:
    """Return playable values as the bot receives them, by name."""
    return {each.name: each.text(value) for each, value in zip(parameters, values, strict=True)}


def result_of(sides: tuple[str, str], matches: Ended) -> float | None:
    """Return the matches of a pair won by the first side minus those won by the second.

    None if the pair is no evidence: a match stayed void, or a side had a fault. In a game with one
    seat the better score wins both matches of the pair, against a field the better place.
    """
    if not all(matches):
        return None
    ours = {name: seats_of(name, matches) for name in sides}
    if any(seat.fault for seats in ours.values() for seat in seats):
        return None
    first, second = (ours[name] for name in sides)
    if len(matches[0]) == 1:
        ahead = Decimal(first[0].score) - Decimal(second[0].score)
        return 2.0 * ((ahead > 0) - (ahead < 0))
    if len(first) == 1:
        return 4 * place_points(first[0], second[0]) - 2
    return 2 * sum(points_of(sides[0], match) for match in matches) - 2
