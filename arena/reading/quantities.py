"""Times and sizes in configs: text with a unit, never a bare number."""

import re
from decimal import Decimal
from typing import Final

from referee.job import MILLISECOND_NS, SECOND_NS

MB: Final = 1 << 20

DURATION_PATTERN: Final = r"^[0-9]{1,9}(\.[0-9]{1,6})?(ms|s|m|h)$"
SIZE_PATTERN: Final = r"^[0-9]{1,9}(B|KB|MB|GB)$"

_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ms|s|m|h)")
_SIZE = re.compile(r"([0-9]{1,9})(B|KB|MB|GB)")
_NS = {"ms": MILLISECOND_NS, "s": SECOND_NS, "m": 60 * SECOND_NS, "h": 3600 * SECOND_NS}
_BYTES = {"B": 1, "KB": 1 << 10, "MB": MB, "GB": 1 << 30}


def parse_duration(text: str) -> int:
    """Return the nanoseconds of "500ms", "1.5s", "2m" or "1h", or raise ValueError."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError("must be a time with its unit, like 500ms, 10s or 2m")
    return int(Decimal(match[1]) * _NS[match[2]])


def format_duration(nanoseconds: int) -> str:
    """Return the shortest text in s or ms that reads as this time."""
    if nanoseconds % SECOND_NS == 0:
        return f"{nanoseconds // SECOND_NS}s"
    whole, rest = divmod(nanoseconds, MILLISECOND_NS)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".") + "ms"


def parse_size(text: str) -> int:
    """Return the bytes of "512MB" (a KB is 1024 bytes, a MB 1024 KB), or raise ValueError."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError("must be a size with its unit, like 512KB, 64MB or 2GB")
    return int(match[1]) * _BYTES[match[2]]


def format_size(size: int) -> str:
    """Return a size in the largest unit with a whole number."""
    for unit in ("GB", "MB", "KB"):
        if size and size % _BYTES[unit] == 0:
            return f"{size // _BYTES[unit]}{unit}"
    return f"{size}B"
