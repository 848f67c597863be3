"""Data of pages as JSON."""

import json
from typing import Any


def json_bytes(value: Any) -> bytes:
    """Encode a value; half of a surrogate pair, as in a forged record, becomes its escape."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode(errors="backslashreplace")
