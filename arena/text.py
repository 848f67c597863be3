"""Text for terminals and pipes: aligned tables, readable times and numbers."""

import re
import shutil
import textwrap
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import zip_longest
from typing import Any, TextIO

from protocol.wording import visible

GAP = "  "
"""Text between the columns of a table."""
CUT = "..."
"""Mark at the place of left out text."""
LEAST_TEXT = 12
"""Least width in characters of a column with cut texts."""
MAX_DIGITS = 40
"""Limit of the digits of a score before the point."""


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
    widths = [max(map(columns, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str], codes: Sequence[str] = ()) -> str:
        aligned = [
            _aligned(cell, width, code, is_left=place < left)
            for place, (cell, width, code) in enumerate(zip_longest(cells, widths, codes))
        ]
        return GAP.join(aligned).rstrip()

    def toned(cells: Sequence[str]) -> str:
        if tone is None:
            return line(cells)
        return line(cells, [tone(name, cell) for name, cell in zip(header, cells, strict=True)])

    rule = line(["-" * width for width in widths])
    return "\n".join([line(header), rule, *map(toned, rows)])


_FIRST_MARK = "\u0300"
"""All printable characters before this one take one column; this one takes none."""


def columns(text: str) -> int:
    """Return the number of columns of a text in a terminal; a character takes none, one or two."""
    if text.isascii() or (max(text) < _FIRST_MARK and text.isprintable()):
        return len(text)
    from rich.cells import cell_len  # slow import, for few texts

    return cell_len(text)


def _aligned(cell: str, width: int, code: str | None, *, is_left: bool) -> str:
    """Return a cell of a line, in the colour of `code` if any; the padding has no colour."""
    padding = " " * (width - columns(cell))
    text = f"\x1b[{code}m{cell}\x1b[0m" if code else cell
    return f"{text}{padding}" if is_left else f"{padding}{text}"


def in_blocks(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None,
    tone: Tone | None = None,
) -> str:
    """Return the table in blocks of columns within `width`, each with the first column."""
    most = None if width is None else max(LEAST_TEXT, width // 2)
    if most is not None:
        rows = [[shortened(cells[0], most), *cells[1:]] for cells in rows]
    first, *others = zip(header, *rows, strict=True)
    blocks: list[list[tuple[str, ...]]] = [[]]
    for column in others:
        shown = table(*_lines_of([first, *blocks[-1], column])).splitlines()
        if blocks[-1] and width is not None and max(map(columns, shown)) > width:
            blocks.append([])
        blocks[-1].append(column)
    return "\n\n".join(table(*_lines_of([first, *block]), tone=tone) for block in blocks)


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
    """Return the table within `width`: `spare` columns are dropped, then long texts cut."""
    lines = table(header, rows, left=left)
    too_wide = 0 if width is None else max(map(columns, lines.splitlines())) - width
    if too_wide <= 0:
        return table(header, rows, left=left, tone=tone)
    present = [name for name in spare if name in header]
    if not present:
        last = left - 1
        space = max(LEAST_TEXT, max(columns(cells[last]) for cells in rows) - too_wide)
        cut = [[*cells[:last], shortened(cells[last], space), *cells[left:]] for cells in rows]
        return table(header, cut, left=left, tone=tone)
    place = list(header).index(present[0])
    cut = [[*cells[:place], *cells[place + 1 :]] for cells in (header, *rows)]
    left -= place < left
    return narrowed(cut[0], cut[1:], left=left, spare=present[1:], width=width, tone=tone)


def shortened(text: str, width: int) -> str:
    """Return a text of at most `width` columns: cut between words, or within long ones."""
    if columns(text) <= width:
        return text
    kept = ""
    for word in text.split():
        longer = f"{kept} {word}" if kept else word
        if columns(longer) + len(CUT) > width:
            break
        kept = longer
    if columns(kept) >= width // 2:
        return f"{kept}{CUT}"
    end = (width - len(CUT)) // 3  # names often differ at their ends
    return f"{_start(text, width - len(CUT) - end)}{CUT}{_start(text[::-1], end)[::-1]}"


def _start(text: str, width: int) -> str:
    """Return the longest beginning of a text that takes at most `width` columns."""
    size = taken = 0
    while size < len(text) and (taken := taken + columns(text[size])) <= width:
        size += 1
    while columns(text[:size]) > width:  # some signs are wider together
        size -= 1
    return text[:size]


def width_of(stream: TextIO) -> int | None:
    """Return the width of a terminal in columns; None if the stream is not a terminal."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def seconds(nanoseconds: int) -> str:
    """Return a time with a suitable unit."""
    if nanoseconds < 999_500:  # from here on it would be 1000 µs
        return f"{nanoseconds / 1e3:.0f} µs"
    if nanoseconds < 999_950_000:
        return f"{nanoseconds / 1e6:.1f} ms"
    return f"{nanoseconds / 1e9:.2f} s"


def cpu_time(nanoseconds: int, *, is_exact: bool) -> str:
    """Return a CPU time, with a mark if it is approximate."""
    return f"{'' if is_exact else '~'}{seconds(nanoseconds)}"


def duration(whole_seconds: float) -> str:
    """Return a duration as text: 42 s, 3 min 5 s, 2 h 10 min."""
    total = round(whole_seconds)
    if total < 60:
        return f"{total} s"
    if total < 3600:
        return f"{total // 60} min {total % 60} s"
    return f"{total // 3600} h {total % 3600 // 60} min"


def score(value: Decimal) -> str:
    """Return a score with at most three decimals, without trailing zeros.

    Raises ValueError for one that is no score of a match, which might have a billion digits.
    """
    if value.adjusted() >= MAX_DIGITS:
        raise ValueError(f"a score of more than {MAX_DIGITS} digits")
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def whole_score(value: Decimal) -> str:
    """Return a score with all of its decimals, for programs; raises ValueError as `score` does."""
    return (
        score(value) if value == 0 or value.adjusted() >= MAX_DIGITS else f"{value.normalize():f}"
    )


def scores(values: Sequence[Decimal]) -> list[str]:
    """Return the scores of a column, all with as many decimals as one of them needs."""
    texts = [score(value) for value in values]
    digits = max((len(each.partition(".")[2]) for each in texts), default=0)
    return [f"{Decimal(each):.{digits}f}" for each in texts]


def given(value: float) -> str:
    """Return a number with all digits that a user wrote: -1234567.5."""
    return f"{value:z.15g}"


def rough(value: float) -> str:
    """Return a number with at least four digits and all before the point: 0.01235, 123457."""
    return f"{value:z.0f}" if 9999.5 <= abs(value) < 1e15 else f"{value:z.4g}"


def config_value(value: object) -> str:
    """Return a value as in a config, where booleans are true and false."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: 1 match, 2 matches."""
    if count == 1:
        return f"{count} {noun}"
    if noun.endswith("ply"):
        return f"{count} {noun.removesuffix('y')}ies"
    return f"{count} {noun}es" if noun.endswith(("ch", "s", "x")) else f"{count} {noun}s"


_WHOLE = re.compile(r"`[^`]*`|\barena [a-z]+ .*$")
"""Commands in a text: they are copied, so no line may end inside."""
_FILLER = "\1"
"""Stands for the second column of a sign while a line is folded; no shown text has one."""
_NAME = re.compile(r"\S+(?: \S+)* {2,}(?=\S)")
"""The first cell of a row: its fact stands beside it, and continues there."""


def folded(text: str, width: int | None) -> str:
    """Return a text folded between words; lines with colours stay, as do all without `width`.

    A list item and a row of a name and a fact continue below their own text.
    """
    if width is None:
        return text
    return "\n".join(_folded(line, width) for line in text.split("\n"))


def _folded(line: str, width: int) -> str:
    if columns(line) <= width or "\x1b" in line:
        return line
    body = line.lstrip()
    name = _NAME.match(body)
    hang = columns(name[0]) if name else 2 * body.startswith("* ")
    indent = " " * min(len(line) - len(body) + hang, width // 2)
    kept = _WHOLE.sub(lambda found: found[0].replace(" ", "\0"), body)
    lines = _wrap(
        kept,
        width,
        initial_indent=line[: len(line) - len(body)],
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\0", " ")


def _wrap(line: str, width: int, **how: Any) -> list[str]:
    """Return the parts of a line as `textwrap.wrap` does, by columns: some signs take two."""
    filled = line if line.isascii() else "".join(s + _FILLER * (columns(s) - 1) for s in line)
    width -= _FILLER in filled  # a long word may be cut before the second column of a sign
    return [part.replace(_FILLER, "") for part in textwrap.wrap(filled, width, **how)]


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text, long ones in parts; indents stay, escapes are shown."""
    lines = []
    for line in visible(text).splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        parts = _wrap(line, max(2, width), subsequent_indent=indent[: width // 2])
        lines += parts or [""]
    return lines


def beside(text: str, aside: str, width: int) -> str:
    """Return a line with a second text at its right end, the first cut if half the line is left.

    Where a line is too narrow for that, the second text is left out.
    """
    space = width - columns(text) - columns(aside) - 1
    room = width - columns(aside) - 2
    if space <= 0 and room < width // 2:
        return text
    left = text if space > 0 else shortened(text, room)
    return f"{left}{' ' * (room + 1 - columns(left))}{aside}"
