"""The section `gate` of a config: the question of a regression match."""

import math
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from arena.reading.checking import Section
from arena.reading.choices import EloModel
from arena.reading.fields import Difference, Elo, Rate

ELO0: Final = -50.0
ELO1: Final = 0.0
SCORE1: Final = 0.0
MAX_CAP: Final = 1_000_000
SCORES_CAP: Final = 600
"""Matches of a gate by scores by default: their spread is not known before the first match."""
LEAST_CAP: Final = 200
UNDECIDED: Final = 0.05
"""Share of gates that the default cap leaves undecided, in the middle between the hypotheses."""


class GateSection(Section):
    """Conditions on which the first bot, NEW, passes against the second, BASE."""

    elo0: Elo | None = None
    """Elo over BASE at which NEW fails. Default: -50."""
    elo1: Elo | None = None
    """Elo over BASE at which NEW passes. Default: 0."""
    score0: Difference | None = None
    """Instead of Elo: points per match over BASE (negative: under) at which NEW fails."""
    score1: Difference | None = None
    """Points per match over BASE at which NEW passes. Default: 0."""
    alpha: Rate = 0.05
    """Probability of a wrong pass."""
    beta: Rate = 0.05
    """Probability of a wrong fail."""
    model: EloModel = "logistic"
    """Meaning of elo0 and elo1: `logistic`, Elo, or `normalized`, as in fishtest and fastchess."""
    cap: Annotated[int, Field(ge=2, le=MAX_CAP)] | None = None
    """Number of matches after which the gate ends undecided. Default: a number that leaves about
    5 % undecided between elo0 and elo1, without draws; 600 with score0."""
    max_faults: Annotated[int, Field(ge=0, le=MAX_CAP)] = 0
    """Allowed faults of NEW; one more ends the gate."""
    exact_clock: bool = False
    """Whether the gate is refused where the CPU time of a bot would be approximate."""

    @model_validator(mode="after")
    def _can_decide(self) -> Self:
        has_scores = self.score0 is not None or self.score1 is not None
        if has_scores and (self.elo0 is not None or self.elo1 is not None):
            raise ValueError("has Elo and scores; use elo0 and elo1, or score0 and score1")
        if has_scores and self.score0 is None:
            raise ValueError("has score1 without score0, the score at which NEW fails")
        return self

    def completed(self) -> Self:
        """Return the section with the defaults of its hypotheses filled in."""
        low, high = self.keys
        defaults = {"elo0": ELO0, "elo1": ELO1, "score1": SCORE1}
        absent = [key for key in (low, high) if getattr(self, key) is None]
        filled = self.model_copy(update={key: defaults[key] for key in absent})
        return filled if self.cap else filled.model_copy(update={"cap": _fitting_cap(filled)})

    @property
    def pairs(self) -> int:
        """Number of pairs after which the gate ends undecided."""
        return (self.cap or SCORES_CAP) // 2

    @property
    def is_by_scores(self) -> bool:
        """Whether the gate compares scores instead of wins."""
        return self.score0 is not None

    @property
    def keys(self) -> tuple[str, str]:
        """Config keys of the two hypotheses, the lower one first."""
        return ("score0", "score1") if self.is_by_scores else ("elo0", "elo1")

    @property
    def low(self) -> float:
        """Strength at which NEW fails: Elo over BASE, or points more per match."""
        return float(getattr(self, self.keys[0]) or 0)

    @property
    def high(self) -> float:
        """Strength at which NEW passes."""
        return float(getattr(self, self.keys[1]) or 0)


def _fitting_cap(gate: GateSection) -> int:
    """Return the cap that leaves 5 % undecided for a NEW between the hypotheses.

    Between them the evidence is a Brownian motion without drift. Of such motions
    4 / pi * exp(-pi^2 * n / (2 * width^2)) are still between barriers in a distance of `width`
    standard deviations after n pairs (Siegmund, "Sequential Analysis", 1985, section 3.5).
    """
    if gate.is_by_scores or gate.low >= gate.high:
        return SCORES_CAP
    passes, fails = (1 - gate.beta) / gate.alpha, gate.beta / (1 - gate.alpha)
    width = math.log(passes / fails) / _distance(gate)
    pairs = 2 * (width / math.pi) ** 2 * math.log(4 / math.pi / UNDECIDED)
    unit = int(10 ** max(1, math.floor(math.log10(2 * pairs)) - 1))
    return min(max(math.ceil(2 * pairs / unit) * unit, LEAST_CAP), MAX_CAP)


def _distance(gate: GateSection) -> float:
    """Return the distance of the hypotheses in standard deviations of a pair without draws."""
    if gate.model == "normalized":
        return math.sqrt(2) * (gate.high - gate.low) * math.log(10) / 800
    low, high = (1 / (1 + 10 ** (-elo / 400)) for elo in (gate.low, gate.high))
    middle = (low + high) / 2
    return (high - low) / math.sqrt(middle * (1 - middle) / 2)
