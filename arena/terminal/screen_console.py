"""A person's console on a whole screen: the players, the board, a message, a line to type in."""

from arena.people.person import PersonScene, Quit
from arena.terminal.board import STEP, Drawing, View, centred, draw, limited, view_text, window
from arena.terminal.lines import PROMPT, header, status
from arena.terminal.screen import Screen
from arena.text import beside, wrapped
from referee.rules import Margins

MAX_LINE = 300
"""Limit of a typed line, in characters."""


class ScreenConsole:
    """The match of a person on a screen; arrows scroll a board that does not fit."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._title = ""
        self._drawing = Drawing((), Margins())
        self._message: list[str] = []
        self._view = View()

    def show(self, scene: PersonScene) -> None:
        """Show the position, with the last moves in sight."""
        self._title = header(scene)
        self._drawing = draw(scene.game, scene.state, scene.before, scene.places, scene.seat)
        most = max(1, self._screen.height // 4)
        self._message = wrapped(status(scene), self._screen.width)[:most]
        self._view = centred(self._drawing, self._view, *self._room())
        self._paint("")

    def say(self, text: str) -> None:
        """Show a message under the board, a long one on a separate page."""
        lines = wrapped(text, self._screen.width)
        if len(lines) > max(1, self._screen.height // 4):
            self._screen.page(self._title, text)
        else:
            self._message = lines
        self._screen.redraw()

    def read(self) -> str:
        """Return the typed line; raises Quit at the end of the input."""
        typed = ""
        while True:
            self._paint(f"{PROMPT}{typed}_")
            key = self._screen.key()
            if key == "enter":
                return typed
            if key == "end of input" and not typed:
                raise Quit
            typed = self._edited(typed, key)

    def wait(self, text: str) -> None:
        """Show a last message until Enter, q or the end of the input."""
        self._message = wrapped(text, self._screen.width)
        while True:
            self._paint("Enter: leave")
            key = self._screen.key()
            if key in ("enter", "q", "escape", "end of input"):
                return
            self._edited("", key)

    def _edited(self, typed: str, key: str) -> str:
        """Return the line after a key that is not Enter; arrows scroll the board."""
        height, width = self._room()
        steps = {
            "up": (-1, 0),
            "down": (1, 0),
            "page up": (-height // 2, 0),
            "page down": (height // 2, 0),
            "left": (0, -STEP),
            "right": (0, STEP),
        }
        if key in steps:
            lines, columns = steps[key]
            view = View(self._view.line + lines, self._view.column + columns)
            self._view = limited(self._drawing, view, height, width)
        elif key == "backspace":
            return typed[:-1]
        elif key in ("clear", "escape"):
            return ""
        elif key == "space":
            return f"{typed} "
        elif len(key) == 1 and key.isprintable() and len(typed) < MAX_LINE:
            return typed + key
        return typed

    def _room(self) -> tuple[int, int]:
        return max(1, self._screen.height - 2 - len(self._message)), self._screen.width

    def _paint(self, prompt: str) -> None:
        height, width = self._room()
        view = limited(self._drawing, self._view, height, width)
        board = window(self._drawing, view, height, width)
        cut = prompt if len(prompt) < width else f"…{prompt[-width + 2 :]}"
        scroll = view_text(self._drawing, view, height, width)
        bottom = beside(cut, scroll, width)
        self._screen.draw(
            [beside(self._title, "? for help", width), *board, *self._message, bottom]
        )
