"""A tuning as stored in its event: the bot and its sides, the search, and what it has found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from arena.bots.settings import Settings
from arena.config.event import Event
from arena.config.tune import TuneSection
from arena.errors import EventError
from arena.formats.format import Format, Results
from arena.gate.schedule import gate_pairs, matches_of
from arena.gate.tally import Pair
from arena.reading.names import MAX_BOT_NAME
from arena.results.store import EventRow
from arena.schedule.pairing import Schedule
from arena.tune.grid import Point, points_of
from arena.tune.schedule import SpsaSchedule, settings_of
from arena.tune.spsa import Course, Gains, Parameter, parameters_of

PLUS, MINUS = "+", "-"
"""Ends of the names of the two sides of SPSA."""


@dataclass(frozen=True)
class Tune:
    """The bot of a tuning, its parameters and its matches."""

    bot: str
    """Name of the bot, and in a grid of the player with its start values."""
    field: tuple[str, ...]
    """Bots that take the other seats of a match; none in games of one or two seats."""
    section: TuneSection
    variants: tuple[str, ...]
    is_alone: bool
    seed: int

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The options to tune."""
        return parameters_of(self.section)

    @property
    def is_grid(self) -> bool:
        """Whether all points play against the base."""
        return self.section.method == "grid"

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """The names of the players: the two sides of SPSA, or the base and each point."""
        if not self.is_grid:
            return _named(self.bot, PLUS), _named(self.bot, MINUS)
        return self.bot, *(_named(self.bot, f"-{place}") for place in range(1, len(self.grid) + 1))

    @property
    def start(self) -> Settings:
        """The settings of the base."""
        return settings_of(self.parameters, [each.start for each in self.parameters])

    @cached_property
    def grid(self) -> tuple[Settings, ...]:
        """The settings of each point of a grid, without those of the base."""
        values = (parameter.points() for parameter in self.section.parameters.values())
        points = (
            settings_of(
                self.parameters,
                [each.nearest(value) for each, value in zip(self.parameters, point, strict=True)],
            )
            for point in product(*values)
        )
        return tuple(point for point in points if point != self.start)

    @property
    def gains(self) -> Gains:
        """The gains of SPSA."""
        section = self.section
        return Gains(
            iterations=section.iterations or 1,
            stability=section.A or 0.0,
            alpha=section.alpha,
            gamma=section.gamma,
        )

    @cached_property
    def search(self) -> SpsaSchedule:
        """The schedule of SPSA."""
        plus, minus = self.sides
        pairs = self._pairs(plus, minus, self.section.boards)
        return SpsaSchedule((plus, minus), pairs, self.parameters, self.gains, self.seed)

    @cached_property
    def point_pairs(self) -> tuple[tuple[Pair, ...], ...]:
        """The pairs of each point of a grid against the base."""
        count = self.section.pairs or 1
        return tuple(self._pairs(name, self.bot, count) for name in self.sides[1:])

    def format(self) -> Format:
        """Return the format to play."""
        if not self.is_grid:
            return self.search
        # all points on one board after another; alone and against a field, the base plays once
        rounds = zip(*self.point_pairs, strict=True)
        matches = dict.fromkeys(match for pairs in rounds for match in matches_of(pairs))
        return Schedule(tuple(matches))

    def settings(self, board: int) -> Mapping[str, Settings]:
        """Return the settings of the sides in the known matches on a board, by name."""
        if not self.is_grid:
            return self.search.settings(board)
        return dict(zip(self.sides, (self.start, *self.grid), strict=True))

    def course(self, results: Results) -> Course:
        """Return the course of SPSA by these results."""
        return self.search.course(results)

    def points(self, results: Results) -> Sequence[Point]:
        """Return the points of a grid, as they have played so far."""
        return points_of(self.sides[1:], self.bot, self.grid, self.point_pairs, results)

    def tuned(self, results: Results) -> Settings:
        """Return the best settings by these results."""
        if not self.is_grid:
            return settings_of(self.parameters, self.course(results).tuned())
        best = max(self.points(results), key=lambda point: point.mean, default=None)
        return best.settings if best is not None and best.mean > 0 else self.start

    def _pairs(self, new: str, base: str, count: int) -> tuple[Pair, ...]:
        return gate_pairs(
            new,
            base,
            pairs=count,
            variants=self.variants,
            field=self.field,
            is_alone=self.is_alone,
        )


def tune_of(event: Event, bot: str, field: Sequence[str], seed: int) -> Tune:
    """Return the tuning of an event for a bot; raises EventError without one."""
    if event.tune is None:
        raise EventError(f"{event.name}: the format is {event.format}, not tune")
    return Tune(
        bot=bot,
        field=tuple(field),
        section=event.tune,
        variants=tuple(label for label, _ in event.game.variants()),
        is_alone=max(event.game.seats) == 1,
        seed=seed,
    )


def stored_tune(row: EventRow) -> Tune:
    """Return the tuning of an event in the database."""
    event = Event.read(row.config)
    names = list(row.entrants)
    bot = names[0]
    if event.tune is not None and event.tune.method == "spsa":
        bot = bot.removesuffix(PLUS)
    sides = tune_of(event, bot, (), row.seed).sides
    return tune_of(event, bot, names[len(sides) :], row.seed)


def _named(bot: str, suffix: str) -> str:
    return f"{bot[: MAX_BOT_NAME - len(suffix)]}{suffix}"
