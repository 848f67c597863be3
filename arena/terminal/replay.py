"""Step through a match in a terminal, one key per step."""

import sys
import termios
import tty

from arena.terminal.show import position_text, positions
from referee.record import Record

_KEYS = "space/n next   b back   g start   e end   q quit"
_CLEAR = "\x1b[2J\x1b[H"


def step_through(record: Record, title: str, at: int) -> None:
    """Show one position at a time, from number `at` on, until q is pressed."""
    found = positions(record, at)
    place = at
    verdict = f"{record.verdict.termination}: {record.verdict.reason}"
    while True:
        end = f"\n{verdict}" if place == len(found) - 1 else ""
        shown = f"{title}\n{position_text(record.job, found[place])}\n{end}\n{_KEYS}\n"
        sys.stdout.write(_CLEAR + shown.replace("\n", "\r\n"))
        sys.stdout.flush()
        key = _key()
        if key in ("q", "\x03", "\x04", ""):
            return
        place = _moved(place, key, len(found) - 1)


def _moved(place: int, key: str, last: int) -> int:
    if key in (" ", "n", "\r", "l"):
        return min(place + 1, last)
    if key in ("b", "p", "h", "\x7f"):
        return max(place - 1, 0)
    return {"g": 0, "e": last}.get(key, place)


def _key() -> str:
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setraw(descriptor)
        return sys.stdin.read(1)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
