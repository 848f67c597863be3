"""The text of a user's file, as editors of any system write it."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from typing import Final

_UTF16: Final = (BOM_UTF16_LE, BOM_UTF16_BE)
UTF16_TEXT: Final = "is UTF-16 text, as some programs of Windows write it; save it as UTF-8"


class NoTextError(ValueError):
    """A file is no text in UTF-8; the message is the end of a sentence about it."""


def is_utf16(data: bytes) -> bool:
    """Whether a file begins with the mark of UTF-16."""
    return data.startswith(_UTF16)


def decoded(data: bytes) -> str:
    """Return the text of a file in UTF-8, without a mark at its begin; raises NoTextError."""
    if is_utf16(data):
        raise NoTextError(UTF16_TEXT)
    try:
        return data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        at = error.start + (len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0)
        line = data.count(b"\n", 0, at) + 1
        raise NoTextError(f"is not UTF-8 text: byte 0x{data[at]:02x} in line {line}") from None
