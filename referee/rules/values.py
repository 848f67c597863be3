"""What a message may have: None, booleans, integers, texts, and lists and maps of them."""

from collections.abc import Mapping
from typing import Any

from protocol.vocabulary import MAX_INTEGER
from protocol.wording import shown


def value_fault(value: Any, where: str) -> str | None:
    """Return the part of a value that no message may have, and where it is; None if it is fine."""
    kind = type(value)
    if value is None or kind in (bool, str):
        return None
    if kind is int:
        return f"{where}: {value} is beyond ±2^53" if abs(value) > MAX_INTEGER else None
    if kind is dict:
        return _map_fault(value, where)
    if isinstance(value, list | tuple):
        parts = (value_fault(item, f"{where}[{number}]") for number, item in enumerate(value))
        return next(filter(None, parts), None)
    return f"{where}: {shown(value, 1000)} is neither None, bool, int, text, list nor map"


def view_fault(view: Any) -> str | None:
    """Return what is wrong with the view of a seat, as the end of a sentence; None if it is fine.

    Its `turn` and `ply` are left to the contract test.
    """
    if type(view) is not dict:
        return f"returns {shown(view)}, not a map like {{'turn': 0, 'ply': 0}}"
    if fault := _map_fault(view, "view"):
        return f"returns what no message may have: {fault}"
    return None


def _map_fault(value: Mapping[Any, Any], where: str) -> str | None:
    if not value or any(type(key) is not str for key in value):
        return f"{where}: a map needs text keys, and one at least: {shown(value, 1000)}"
    parts = (value_fault(item, f"{where}: {key}") for key, item in value.items())
    return next(filter(None, parts), None)
