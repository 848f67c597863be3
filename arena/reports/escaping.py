"""Text of strangers in XML, Markdown, CSV and GitHub's log commands, always escaped.

A bot chooses the text of its faults and its output. Such text must not end a tag or a table, turn
the reading direction, become a formula, forge a command of the log, or have characters forbidden in
XML.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from protocol.wording import escaped, visible

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&])")
_BEGINNING = re.compile(r"^(?=[#+=-])|^([0-9]+)(?=[.)])")
"""Start of a heading, a list or a rule."""
_LINK = re.compile(r"(?i)(://|www\.|@)")
_FORMULA = re.compile(r"(^|;)(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")
"""Start of a cell with a formula; some programs also separate cells by ;."""
_NUMBERS = re.compile(r"-?[0-9]+(,-?[0-9]+)*")
"""A cell of numbers, like the move -1,2 of Pente: other programs read it as it is."""
_LOG_COMMAND = re.compile(r"(^|[\r\n])(\s*):(?=:)")


CELL = 300
"""Limit of characters of a cell."""
DETAIL = 20_000
"""Limit of characters of a text in a box."""


def cut(text: str, limit: int) -> str:
    """Return the text, cut to a limit with the number of omitted characters."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}... ({len(text) - limit} characters more)"


def xml_text(text: str) -> str:
    """Return the text as it may stand between tags, and within `<pre>` of a page."""
    from html import escape

    return escape(visible(text), quote=False)


def markdown(text: str) -> str:
    """Return the text as words of Markdown that mean nothing but themselves, in tables too."""
    line = " ".join(visible(text).split())
    return _LINK.sub(_unlinked, _MARKDOWN.sub(r"\\\1", line))


def paragraph(text: str) -> str:
    """Return the text as a separate paragraph."""
    return _BEGINNING.sub(r"\1\\", markdown(text))


def _unlinked(found: re.Match[str]) -> str:
    return "".join(f"&#{ord(sign)};" if sign in ":.@" else sign for sign in found[0])


def table_parts(header: Sequence[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the head of a table of Markdown, and its rows, each as whole lines."""
    head = _row(header)
    yield f"\n{head}|{'---|' * len(header)}\n"
    yield from map(_row, rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(markdown(cut(cell, CELL)) for cell in cells)} |\n"


def csv_cell(text: str) -> str:
    """Return the text as a cell of one line; one that a spreadsheet takes for a formula gets a `'`.

    A row is a line of the file: many programs, such as grep or sort, read CSV line by line.
    """
    return text if _NUMBERS.fullmatch(text) else _FORMULA.sub(r"\1'", escaped(text))


def command_data(text: str) -> str:
    """Return the text as the message of a command of GitHub's log."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def command_value(text: str) -> str:
    """Return the text as the value of a property of such a command."""
    return command_data(text).replace(":", "%3A").replace(",", "%2C")


def no_command(text: str) -> str:
    """Return the text with what GitHub's log would take for a command made harmless."""
    return _LOG_COMMAND.sub(r"\1\2: ", text).replace("##[", "## [")
