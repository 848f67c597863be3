"""The section `tune` of a config: options of a bot, and how to search for their best values."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from arena.errors import UsageError
from arena.reading.checking import Section
from arena.reading.fields import objection, wrong
from protocol.wording import quoted, value_text

LARGEST: Final = 1e12
MAX_PARAMETERS: Final = 50
MAX_POINTS: Final = 200
"""Limit of the points of a grid."""
MAX_PAIRS: Final = 100_000
"""Limit of the pairs of matches of a tuning."""
ITERATIONS: Final = 500
GRID_PAIRS: Final = 50
STEPS: Final = {"spsa": 10, "grid": 4}
"""Number of steps in the range of a parameter, by default."""
R_TIMES_ITERATIONS: Final = 60
"""Default of r_end times the number of iterations: 0.002 after 30,000, as fishtest has it."""
MOST_R: Final = 0.25
LEAST_WHOLE_STEP: Final = 0.5
"""Least step of a whole number, below which both sides would often play the same value."""
ALPHA0: Final = 0.602
GAMMA0: Final = 0.101
STABILITY: Final = 0.1
"""Default of A as a part of the iterations (Spall 1998, section III.B: 10 % or less)."""
GAINS: Final = ("iterations", "A", "alpha", "gamma")
_NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"
_PARAMETER: Final = re.compile(
    rf"(?P<name>.+?):(?P<start>{_NUMBER}):(?P<min>{_NUMBER}):(?P<max>{_NUMBER})"
    rf"(?::(?P<step>{_NUMBER}))?"
)
_AS_TYPED: Final = (
    "write NAME:START:MIN:MAX[:STEP], like depth:3:1:6, or a line of fishtest or OpenBench:"
    " NAME, int, VALUE, MIN, MAX, C_END, R_END"
)
_FIELDS: Final = ("name", "type", "start", "min", "max", "step", "r_end")
"""Fields of a line of fishtest and OpenBench."""

Method: TypeAlias = Literal["spsa", "grid"]


def _value(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise wrong(f"must be a number, not {value_text(value)}")
    number = value if isinstance(value, int) else float(value)
    if not -LARGEST <= number <= LARGEST:
        raise wrong(f"must be {-LARGEST:.0f} to {LARGEST:.0f}, not {value_text(value)}")
    return number


def _real(value: object) -> object:
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return float(value)
    return value


def _names(parameters: dict[str, Any]) -> dict[str, Any]:
    for name in parameters:
        is_line = name.isprintable() and name == " ".join(name.split()) and len(name) <= 100
        if not is_line or not name or set("{},:") & set(name) or name == "python":
            raise objection(
                f"{quoted(name)} is no name of a parameter: it must be one printable line without"
                " braces, commas and colons"
            )
    return parameters


Value: TypeAlias = Annotated[
    int | float, BeforeValidator(_value), WithJsonSchema({"type": "number"})
]
"""A whole number, or a real one if it is written with a point."""
Positive: TypeAlias = Annotated[float, Field(gt=0, le=LARGEST), BeforeValidator(_real)]


class ParameterSection(Section):
    """An option of the bot: whole if start, min and max are whole numbers, otherwise real."""

    start: Value
    """Value of the base, where the search begins."""
    min: Value
    """Lowest allowed value."""
    max: Value
    """Highest allowed value."""
    step: Positive | None = None
    """Distance of the two tested values from the current one at the end (c_end of fishtest); in a
    grid, the distance of two points. Default: a tenth of the range, in a grid a quarter."""
    r_end: Annotated[float, Field(gt=0, le=1), BeforeValidator(_real)] | None = None
    """Steps by which a won match of a pair moves the value at the end, as in fishtest. Default: 60
    divided by the iterations, at most 0.25."""

    @model_validator(mode="after")
    def _is_in_order(self) -> Self:
        if not self.min < self.max:
            raise ValueError(f"has min {self.min:g}, which must be below max {self.max:g}")
        if not self.min <= self.start <= self.max:
            raise ValueError(f"has start {self.start:g} outside of {self.min:g} to {self.max:g}")
        if self.step is not None and self.step > self.max - self.min:
            raise ValueError(f"has step {self.step:g}, more than its range")
        if self.step is not None and self.is_whole and self.step < LEAST_WHOLE_STEP:
            raise ValueError(
                f"has step {self.step:g}; a whole number needs {LEAST_WHOLE_STEP:g} or more (write"
                f" start: {float(self.start)} for a real number)"
            )
        return self

    @property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        return all(isinstance(each, int) for each in (self.start, self.min, self.max))

    def completed(self, method: Method, iterations: int) -> Self:
        """Return the parameter with its defaults filled in."""
        step = self.step
        if step is None:
            step = (self.max - self.min) / STEPS[method]
            if self.is_whole:
                step = float(max(1, math.ceil(step) if method == "grid" else round(step)))
        r_end = min(MOST_R, R_TIMES_ITERATIONS / iterations) if self.r_end is None else self.r_end
        return self.model_copy(update={"step": step, "r_end": r_end})

    @property
    def count(self) -> int:
        """Number of values of a completed parameter in a grid."""
        step = self.step or self.max - self.min
        return 1 + math.floor((self.max - self.min) / step * (1 + 1e-12))

    def points(self) -> list[float]:
        """Return the values of a completed parameter in a grid, from min on."""
        return [self.min + place * (self.step or 0) for place in range(self.count)]


class TuneSection(Section):
    """Options of the first bot, and the search for their best values."""

    parameters: Annotated[
        dict[str, ParameterSection],
        Field(min_length=1, max_length=MAX_PARAMETERS),
        AfterValidator(_names),
    ]
    """Options by name. A value takes the place of `{name}` in the bot's command or arguments; of an
    engine with `protocol: uci`, `usi` or `ucci` it is also the option with that name."""
    method: Method = "spsa"
    """Search: `spsa`, steps along random directions, or `grid`, all points against the base."""
    iterations: Annotated[int, Field(ge=1, le=MAX_PAIRS)] | None = None
    """Number of steps of spsa. Default: 500."""
    pairs: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Pairs of matches of each step, played at the same time, or of each point of a grid. Default:
    1, in a grid 50."""
    A: Annotated[float, Field(ge=0, le=MAX_PAIRS), BeforeValidator(_real)] | None = None
    """Stability constant of the gains of spsa. Default: a tenth of the iterations."""
    alpha: Annotated[float, Field(gt=0, le=1), BeforeValidator(_real)] = ALPHA0
    """Exponent by which the steps of spsa become shorter."""
    gamma: Annotated[float, Field(ge=0, le=1), BeforeValidator(_real)] = GAMMA0
    """Exponent by which the tested values of spsa come closer."""

    @model_validator(mode="after")
    def _fits_its_method(self) -> Self:
        fields = type(self).model_fields
        given = [key for key in GAINS if getattr(self, key) != fields[key].default]
        if self.method == "grid":
            if given:
                raise ValueError(f"has {given[0]}, which is for method: spsa")
            self._check_grid()
        elif (self.iterations or ITERATIONS) * (self.pairs or 1) > MAX_PAIRS:
            raise ValueError(f"has more than {MAX_PAIRS} pairs; lower iterations or pairs")
        return self

    def _check_grid(self) -> None:
        for name, parameter in self.parameters.items():
            step = parameter.step
            if parameter.is_whole and step is not None and step != int(step):
                raise ValueError(
                    f"has {name} with step {step:g}; in a grid of whole numbers it is"
                    " a whole number"
                )
        count = math.prod(each.completed("grid", 1).count for each in self.parameters.values())
        if count > MAX_POINTS:
            raise ValueError(
                f"has a grid of {count} points, more than {MAX_POINTS}; give larger steps"
            )
        if count * (self.pairs or GRID_PAIRS) > MAX_PAIRS:
            raise ValueError(f"has more than {MAX_PAIRS} pairs; lower pairs")

    @property
    def boards(self) -> int:
        """Number of boards of a completed section, each for a pair of matches."""
        return (self.iterations or 1) * (self.pairs or 1)

    def completed(self) -> Self:
        """Return the section with all defaults filled in."""
        iterations = self.iterations or ITERATIONS
        parameters = {
            name: each.completed(self.method, iterations) for name, each in self.parameters.items()
        }
        found: dict[str, Any] = {"parameters": parameters}
        if self.method == "grid":
            return self.model_copy(update={**found, "pairs": self.pairs or GRID_PAIRS})
        found |= {"iterations": iterations, "pairs": self.pairs or 1}
        found["A"] = STABILITY * iterations if self.A is None else self.A
        return self.model_copy(update=found)


def typed_parameters(lines: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the parameters of a command line; raises UsageError."""
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        name, values = _with_commas(line) if "," in line else _with_colons(line)
        if name in found:
            raise UsageError(f"-p {quoted(line)}: {quoted(name)} is named twice")
        found[name] = values
    return found


def _with_colons(line: str) -> tuple[str, dict[str, Any]]:
    if (match := _PARAMETER.fullmatch(line)) is None:
        raise UsageError(f"-p {quoted(line)}: {_AS_TYPED}")
    numbers = {key: text for key, text in match.groupdict().items() if text and key != "name"}
    return match["name"].strip(), {key: _number(text) for key, text in numbers.items()}


def _with_commas(line: str) -> tuple[str, dict[str, Any]]:
    """Return a parameter of a line as fishtest and OpenBench read it."""
    fields = dict(zip(_FIELDS, (part.strip() for part in line.split(",")), strict=False))
    numbers = {key: text for key, text in fields.items() if key not in ("name", "type")}
    is_right = line.count(",") == len(_FIELDS) - 1 and fields["type"] in ("int", "float")
    if not is_right or not all(re.fullmatch(_NUMBER, text) for text in numbers.values()):
        raise UsageError(f"-p {quoted(line)}: {_AS_TYPED}")
    values = {key: _number(text) for key, text in numbers.items()}
    if fields["type"] == "float":
        values |= {key: float(values[key]) for key in ("start", "min", "max")}
    return fields["name"], values


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"[+-]?\d{1,30}", text) else float(text)
