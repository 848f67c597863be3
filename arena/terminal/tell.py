"""Output of a command: results to stdout, notices to stderr; tolerates a closed reader."""

import os
import sys
from typing import TextIO

from arena.streams import lasting


def is_colored(stream: TextIO) -> bool:
    """Whether to write in colour: to a terminal, unless NO_COLOR is set (https://no-color.org)."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not is_plain


def tell(line: str) -> None:
    """Print a notice to stderr."""
    print(line, file=lasting(sys.stderr), flush=True)


def print_result(text: str) -> None:
    """Print a result to stdout."""
    print(text, file=lasting(sys.stdout), flush=True)


def has_screen() -> bool:
    """Whether stdin and stdout are a terminal to draw on."""
    try:
        from arena.terminal.screen import is_available
    except ImportError:  # a Python without curses
        return False
    return is_available()
