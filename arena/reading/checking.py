"""Checks of a user's file against a strict model; all faults are reported, with their places."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from arena.errors import Problem
from arena.reading.source import Loc, Source
from protocol.explaining import explain
from protocol.wording import did_you_mean, quoted


class Section(BaseModel):
    """A map in a file of Arena: known keys only, no conversion, immutable."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        arbitrary_types_allowed=True,
        defer_build=True,  # building validators takes most of the start of a command
    )


@dataclass(frozen=True, slots=True)
class KeyFault:
    """A wrong value and its description."""

    loc: Loc
    detail: str
    is_of_key: bool = False
    """Whether the key itself is wrong or missing, not its value."""


def of_key(detail: str, *loc: str) -> KeyFault:
    """Return the fault of a key that is missing or not allowed, whatever its value."""
    return KeyFault(loc, detail, is_of_key=True)


@dataclass(frozen=True, slots=True)
class Keys:
    """The known keys of a map. `where` names the map, like "game pente"; "" is the top."""

    where: str
    known: tuple[str, ...]
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """Keys of other maps, each with the name of its map."""


S = TypeVar("S", bound=Section)
KeysAt = Callable[[Loc], Keys]


def check(
    model: type[S], values: Mapping[str, Any], keys_at: KeysAt
) -> tuple[S | None, list[KeyFault]]:
    """Return the model of these values, or None and every fault in them."""
    try:
        return model.model_validate(dict(values)), []
    except ValidationError as error:
        # neither url nor input is formatted here: an input may be as large as the file
        details = error.errors(include_url=False)
    # a list with a wrong item is also called too short, since only right items are counted
    inside = {detail["loc"][:-1] for detail in details}
    return None, [
        _fault(detail, keys_at)
        for detail in details
        if detail["type"] != "too_short" or detail["loc"] not in inside
    ]


def problems(source: Source, faults: list[KeyFault]) -> list[Problem]:
    """Return all faults with their places, including those of the text, in order of place."""
    found = [
        source.problem(fault.detail, fault.loc, at_key=fault.is_of_key)
        for fault in faults
        if not source.is_broken(fault.loc)
    ]
    return sorted([*source.problems, *found], key=lambda problem: (problem.line, problem.column))


def path_text(loc: Loc) -> str:
    """Return a place as text, like time.per_move or bots[2].args[0]."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{_key_text(part)}"
    return text.removeprefix(".")


def _key_text(key: str) -> str:
    return key if key.isidentifier() else quoted(key)


def _fault(detail: ErrorDetails, keys_at: KeysAt) -> KeyFault:
    loc = detail["loc"]
    if detail["type"] == "extra_forbidden":
        return KeyFault(loc, _unknown(loc, keys_at), is_of_key=True)
    if detail["type"] == "missing":
        where = keys_at(loc[:-1]).where
        ending = f" in {where}" if where else ""
        return KeyFault(loc, f"missing key {quoted(str(loc[-1]))}{ending}", is_of_key=True)
    joint = ":" if detail["type"] == "option" else ""
    return KeyFault(loc, f"{path_text(loc)}{joint} {explain(detail)}{_hint(detail)}")


def _unknown(loc: Loc, keys_at: KeysAt) -> str:
    keys = keys_at(loc[:-1])
    where = f" in {keys.where}" if keys.where else ""
    key = str(loc[-1])
    home = None if f"{key}s" in keys.known else keys.elsewhere.get(key)  # `bot` is for `bots`
    hint = f"it belongs in {home}" if home else None
    if (first := key.split(" ", maxsplit=1)[0]) != key and first in keys.known:
        hint = f"a colon is missing after {first}"
    return f"unknown key {quoted(key)}{where}; {hint or did_you_mean(key, keys.known)}"


def _hint(detail: ErrorDetails) -> str:
    kind, value = detail["type"], detail["input"]
    if kind == "string_type" and isinstance(value, bool | int | float):
        return f'; put it in quotes, "{value}"' if not isinstance(value, bool) else "; quote it"
    if kind in ("int_type", "float_type") and isinstance(value, str) and value.isdecimal():
        return f"; remove the quotes, {value[:30]}"
    if kind == "bool_type" and isinstance(value, str):
        truths = {"yes": "true", "on": "true", "no": "false", "off": "false"}
        truth = truths.get(value.lower())
        return f"; write {truth}" if truth else ""
    if kind == "tuple_type" and isinstance(value, str):
        return "; write [...] around it, with a comma between its parts"
    return ""
