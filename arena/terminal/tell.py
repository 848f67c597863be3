"""Output of a command: results to stdout, notices to stderr; tolerates a closed reader."""

import sys

from arena.streams import lasting


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
