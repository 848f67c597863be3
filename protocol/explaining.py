"""Explain an invalid message to its author; only after a check has failed, so nothing is fast."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import msgpack
from pydantic_core import ErrorDetails

from protocol.vocabulary import MAX_INTEGER, MESSAGE_DEPTH
from protocol.wording import did_you_mean, shown, value_text

MAX_NAME = 100
"""Limit in characters of a field's name in a path; a longer name is cut short."""

Path = tuple[int | str, ...]


class _Map(list[tuple[Any, Any]]):
    """A map as its pairs, to keep duplicate and wrong keys."""


def encoding_fault(payload: bytes) -> str | None:
    """Return the first value forbidden on the wire, with its field; None if unknown."""
    try:
        message = msgpack.unpackb(
            payload, object_pairs_hook=_Map, strict_map_key=False, unicode_errors="replace"
        )
    except msgpack.ExtraData as error:
        return None if isinstance(error.unpacked, _Map) and error.unpacked else _foreign(payload)
    except Exception:  # noqa: BLE001 - msgpack raises a dozen types
        return None
    if not isinstance(message, _Map):
        return None
    return next(_faults(message, (_type_of(message),)), None)


def _foreign(payload: bytes) -> str | None:
    """Say what else than msgpack the bytes are, such as JSON; None if unknown."""
    if payload.startswith(b"\x80") and payload.endswith(b"."):
        return "a pickle; encode the map as msgpack"
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        return None
    if not all(sign.isprintable() or sign.isspace() for sign in text):
        return None
    return f"plain text; encode the map as msgpack, not {shown(text)}"


def field_fault(
    type_name: str, fault: ErrorDetails, fields: Collection[str], known: Collection[str], move: str
) -> str:
    """Return a fault of validation with its field, and how to cure a usual mistake.

    `fields` are the names in the message, `known` those of valid fields. `move` is the form of a
    move in a reply with one, otherwise "".
    """
    path = path_text((type_name, *fault["loc"]))
    if fault["type"] == "extra_forbidden":
        said = "unknown field"
    elif fault["type"] == "missing":
        said = "missing"
    else:
        said = explain(fault)
    return f"{path}: {said}{_hint(fault, fields, known, move)}"


def explain(fault: "ErrorDetails") -> str:
    """Return the expected and the actual value as a sentence, like "must be true or false"."""
    context = fault.get("ctx", {})
    if fault["type"] in _CUSTOM:
        return fault["msg"].removeprefix("Value error, ")
    if sentence := _SENTENCES.get(fault["type"]):
        return sentence.format(**context)
    wanted = _WANTED.get(fault["type"])
    if wanted is None:
        return f"{fault['msg'][0].lower()}{fault['msg'][1:]}, not {value_text(fault['input'])}"
    words = {key: _in_words(value) for key, value in context.items()}
    return f"must be {wanted.format(**words)}, not {value_text(fault['input'])}"


def _hint(fault: ErrorDetails, fields: Collection[str], known: Collection[str], move: str) -> str:
    """Return the nearest valid name, the form of a move, or a number without quotes; or ""."""
    field, *inside = map(str, fault["loc"] or ("",))
    kind, value = fault["type"], fault["input"]
    if kind == "int_type" and isinstance(value, str) and _DIGITS.fullmatch(value):
        return "; send the number without quotes"
    if kind == "extra_forbidden" and not inside:
        is_about_move = "move" not in fields
        near = did_you_mean(field, known)
        is_a_move = is_about_move and isinstance(value, Mapping) and '"move"' not in near
        if near.startswith("did you mean") and not is_a_move:
            return f"; {near}"
    else:
        is_about_move = field == "move" and kind in _WRONG_SHAPES
    return f'; a move is sent as "move": {move}' if move and is_about_move else ""


_DIGITS = re.compile("-?[0-9]{1,15}")
_WRONG_SHAPES = ("extra_forbidden", "missing", "model_type", "dict_type")


def path_text(path: Path) -> str:
    """Return the path of a value as text, like `play.claims.captures[0]`."""
    first, *rest = path
    return _name(first) + "".join(
        f"[{part}]" if isinstance(part, int) else f".{_name(part)}" for part in rest
    )


def _type_of(message: _Map) -> str:
    kinds = [value for key, value in message if key == "type" and isinstance(value, str)]
    return kinds[0] if kinds else "message"


def _faults(value: object, path: Path) -> Iterator[str]:
    if isinstance(value, _Map | list):
        if len(path) > MESSAGE_DEPTH:
            yield f"{path_text(path[:4])}: nested deeper than {MESSAGE_DEPTH}"
            return
        yield from _faults_of_map(value, path) if isinstance(value, _Map) else ()
        pairs = value if isinstance(value, _Map) else enumerate(value)
        for key, inside in pairs:
            yield from _faults(inside, (*path, key if isinstance(key, int) else str(key)))
    elif (sentence := _sentence(value)) is not None:
        yield f"{path_text(path)}: {sentence}"


def _faults_of_map(pairs: _Map, path: Path) -> Iterator[str]:
    if not pairs:
        yield f"{path_text(path)}: an empty map is not allowed; omit the field"
    seen = set()
    for key, _ in pairs:
        if not isinstance(key, str):
            yield f"{path_text(path)}: the key {shown(key)} is not text"
        elif key in seen:
            yield f"{path_text(path)}: duplicate key {shown(key)} in a map"
        else:
            seen.add(key)


def _sentence(value: object) -> str | None:
    for kind, sentence in _FORBIDDEN:
        if isinstance(value, kind):
            return sentence(value)
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        return f"the integer {value} is outside +-2^53"
    return None


_FORBIDDEN: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (float, lambda value: f"{value!r} is a float; send an integer"),
    (bytes, lambda value: f"{len(value)} bytes of binary data; send text"),
    (msgpack.ExtType, lambda _: "an extension type is not allowed"),
    (msgpack.Timestamp, lambda _: "an extension type is not allowed"),
)


def _name(part: object) -> str:
    text = str(part)
    is_plain = len(text) <= MAX_NAME and text.isascii() and text.isprintable()
    return text if is_plain else shown(text)


def _in_words(value: object) -> object:
    if isinstance(value, float):
        return f"{value:g}"
    # pydantic writes 'a', 'b' or 'c'; everything here quotes with double quotes
    return value.replace("'", '"') if isinstance(value, str) else value


_CUSTOM = frozenset({"option", "wrong", "value_error", "assertion_error"})
_SENTENCES = {
    "missing": "is missing",
    "too_short": "must have {min_length} or more items",
    "too_long": "must have {max_length} or fewer items",
}
_WANTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "text",
    "none_required": "left out",
    "tuple_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
    "literal_error": "{expected}",
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "{le} or less",
    "less_than": "less than {lt}",
    "multiple_of": "a multiple of {multiple_of}",
    "string_too_short": "{min_length} characters or more",
    "string_too_long": "{max_length} characters or fewer",
}
