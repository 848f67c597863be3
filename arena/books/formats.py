"""Formats of books of chess openings, by the endings of their names."""

from typing import Final

POLYGLOT: Final = "bin"
FORMATS: Final = ("pgn", "epd", "fen", POLYGLOT)
CUT_FORMATS: Final = ("pgn", POLYGLOT)
"""Formats with moves, of which the first ones may be taken."""


def format_of(file: str) -> str | None:
    """Return the format of a book, which may be compressed; None for any other file."""
    name, dot, ending = file.lower().removesuffix(".gz").rpartition(".")
    return ending if name and dot and ending in FORMATS else None
