"""Text for terminals and pipes: aligned tables, readable times and numbers."""

import shlex
import shutil
import textwrap
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TextIO

from protocol.wording import visible

GAP = "  "
"""Text between the columns of a table."""
LEAST_TEXT = 12
"""Least width in characters of a column with cut texts."""
DEFAULT_DB = "arena.db"
"""Database of a command without --db."""


Tone = Callable[[str, str], str]
"""Function that returns the colour of a cell, as ANSI codes, by its column's name and its text."""


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: int = 1,
    tone: Tone | None = None,
) -> str:
    """Return rows under a header in aligned columns, the first `left` of them flush left."""
    widths = [max(len(cell) for cell in column) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        aligned = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return GAP.join(aligned).rstrip()

    def toned(cells: Sequence[str]) -> str:
        if tone is None:
            return line(cells)
        codes = [tone(column, cell) for column, cell in zip(header, cells, strict=True)]
        spans = _spans(cells, widths, left)
        text = line(cells)
        for (start, end), code in reversed(list(zip(spans, codes, strict=True))):
            if code:
                text = f"{text[:start]}\x1b[{code}m{text[start:end]}\x1b[0m{text[end:]}"
        return text

    rule = line(["-" * width for width in widths])
    return "\n".join([line(header), rule, *map(toned, rows)])


def _spans(cells: Sequence[str], widths: Sequence[int], left: int) -> list[tuple[int, int]]:
    """Return start and end of each cell's text in its aligned line."""
    spans, at = [], 0
    for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        start = at if place < left else at + width - len(cell)
        spans.append((start, start + len(cell)))
        at += width + len(GAP)
    return spans


def in_blocks(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None,
    tone: Tone | None = None,
) -> str:
    """Return the table, cut into blocks of columns that fit `width`; each has the first column."""
    columns = list(zip(header, *rows, strict=True))
    blocks: list[list[tuple[str, ...]]] = [[]]
    for column in columns[1:]:
        shown = table(*_lines_of([columns[0], *blocks[-1], column])).splitlines()
        if blocks[-1] and width is not None and max(map(len, shown)) > width:
            blocks.append([])
        blocks[-1].append(column)
    return "\n\n".join(table(*_lines_of([columns[0], *block]), tone=tone) for block in blocks)


def _lines_of(columns: Sequence[Sequence[str]]) -> tuple[Sequence[str], list[Sequence[str]]]:
    """Return the header and the rows of columns."""
    header, *rows = zip(*columns, strict=True)
    return header, [*rows]


def narrowed(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: int,
    spare: Sequence[str],
    width: int | None,
    tone: Tone | None = None,
) -> str:
    """Return the table; drop columns, in the order of `spare`, until it fits `width`.

    If it still does not fit, texts of the last column are cut between words.
    """
    lines = table(header, rows, left=left)
    too_wide = 0 if width is None else max(map(len, lines.splitlines())) - width
    if too_wide <= 0:
        return table(header, rows, left=left, tone=tone)
    if not spare:
        space = max(len(cells[-1]) for cells in rows) - too_wide if left >= len(header) else 0
        if space < LEAST_TEXT:
            return table(header, rows, left=left, tone=tone)
        cut = [
            [*cells[:-1], textwrap.shorten(cells[-1], space, placeholder="...")] for cells in rows
        ]
        return table(header, cut, left=left, tone=tone)
    place = list(header).index(spare[0])
    cut = [[*cells[:place], *cells[place + 1 :]] for cells in (header, *rows)]
    return narrowed(cut[0], cut[1:], left=left, spare=spare[1:], width=width, tone=tone)


def width_of(stream: TextIO) -> int | None:
    """Return the width of a terminal in columns; None if the stream is not a terminal."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def seconds(nanoseconds: int) -> str:
    """Return a time with a suitable unit."""
    if nanoseconds < 1_000_000:
        return f"{nanoseconds / 1e3:.0f} µs"
    if nanoseconds < 1_000_000_000:
        return f"{nanoseconds / 1e6:.1f} ms"
    return f"{nanoseconds / 1e9:.2f} s"


def duration(whole_seconds: float) -> str:
    """Return a duration as text: 42 s, 3 min 5 s, 2 h 10 min."""
    total = round(whole_seconds)
    if total < 60:
        return f"{total} s"
    if total < 3600:
        return f"{total // 60} min {total % 60} s"
    return f"{total // 3600} h {total % 3600 // 60} min"


def score(value: Decimal) -> str:
    """Return a score with at most three decimals, without trailing zeros."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: 1 match, 2 matches."""
    if count == 1:
        return f"{count} {noun}"
    return f"{count} {noun}es" if noun.endswith(("ch", "s", "x")) else f"{count} {noun}s"


def db_option(db: Path | str) -> str:
    """Return the shell-quoted --db option for this database; empty for the default."""
    return "" if str(db) == DEFAULT_DB else f" --db {shlex.quote(str(db))}"


def resume_text(words: Sequence[str], *, is_new: bool = False) -> str:
    """Return the advice for an interrupted command: the command to resume it.

    `words` are the words of the command line after `arena`. With `is_new`, --new is dropped, since
    the command would start over.
    """
    kept = [word for word in words if word != "--new"] if is_new else words
    return f"resume with: {shlex.join(['arena', *kept])}"


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text, long ones in parts; indents stay, escapes are shown."""
    lines = []
    for line in visible(text).splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        parts = textwrap.wrap(line, max(2, width), subsequent_indent=indent[: width // 2])
        lines += parts or [""]
    return lines


def beside(text: str, aside: str, width: int) -> str:
    """Return a line with a second text at its right end, if there is room for it."""
    space = width - len(text) - 1
    return f"{text}{aside:>{space}}" if space > len(aside) else text
