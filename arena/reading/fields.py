"""The kinds of values in a config, each with its reader, bounds and JSON Schema."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final, Literal, TypeAlias

from annotated_types import GroupedMetadata
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from arena.reading.names import MAX_BOT_NAME, name_objection, one_form
from arena.reading.quantities import (
    DURATION_PATTERN,
    MB,
    SIZE_PATTERN,
    format_duration,
    format_size,
    parse_duration,
    parse_size,
)
from protocol.wording import value_text
from referee.job import MILLISECOND_NS, SECOND_NS

MAX_SEATS: Final = 6
MAX_SLOTS: Final = 256
MAX_COEFFICIENT: Final = 10**9
HOUR_NS: Final = 3600 * SECOND_NS
NAME_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"


def wrong(detail: str) -> PydanticCustomError:
    """Return an error that continues the key, like "must be ..."; for use in a model."""
    return PydanticCustomError("wrong", "{detail}", {"detail": detail})


def objection(detail: str) -> PydanticCustomError:
    """Return an error with a complete sentence; for use in a model."""
    return PydanticCustomError("option", "{detail}", {"detail": detail})


@dataclass(frozen=True)
class _Quantity(GroupedMetadata):
    """A time or a size, written with a unit."""

    parse: Callable[[str], int]
    write: Callable[[int], str]
    pattern: str
    low: int
    high: int
    units: tuple[str, str]
    """Units of the examples for a number without one."""

    def __iter__(self) -> Iterator[object]:
        yield BeforeValidator(self._read)
        yield PlainSerializer(self.write)
        yield WithJsonSchema({"type": "string", "pattern": self.pattern})

    def _read(self, value: object) -> int:
        if _is_number(value):
            raise wrong(f"needs a unit, like {value}{self.units[0]} or {value}{self.units[1]}")
        if not isinstance(value, str):
            example = self.write(self.high)
            raise wrong(f"must be text with a unit, like {example}, not {value_text(value)}")
        try:
            amount = self.parse(value)
        except ValueError as error:
            raise wrong(f"{error}, not {value_text(value)}") from None
        if not self.low <= amount <= self.high:
            span = f"{self.write(self.low)} to {self.write(self.high)}"
            raise wrong(f"must be {span}, not {value_text(value)}")
        return amount


@dataclass(frozen=True)
class _Number(GroupedMetadata):
    """A decimal number."""

    low: float
    high: float

    def __iter__(self) -> Iterator[object]:
        yield Field(ge=self.low, le=self.high)
        yield BeforeValidator(_number)
        yield PlainSerializer(_plain_text)
        yield WithJsonSchema({"type": "number", "minimum": self.low, "maximum": self.high})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _number(value: object, info: ValidationInfo) -> object:
    # text is what `_plain_text` stores, where a JSON number would lose digits
    if not _is_number(value) and not (info.mode == "json" and isinstance(value, str)):
        raise wrong(f"must be a number, not {value_text(value)}")
    return Decimal(str(value))


def _plain_text(number: Decimal) -> str:
    return format(number.normalize(), "f")


def _float(value: object) -> object:
    return float(Decimal(str(value))) if _is_number(value) else value


def _one_or_more(value: object) -> object:
    return value if isinstance(value, list | tuple) else (value,)


def _slots(value: object) -> object:
    if value == "auto" or (_is_number(value) and value in range(1, MAX_SLOTS + 1)):
        return value
    raise wrong(f"must be auto or 1 to {MAX_SLOTS}, not {value_text(value)}")


def _argument(value: object) -> object:
    return str(value) if _is_number(value) else value


def _command(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words[0].isprintable():
        raise wrong("must begin with a program, one printable line of text")
    return words


def _event_name(name: str) -> str:
    if not re.fullmatch(NAME_PATTERN, name):
        raise wrong(
            "must be 1 to 64 of the characters A-Z a-z 0-9 . _ - and begin with a letter or a"
            f" digit, not {value_text(name)}"
        )
    return name


def _bot_name(name: str) -> str:
    name = one_form(name)
    if reason := name_objection(name):
        raise wrong(reason)
    return name


Duration: TypeAlias = Annotated[
    int,
    _Quantity(
        parse_duration, format_duration, DURATION_PATTERN, MILLISECOND_NS, HOUR_NS, ("s", "ms")
    ),
]
"""Nanoseconds, 1 ms to 1 h."""
LongDuration: TypeAlias = Annotated[
    int,
    _Quantity(
        parse_duration, format_duration, DURATION_PATTERN, MILLISECOND_NS, 24 * HOUR_NS, ("s", "ms")
    ),
]
"""Nanoseconds, 1 ms to 24 h."""
Memory: TypeAlias = Annotated[
    int, _Quantity(parse_size, format_size, SIZE_PATTERN, MB, 1024 * 1024 * MB, ("MB", "GB"))
]
"""Bytes, 1 MB to 1 TB."""
Output: TypeAlias = Annotated[
    int, _Quantity(parse_size, format_size, SIZE_PATTERN, 1024, MB, ("KB", "MB"))
]
"""Bytes, 1 KB to 1 MB: a record of six seats keeps all of them."""
RunnerOutput: TypeAlias = Annotated[
    int, _Quantity(parse_size, format_size, SIZE_PATTERN, 1024, 16 * MB, ("KB", "MB"))
]
"""Bytes, 1 KB to 16 MB: a record keeps all of them."""
Coefficient: TypeAlias = Annotated[Decimal, _Number(0, MAX_COEFFICIENT)]
Floor: TypeAlias = Annotated[Decimal, _Number(-MAX_COEFFICIENT, MAX_COEFFICIENT)]
Bonus: TypeAlias = Annotated[Decimal, _Number(0, 0.25)]
"""Fraction of a score."""
PlayerName: TypeAlias = Annotated[str, AfterValidator(one_form)]
"""Name of a player of this event, compared with its players later."""
MAX_ANCHOR: Final = 10_000
Anchor: TypeAlias = Annotated[
    dict[
        PlayerName,
        Annotated[float, Field(ge=-MAX_ANCHOR, le=MAX_ANCHOR), BeforeValidator(_float)],
    ],
    Field(max_length=1),
]
"""Elo of one player by name."""
MAX_ELO: Final = 1000
Elo: TypeAlias = Annotated[float, Field(ge=-MAX_ELO, le=MAX_ELO), BeforeValidator(_float)]
"""A difference in strength."""
Difference: TypeAlias = Annotated[
    float, Field(ge=-MAX_COEFFICIENT, le=MAX_COEFFICIENT), BeforeValidator(_float)
]
"""A difference of scores."""
Rate: TypeAlias = Annotated[float, Field(gt=0, lt=0.5), BeforeValidator(_float)]
"""Error probability of a test, between 0 and 0.5."""
Certainty: TypeAlias = Annotated[float, Field(gt=0.5, lt=1), BeforeValidator(_float)]
"""A probability between 0.5 and 1."""
Argument: TypeAlias = Annotated[
    str,
    Field(max_length=4096),
    BeforeValidator(_argument),
    WithJsonSchema({"type": ["string", "number"]}),
]
"""One argument of a program; a number stands for its text."""
Command: TypeAlias = Annotated[
    tuple[Argument, ...], Field(min_length=1, max_length=200), AfterValidator(_command)
]
"""A program and its arguments."""
EventName: TypeAlias = Annotated[
    str, AfterValidator(_event_name), WithJsonSchema({"type": "string", "pattern": NAME_PATTERN})
]
BotName: TypeAlias = Annotated[
    str,
    AfterValidator(_bot_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": MAX_BOT_NAME}),
]
PathText: TypeAlias = Annotated[str, Field(min_length=1, max_length=4096)]
_SEAT_COUNT = {"type": "integer", "minimum": 1, "maximum": MAX_SEATS}
Seats: TypeAlias = Annotated[
    tuple[Annotated[int, Field(ge=1, le=MAX_SEATS)], ...],
    Field(min_length=1),
    BeforeValidator(_one_or_more),
    WithJsonSchema(
        {
            "anyOf": [
                _SEAT_COUNT,
                {"type": "array", "items": _SEAT_COUNT, "minItems": 1, "uniqueItems": True},
            ]
        }
    ),
]
"""Numbers of players per match, written as one number or a list."""
Slots: TypeAlias = Annotated[
    int | Literal["auto"],
    BeforeValidator(_slots),
    WithJsonSchema(
        {"anyOf": [{"const": "auto"}, {"type": "integer", "minimum": 1, "maximum": MAX_SLOTS}]}
    ),
]
