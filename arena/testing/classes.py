"""What a game's class must define before anything of the game can be played."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from inspect import isabstract
from typing import Any, get_origin

from arena.testing.errors import BrokenRuleError
from protocol.messages import MAX_SEATS
from protocol.wording import shown
from referee.catalog import AnyGame
from referee.rules import Game
from referee.rules.showing import Margins


def check_class(cls: Any) -> None:
    """Raise BrokenRuleError if a class is no complete game, before anything is played."""
    __tracebackhide__ = True
    name = getattr(cls, "__name__", shown(cls))
    if found := next(_faults(cls), None):
        raise BrokenRuleError(f"{name} is no complete game: {found}")


def _faults(cls: Any) -> Iterator[str]:
    """Yield what is wrong with a game's class; a later fault may come from an earlier one."""
    if not (isinstance(cls, type) and issubclass(cls, Game)):
        yield "it does not inherit from `Game` of `referee.rules`"
        return
    if missing := [name for name in ("seats", "move_type") if not hasattr(cls, name)]:
        yield f"it does not define `{missing[0]}`"
    if isabstract(cls):
        yield f"it does not define the method `{min(cls.__abstractmethods__)}`"
    yield from _of_the_dataclass(cls)
    yield from _of_attributes(cls)


def _of_the_dataclass(cls: type[AnyGame]) -> Iterator[str]:
    cure = "write `@dataclass(frozen=True, kw_only=True)` above the class"
    options = [name for name, hint in _annotations(cls) if not _is_class_var(hint)]
    if not is_dataclass(cls):
        yield f"it is no dataclass; {cure}"
    elif not is_frozen(cls):
        yield f"its options can change, since the class is not frozen; {cure}"
    elif "__dataclass_params__" not in vars(cls) and options:
        yield f"`{options[0]}` is no option, since the class itself is no dataclass; {cure}"
    for field in _fields(cls):
        has_default = (field.default, field.default_factory) != (dataclasses.MISSING,) * 2
        if field.init and not has_default:
            yield f"the option `{field.name}` has no default; give it one"


def _fields(cls: Any) -> Sequence[dataclasses.Field[Any]]:
    return fields(cls) if is_dataclass(cls) else ()


def _annotations(cls: type[Any]) -> list[tuple[str, Any]]:
    return list(vars(cls).get("__annotations__", {}).items())


def _is_class_var(hint: Any) -> bool:
    return "ClassVar" in str(hint if isinstance(hint, str) else get_origin(hint) or hint)


def _of_attributes(cls: type[AnyGame]) -> Iterator[str]:
    yield from _of_names(cls)
    seats: object = cls.seats
    if not (isinstance(seats, range) and seats and 1 <= min(seats) <= max(seats) <= MAX_SEATS):
        yield (
            f"`seats` must be a range of numbers from 1 to {MAX_SEATS}, like range(2, 3) for two,"
            f" not {shown(seats)}"
        )
    for name in ("move_type", "chance_type", "claims_type"):
        kind = getattr(cls, name)
        is_fine = isinstance(kind, type) and is_dataclass(kind) and is_frozen(kind)
        if not is_fine and not (kind is None and name != "move_type"):
            yield f"`{name}` must be a frozen dataclass, not {_kind(kind)}"
    yield from _of_words(cls)


def _of_words(cls: type[AnyGame]) -> Iterator[str]:
    for name in ("seat_names", "seat_marks", "asked_options"):
        value: object = getattr(cls, name)
        if not (isinstance(value, tuple) and all(type(each) is str for each in value)):
            yield f"`{name}` must be a tuple of texts, not {shown(value)}"
    for name in ("is_known_by_view", "is_pointless_draw_lost"):
        if type(flag := getattr(cls, name)) is not bool:
            yield f"`{name}` must be True or False, not {shown(flag)}"
    known = [field.name for field in _fields(cls)]
    if unknown := [name for name in cls.asked_options if name not in known]:
        yield f"`asked_options` has {shown(unknown[0])}, which is no option"
    if not isinstance(cls.margins, Margins):
        yield f"`margins` must be Margins(...), not {shown(cls.margins)}"


def _of_names(cls: type[AnyGame]) -> Iterator[str]:
    for name in ("name", "summary"):
        text: object = getattr(cls, name, None)
        if text is None:
            yield f"it has no `{name}`; write a docstring or `{name}: ClassVar[str] = ...`"
        elif not isinstance(text, str) or not text.isprintable() or not text.strip():
            yield f"`{name}` must be a text in one line, not {shown(text)}"
    if " " in getattr(cls, "name", ""):
        yield f"`name` must be one word, not {shown(cls.name)}"


def is_frozen(kind: type[Any]) -> bool:
    """Whether a class is a frozen dataclass, or inherits from one."""
    params: Any = getattr(kind, "__dataclass_params__", None)
    return bool(params and params.frozen)


def _kind(value: object) -> str:
    if isinstance(value, type):
        return f"{value.__name__}, which is {'not frozen' if is_dataclass(value) else 'none'}"
    return shown(value)
