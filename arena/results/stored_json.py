"""JSON texts of a database, which a stranger may have made."""

import json
from itertools import chain
from typing import Any

MAX_JSON = 16 * 1024 * 1024
"""Limit in characters of a JSON text to read, three times the largest config.

A text of a stranger may take twenty times its size in memory.
"""
JSON_DEPTH = 100
"""Limit of the levels of a JSON text to read, three times those of a config.

Python ends with an error where it reads, compares or writes a value of some 900 levels.
"""


def from_json(text: str) -> Any:
    """Return the value of a JSON text; raises ValueError if it is wrong, too long or too deep."""
    if len(text) > MAX_JSON:
        raise ValueError(f"a JSON text of {len(text)} characters; the limit is {MAX_JSON}")
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if text.count("{") + text.count("[") > JSON_DEPTH:
        _check_depth(value)
    return value


def _check_depth(value: Any) -> None:
    """Raise ValueError above JSON_DEPTH; a level at a time, since Python limits recursion."""
    level = [value]
    for _ in range(JSON_DEPTH + 1):
        containers = [each for each in level if isinstance(each, dict | list)]
        if not containers:
            return
        parts = (each.values() if isinstance(each, dict) else each for each in containers)
        level = list(chain.from_iterable(parts))
    raise ValueError(_TOO_DEEP)


_TOO_DEEP = f"a JSON text nested deeper than {JSON_DEPTH}"
