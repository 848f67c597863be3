"""The keys of a bot.yaml that set up an engine: its options, its search, and when it resigns."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field, PlainValidator

from arena.bots.protocols import Option
from arena.reading.checking import Section
from arena.reading.fields import objection, wrong
from protocol.wording import quoted


def _option_names(options: dict[str, Option]) -> dict[str, Option]:
    for name in options:
        words = name.split()
        if "value" in words and name.isprintable():
            detail = 'cannot be set: a name ends at the word "value"'
            raise objection(f"{quoted(name)} {detail}")
        if not name.isprintable() or name != " ".join(words) or len(name) > 100:
            raise objection(f"{quoted(name)} is no name of an option")
    return options


def _option(value: Any) -> Option:
    if type(value) is str and value.isprintable() and len(value) <= 200:
        return value
    if type(value) not in (bool, int):
        raise wrong("must be true, false, a whole number or one printable line")
    return bool(value) if type(value) is bool else int(value)


def _fixed_limit(text: str) -> str:
    if not re.fullmatch(r"(nodes|depth|movetime) [1-9][0-9]{0,11}", text):
        raise wrong('must be like "nodes 1000", "depth 8" or "movetime 50"')
    return text


OptionNames: TypeAlias = Annotated[
    dict[str, Annotated[Option, PlainValidator(_option)]],
    Field(max_length=100),
    AfterValidator(_option_names),
]
FixedLimit: TypeAlias = Annotated[str, AfterValidator(_fixed_limit)]


class ResignSection(Section):
    """When an engine resigns."""

    score: Annotated[int, Field(ge=-100_000, le=0)]
    """Its own score in centipawns, as low or lower. Being mated counts, too."""
    moves: Annotated[int, Field(ge=1, le=1000)]
    """Number of its moves in a row with such a score."""


def is_repeating(go: str, options: Mapping[str, Option]) -> bool:
    """Whether an engine plays the same moves again: a fixed search by one thread."""
    threads = {name.lower(): value for name, value in options.items()}.get("threads", 1)
    return go.startswith(("nodes ", "depth ")) and str(threads) == "1"
