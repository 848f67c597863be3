"""Output of a command: results to stdout, notices to stderr; tolerates a closed reader."""

import os
import re
import sys
from typing import TextIO

from arena.streams import lasting, piped
from arena.text import folded, width_of
from protocol.wording import visible

_COLORS = re.compile(r"(\x1b\[(?:0|1|31|32)m)")
"""Escape sequences of tables (`tones.py`): one of a stranger changes a colour and nothing else."""


def is_colored(stream: TextIO) -> bool:
    """Whether to write in colour: to a terminal, unless NO_COLOR is set (https://no-color.org)."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not is_plain


def shown(text: str) -> str:
    """Return a text with all but line ends and colours escaped.

    Names and reasons in a stranger's database could otherwise move the cursor.
    """
    if text.replace("\n", "").isprintable():
        return text
    parts = _COLORS.split(text)
    return "".join(part if number % 2 else visible(part) for number, part in enumerate(parts))


def tell(line: str) -> None:
    """Print a notice to stderr."""
    log = lasting(sys.stderr)
    log.write(f"{folded(shown(line), width_of(sys.stderr))}\n")  # `print` would write twice
    log.flush()


def print_result(text: str, stream: TextIO | None = None) -> None:
    """Print a result to stdout, or to `stream`; raises OSError where its disk is full."""
    stream = stream or sys.stdout
    print(folded(shown(text), width_of(stream)), file=piped(stream), flush=True)


def has_screen() -> bool:
    """Whether stdin and stdout are a terminal to draw on."""
    try:
        from arena.terminal.screen import is_available
    except ImportError:  # a Python without curses
        return False
    return is_available()
