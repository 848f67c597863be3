"""`arena replay`: step through a match on a whole screen, by keys or by itself."""

import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arena.people.result import result_text
from arena.terminal.board import STEP, Drawing, View, centred, limited, window
from arena.terminal.output import has_screen, print_result
from arena.terminal.story import (
    opening_steps,
    outputs_for,
    position_text,
    positions,
    printed_lines,
    replay_lines,
    step_drawing,
    step_line,
)
from arena.text import beside, width_of, wrapped
from protocol.vocabulary import Seat
from referee.records.record import Record

if TYPE_CHECKING:
    from arena.terminal.screen import Screen  # needs curses

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Speeds of autoplay, in moves a second."""
LINES = 2
"""Lines below the board, at least."""
FAR = 10
"""Moves of a long step."""
DIGITS = 6
"""Limit of the digits of a typed ply."""

HELP = f"""\
right, n           next move                 left, b            the move before
page down, J       {FAR} moves on               page up, K         {FAR} moves back
Home, g            the start                 End, e             the end
space              play or pause             + and -            faster or slower
number and Enter   jump to that ply          d                  all of this move
up, down, < and >  scroll a large board      q                  leave
"""


@dataclass(frozen=True, kw_only=True)
class Stepper:
    """Position and speed of a replay."""

    last: int
    """Index of the last position."""
    first: int = 0
    """Index of the position at ply 0; opening moves come before it."""
    place: int = 0
    is_playing: bool = False
    speed: int = 2
    """Index in SPEEDS."""
    typed: str = ""
    """Digits of the ply to jump to."""

    @property
    def wait_s(self) -> float | None:
        """Seconds until the next move of autoplay; None without autoplay."""
        return 1 / SPEEDS[self.speed] if self.is_playing else None

    def advanced(self) -> "Stepper":
        """Return the next state of autoplay, which stops at the end."""
        place = min(self.place + 1, self.last)
        return replace(self, place=place, is_playing=place < self.last)

    def after(self, key: str) -> "Stepper":
        """Return the state after a key."""
        if key.isascii() and key.isdigit():
            return replace(self, typed=(self.typed + key)[-DIGITS:], is_playing=False)
        if self.typed:
            return self._edited(key)
        if key in ("+", "=", "-"):
            speed = self.speed + (-1 if key == "-" else 1)
            return replace(self, speed=max(0, min(speed, len(SPEEDS) - 1)))
        if key == "space":  # at the end restart from the beginning
            place = self.place if self.place < self.last else 0
            return replace(self, place=place, is_playing=not self.is_playing)
        return self.at(self.place + _STEPS[key]) if key in _STEPS else self

    def at(self, place: int) -> "Stepper":
        """Return the state at a position, or at the nearest one there is."""
        return replace(self, place=max(0, min(place, self.last)), is_playing=False, typed="")

    def _edited(self, key: str) -> "Stepper":
        if key == "enter":
            return self.at(self.first + int(self.typed))
        if key == "backspace":
            return replace(self, typed=self.typed[:-1])
        return replace(self, typed="").after(key)


_ALL = 1 << 30
_STEPS = {
    **dict.fromkeys(("right", "n", "l", "enter"), 1),
    **dict.fromkeys(("left", "b", "p", "h", "backspace"), -1),
    **dict.fromkeys(("page down", "shift right", "J"), FAR),
    **dict.fromkeys(("page up", "shift left", "K"), -FAR),
    **dict.fromkeys(("home", "g"), -_ALL),
    **dict.fromkeys(("end", "e", "G"), _ALL),
}


def step_through(record: Record, title: str, at: int, seat: Seat | None) -> bool:
    """Show a position at a time to a seat or a spectator, until q; False without a screen."""
    if not has_screen():
        return False
    from arena.terminal.screen import full_screen

    # a wrong `at` is reported before the screen is taken
    replay = ReplayScreen(record, title, at, seat)
    with full_screen() as screen:
        replay.run(screen)
    return True


def print_match(
    record: Record, title: str, at: int | None, *, has_boards: bool, seat: Seat | None
) -> None:
    """Print a match: one position, or a line for each move, with all boards or the last."""
    width = width_of(sys.stdout)
    if at is None:
        lines = replay_lines(record, has_boards=has_boards, width=width, seat=seat)
        print_result("\n".join([title, *lines]))
    else:
        position = position_text(record.job, positions(record, at), at, width, seat)
        printed = "\n".join(printed_lines(record.job, outputs_for(record, seat).get(at, ())))
        print_result(f"{position}\n\n{printed}" if printed else position)


class ReplayScreen:
    """A match to step through."""

    def __init__(self, record: Record, title: str, at: int, seat: Seat | None = None) -> None:
        self._record = record
        self._seat = seat
        self._title = title
        opening = opening_steps(record.job)
        self._positions = [*opening, *positions(record, at)]
        self._result = result_text(record)
        self._outputs = outputs_for(record, seat)
        first, last = len(opening), len(self._positions) - 1
        self.stepper = Stepper(first=first, last=last, place=first + at)
        self._view = View()
        self._drawing = self._draw()

    def run(self, screen: "Screen") -> None:
        """Follow the keys until one of them leaves."""
        due = time.monotonic()
        while True:
            self._paint(screen)
            wait = self.stepper.wait_s
            key = screen.key(None if wait is None else max(0.0, due + wait - time.monotonic()))
            if key in ("q", "escape", "end of input"):
                return
            if not key:
                self._go(screen, self.stepper.advanced())
                due = time.monotonic()
            elif key == "?":
                screen.page(self._title, HELP)
            elif key == "d":
                lines = [*self._lines(), "", self._result]
                screen.page(self._title, "\n".join(lines))
            elif not self._scroll(screen, key):
                if not self.stepper.is_playing:
                    due = time.monotonic()
                self._go(screen, self.stepper.after(key))

    def _go(self, screen: "Screen", stepper: Stepper) -> None:
        is_moved = stepper.place != self.stepper.place
        self.stepper = stepper
        if is_moved:
            self._drawing = self._draw()
            self._view = centred(self._drawing, self._view, *self._room(screen))

    def _draw(self) -> Drawing:
        return step_drawing(self._record.job, self._positions, self.stepper.place, self._seat)

    def _scroll(self, screen: "Screen", key: str) -> bool:
        steps = {"up": (-1, 0), "down": (1, 0), "<": (0, -STEP), ">": (0, STEP)}
        if key not in steps:
            return False
        lines, columns = steps[key]
        view = View(self._view.line + lines, self._view.column + columns)
        self._view = limited(self._drawing, view, *self._room(screen))
        return True

    def _lines(self) -> list[str]:
        """Return the move before this position, and what was printed in it."""
        job, place = self._record.job, self.stepper.place
        outputs = self._outputs.get(place - self.stepper.first, ())
        return [
            step_line(job, self._positions[place], self._seat),
            *printed_lines(job, outputs),
        ]

    def _about(self, screen: "Screen") -> list[str]:
        """Return the lines below the board: the move, and at the end the result."""
        stepper, most = self.stepper, self._spare(screen)
        if stepper.typed:
            return [f"go to ply {stepper.typed}_", *[""] * (most - 1)]
        result = wrapped(self._result, screen.width) if stepper.place == stepper.last else []
        about = "\n".join(self._lines())
        lines, spare = wrapped(about, screen.width), max(1, most - len(result))
        if len(lines) > spare:
            lines = [*lines[: spare - 1], f"{lines[spare - 1][: screen.width - 7]} … (d)"]
        return [*lines, *result][:most]

    def _spare(self, screen: "Screen") -> int:
        """Return the number of lines below the board."""
        return max(LINES, min(screen.height - 1 - len(self._drawing.lines), screen.height // 3))

    def _room(self, screen: "Screen") -> tuple[int, int]:
        return max(1, screen.height - 1 - self._spare(screen)), screen.width

    def _paint(self, screen: "Screen") -> None:
        height, width = self._room(screen)
        view = limited(self._drawing, self._view, height, width)
        stepper = self.stepper
        aside = f"ply {self._positions[stepper.place].ply} of {self._positions[-1].ply}"
        if stepper.is_playing:
            aside += f", {SPEEDS[stepper.speed]:g} a second"
        aside += ", ? for keys"
        board = window(self._drawing, view, height, width)
        screen.draw([beside(self._title, aside, width), *board, *self._about(screen)])
