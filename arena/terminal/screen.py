"""A whole terminal to draw on, by the standard library's curses: keys by name, lines cut to fit."""

import contextlib
import curses
import locale
import os
import sys
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size

from arena.text import wrapped
from protocol.wording import aligned

LINE = 4096
"""Limit of a drawn line, in characters."""
_NAMES = {
    curses.KEY_LEFT: "left",
    curses.KEY_RIGHT: "right",
    curses.KEY_UP: "up",
    curses.KEY_DOWN: "down",
    curses.KEY_HOME: "home",
    curses.KEY_END: "end",
    curses.KEY_PPAGE: "page up",
    curses.KEY_NPAGE: "page down",
    curses.KEY_SLEFT: "shift left",
    curses.KEY_SRIGHT: "shift right",
    curses.KEY_BACKSPACE: "backspace",
    curses.KEY_ENTER: "enter",
    curses.KEY_RESIZE: "resize",
    "\n": "enter",
    "\r": "enter",
    "\x7f": "backspace",
    "\b": "backspace",
    "\x1b": "escape",
    "\x04": "end of input",
    "\x15": "clear",
    " ": "space",
}


def is_available() -> bool:
    """Whether stdin and stdout are a terminal that can be drawn on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    if os.environ.get("TERM", "dumb") in ("", "dumb", "unknown"):
        return False
    try:
        curses.setupterm()
        return bool(curses.tigetstr("cup") and curses.tigetstr("clear"))
    except curses.error:
        return False


@contextlib.contextmanager
def full_screen() -> Iterator["Screen"]:
    """Yield the terminal as a screen; always restore it afterwards."""
    locale.setlocale(locale.LC_ALL, "")
    os.environ.setdefault("ESCDELAY", "25")
    window = curses.initscr()
    try:
        curses.noecho()
        curses.cbreak()
        window.keypad(True)  # noqa: FBT003 - it takes no keyword
        with contextlib.suppress(curses.error):  # not every terminal can hide its cursor
            curses.curs_set(0)
        yield Screen(window)
    finally:
        window.keypad(False)  # noqa: FBT003 - it takes no keyword
        curses.echo()
        curses.nocbreak()
        curses.endwin()


class Screen:
    """The terminal in lines and columns; what is drawn never wraps and has no escapes."""

    def __init__(self, window: curses.window) -> None:
        self._window = window

    @property
    def height(self) -> int:
        """Lines of the terminal."""
        return max(1, self._window.getmaxyx()[0])

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return max(1, self._window.getmaxyx()[1])

    def draw(self, lines: Sequence[str], *, title: int | None = 0) -> None:
        """Replace all that is on the terminal; the line `title` is in reverse."""
        self._follow_size()
        self._window.erase()
        for number, line in enumerate(lines[: self.height]):
            text = aligned(line[:LINE])
            if number == title:
                self._put(number, set_cell_size(text, self.width), curses.A_REVERSE)
            else:
                self._put(number, text, curses.A_NORMAL)
        self._window.refresh()

    def key(self, seconds: float | None = None) -> str:
        """Wait for a key; return its name or character, "" after `seconds` without one."""
        self._window.timeout(-1 if seconds is None else max(0, round(seconds * 1000)))
        try:
            pressed = self._window.get_wch()
        except curses.error:
            return ""
        if pressed == curses.KEY_RESIZE:
            self.redraw()
        if isinstance(pressed, str):
            return _NAMES.get(pressed, pressed)
        return _NAMES.get(pressed, "unknown")

    def page(self, title: str, text: str) -> None:
        """Show a text of any length until a key leaves it."""
        first = 0
        while True:
            lines = wrapped(text, self.width)
            room = max(1, self.height - 2)
            last = max(0, len(lines) - room)
            first = max(0, min(first, last))
            more = "space: more, " if first < last else ""
            self.draw([title, *lines[first : first + room], f"{more}arrows scroll, q: back"])
            key = self.key()
            if key in ("q", "escape", "enter", "end of input") or (key == "space" and not more):
                return
            steps = {"up": -1, "down": 1, "space": room, "page up": -room, "page down": room}
            first = {"home": 0, "end": last}.get(key, first + steps.get(key, 0))

    def redraw(self) -> None:
        """Draw everything anew next time: the terminal may show what was not drawn here."""
        self._window.clearok(True)  # noqa: FBT003 - it takes no keyword

    def _follow_size(self) -> None:
        """Adopt a size that the terminal got while no key was waited for."""
        with contextlib.suppress(OSError, curses.error):
            columns, lines = os.get_terminal_size(sys.stdout.fileno())
            if lines and columns and (lines, columns) != self._window.getmaxyx():
                curses.resizeterm(lines, columns)
                self.redraw()

    def _put(self, number: int, text: str, attribute: int) -> None:
        if cell_len(text) > self.width:
            text = set_cell_size(text, self.width)
        # curses objects to writing the last cell, and to a terminal that shrank meanwhile
        with contextlib.suppress(curses.error, UnicodeEncodeError, ValueError):
            self._window.addstr(number, 0, text, attribute)
