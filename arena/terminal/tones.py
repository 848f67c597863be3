"""Colours of table cells: first places, wins, losses and faults, only where they help."""

import re
import sys
from typing import TextIO

from arena.terminal.output import is_colored
from arena.text import Tone
from protocol.vocabulary import Termination

BOLD, RED, GREEN = "1", "31", "32"
"""Codes of ANSI escape sequences (SGR)."""
_FAULTS = {termination.value for termination in Termination if termination.is_forfeit}
_RESULTS = {"won": GREEN, "lost": RED, **dict.fromkeys(_FAULTS, RED)}
_DUEL = re.compile(r"([0-9]+)-[0-9]+-([0-9]+)")


def tone_of(stream: TextIO | None = None) -> Tone | None:
    """Return the colours for a stream, stdout by default; None without colours."""
    return _tone if is_colored(sys.stdout if stream is None else stream) else None


def _tone(column: str, cell: str) -> str:
    """Return the colour of a cell by the name of its column; empty for the usual one."""
    if column in {"#", "place"}:
        return BOLD if cell == "1" else ""
    if column == "faults":
        return RED if cell != "0" else ""
    if column in {"result", "termination", "fault"}:
        return _RESULTS.get(cell, "")
    if column.isdecimal() and (duel := _DUEL.fullmatch(cell)):
        wins, losses = map(int, duel.groups())
        return GREEN if wins > losses else RED if wins < losses else ""
    return ""
