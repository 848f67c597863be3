"""Texts of a stranger's database that have one line in any that Arena has written."""

from collections.abc import Iterable
from typing import Any

from protocol.wording import escaped


def one_line(row: Iterable[Any]) -> tuple[Any, ...]:
    """Return values with the unprintable characters of texts as escapes.

    A name with a line end would print rows of its own in a table, and one with a colour hide some.
    """
    return tuple(escaped(value) if isinstance(value, str) else value for value in row)
