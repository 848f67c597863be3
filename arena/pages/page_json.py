"""Data of pages as JSON."""

import json
from typing import Any

_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def json_bytes(value: Any) -> bytes:
    """Encode a value; half of a surrogate pair, as in a forged record, becomes its escape."""
    return _ENCODER.encode(value).encode(errors="backslashreplace")
