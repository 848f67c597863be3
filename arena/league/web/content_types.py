"""The header Content-Type of a request: readable, and of UTF-8 alone, as every browser sends it.

Django decodes addresses and forms by the encoding that this header names. Some of Python's make no
text of bytes, and some spellings of the header end the request before Django can answer it: a
stranger could have as many internal errors in the log as requests.
"""

from collections.abc import Iterable

from django.utils.http import parse_header_parameters

from referee.errors import UNCHECKED

_ENCODING = "utf-8"


def is_in_utf_8(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether the header can be read, and names no other encoding."""
    given = [value.decode("latin-1") for name, value in headers if name == b"content-type"]
    try:
        _, named = parse_header_parameters(",".join(given))  # joined as Django joins them
    except UNCHECKED:
        return False
    encoding: str = named.get("charset", _ENCODING)
    return encoding.lower() == _ENCODING
