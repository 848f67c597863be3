"""An engine of a few lines for the tests of the bridge of engines."""

import json
import sys
from typing import Any

from router_seat import bridge

PROGRAM = sys.executable
"""The Python that runs the bridge, or the compiled bridge; the fixture `both_bridges` sets it."""
OPTIONS = (
    "option name Hash type spin default 16 min 1 max 1024",
    "option name Ponder type check default true",
    "option name Threads type spin default 1 min 1 max 8",
    "option name Style of Play type combo default Solid var Solid var Wild One",
    "option name UCI_Chess960 type check default false",
)
_ENGINE = """
import os, sys, time
def say(*lines):
    for line in lines:
        line = eval(line[1:]) if line[:1] == "=" else line
        out = line if isinstance(line, bytes) else line.encode() + b"\\n"
        sys.stdout.buffer.write(out)
    sys.stdout.buffer.flush()
has_played = False
dialect, declared, answers = {dialect!r}, {declared!r}, iter({answers!r})
for line in sys.stdin:
    word = line.split()[0]
    print(line, end="", file=sys.stderr, flush=True)
    if word == dialect:
        {at_uci}
        say(*declared, dialect + "ok")
    elif word == "isready":
        {at_isready}
        say("readyok")
    elif word == "go":
        has_played = True
        {at_go}
        say(*next(answers, ["bestmove (none)"]))
    elif word == "quit":
        break
"""


def engine(
    *answers: list[Any],
    dialect: str = "uci",
    declared: tuple[str, ...] = OPTIONS,
    at_uci: str = "pass",
    at_go: str = "pass",
    at_isready: str = "pass",
    options: dict[str, Any] | None = None,
    go: str = "",
    resign: tuple[int, int] | None = None,
    ponder: bool = False,
) -> tuple[str, ...]:
    """Return the command of the bridge around an engine; each answer is the lines after a `go`.

    A line that begins with = is an expression, for what is too long for a command.
    """
    code = _ENGINE.format(
        dialect=dialect,
        declared=declared,
        answers=answers,
        at_uci=at_uci,
        at_go=at_go,
        at_isready=at_isready,
    )
    settings: dict[str, Any] = {"dialect": dialect, "options": options or {}, "go": go}
    if resign is not None:
        settings["resign"] = resign
    if ponder:
        settings["ponder"] = True
    return (PROGRAM, bridge("uci"), json.dumps(settings), sys.executable, "-c", code)
