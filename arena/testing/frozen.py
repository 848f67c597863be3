"""A rule of states and moves: their values cannot change."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Final

from arena.testing.classes import is_frozen
from arena.testing.examination import SEEDS, Examination

_MUTABLE: Final[dict[type[Any], str]] = {
    list: "tuple",
    dict: "tuple of pairs",
    set: "frozenset",
    bytearray: "bytes",
}
"""Types of values that can change, each with one that cannot."""


def values_are_frozen(exam: Examination) -> None:
    """States and moves are made of values that cannot change."""
    for seed in SEEDS:
        for state, move in exam.playout(seed):
            for what, value in (("state", state), ("move", move)):
                if found := next(_changing(value, what), None):
                    raise exam.broken(found)


def _changing(value: object, where: str) -> Iterator[str]:
    """Yield the parts of a value that can be changed; foreign objects are taken as they are."""
    if isinstance(value, tuple(_MUTABLE)):
        fitting = next(_MUTABLE[kind] for kind in _MUTABLE if isinstance(value, kind))
        yield f"{where} is a {type(value).__name__}, which can change; use a {fitting}"
    elif is_dataclass(value):
        if not is_frozen(type(value)):
            kind_name = type(value).__name__
            yield f"{where} is a {kind_name}, which is not frozen; use @dataclass(frozen=True)"
        for field in fields(value):
            yield from _changing(getattr(value, field.name, None), f"{where}.{field.name}")
    elif isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        for number, part in enumerate(value):
            place = f".{names[number]}" if names else f"[{number}]"
            yield from _changing(part, f"{where}{place}")


RULES: Final = (values_are_frozen,)
