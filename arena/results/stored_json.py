"""JSON texts of a database, which a stranger may have made."""

import json
from typing import Any

MAX_JSON = 16 * 1024 * 1024
"""Limit in characters of a JSON text to read, three times the largest config.

A text of a stranger may take twenty times its size in memory.
"""


def from_json(text: str) -> Any:
    """Return the value of a JSON text; raises ValueError if it is wrong or too long."""
    if len(text) > MAX_JSON:
        raise ValueError(f"a JSON text of {len(text)} characters; the limit is {MAX_JSON}")
    return json.loads(text)
