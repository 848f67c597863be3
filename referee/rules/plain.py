"""Moves and states in wire form, and a plain notation, from the fields of their classes."""

from dataclasses import fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from protocol.vocabulary import Wire
from referee.rules.errors import NotationError

LONGEST = 12
"""Characters of the largest number in a plain notation."""


def wire_name(field: str) -> str:
    """Return the wire name of a field: `from_` is `from`, a keyword in Python."""
    return field.removesuffix("_")


def move_fields(move: Any) -> dict[str, Wire]:
    """Return the fields of a move or draw, by their names on the wire."""
    return {wire_name(field.name): getattr(move, field.name) for field in fields(move)}


def plain_notation(move: Any) -> str:
    """Return the fields of a move, separated by spaces: numbers and words."""
    return " ".join(str(getattr(move, name)) for name in _plain_types(type(move)))


def plain_move(move_type: type[Any], text: str) -> Any:
    """Return the move with these fields; raises NotationError for any other text."""
    types = _plain_types(move_type)
    words = text.split(" ")
    if len(words) != len(types):
        raise _no_move(types, text)
    try:
        values = [_value(kind, word) for kind, word in zip(types.values(), words, strict=True)]
    except ValueError:
        raise _no_move(types, text) from None
    return move_type(*values)


def plain_view(state: Any) -> dict[str, Wire]:
    """Return the fields of a state by name, tuples as lists; it is a named tuple or dataclass."""
    if is_dataclass(state):
        found = {field.name: getattr(state, field.name) for field in fields(state)}
    elif hasattr(state, "_asdict"):
        found = state._asdict()
    else:
        raise NotImplementedError("the state has no named fields: define view")
    return {wire_name(name): _wire(value) for name, value in found.items()}


def plain_diagram(view: dict[str, Wire]) -> str:
    """Return a view in lines of names and values, without the turn and the ply."""
    return "\n".join(f"{key}: {view[key]}" for key in view if key not in ("turn", "ply"))


def _plain_types(move_type: type[Any]) -> dict[str, type[Any]]:
    types = get_type_hints(move_type)
    if not all(kind in (int, str) or _words_of(kind) for kind in types.values()):
        wrong = f"{move_type.__name__} has more than numbers and words"
        raise NotImplementedError(f"{wrong}: define notation and parse")
    return types


def _words_of(kind: Any) -> tuple[str, ...]:
    """Return the words of a field like `Literal["raise", "call"]`; none if it is another."""
    words = get_args(kind) if get_origin(kind) is Literal else ()
    are_words = all(isinstance(word, str) and word.split() == [word] for word in words)
    return words if are_words else ()


def _value(kind: type[Any], word: str) -> Wire:
    if words := _words_of(kind):
        if word in words:
            return word
        raise ValueError
    if kind is str:
        if word and word.isprintable():
            return word
        raise ValueError
    value = int(word) if len(word) <= LONGEST else None
    if str(value) != word:  # not 01, +1, 1_000 or a digit of another script
        raise ValueError
    return value


def _wire(value: Any) -> Wire:
    if isinstance(value, tuple | list):
        return [_wire(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    raise NotImplementedError(f"no message may have a {type(value).__name__}: define view")


def _no_move(types: dict[str, type[Any]], text: str) -> NotationError:
    parts = [f"{wire_name(name)} ({_described(kind)})" for name, kind in types.items()]
    return NotationError(f'"{text}" is not a move: write {" and ".join(parts)}')


def _described(kind: Any) -> str:
    return " or ".join(_words_of(kind)) or ("a number" if kind is int else "a word")
