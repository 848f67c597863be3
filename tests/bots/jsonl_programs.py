"""Programs that speak JSON lines, for the tests of the bridge: a few lines of Python each."""

import sys

from router_seat import bridge

HELLO = '{"type":"hello","name":"lines","wants":["legal"]}'

_PROGRAM = """
import json, os, resource, signal, sys, time
HELLO = {hello!r}
REPLIES = {{"init": "ready", "ping": "pong", "term": "bye"}}
out = sys.stdout.buffer
def say(line):
    out.write((line if isinstance(line, bytes) else line.encode()) + b"\\n")
    out.flush()
def reply(call, type, **fields):
    say(json.dumps({{"type": type, "id": call["id"], **fields}}))
def move(text):
    return '{{"type":"play","id":%d,"move":%s}}' % (call["id"], text)
def on_move(call):
    legal = call.get("legal")
    {on_move}
{first}
say(HELLO)
for line in sys.stdin:
    call = json.loads(line)
    if call["type"] == "move":
        on_move(call)
    elif call["type"] in REPLIES:
        {on_other}
        reply(call, REPLIES[call["type"]])
{at_end}
"""
_PLAYS = 'reply(call, "play", move=legal[0])'


def command(
    on_move: str = _PLAYS,
    *,
    hello: str = HELLO,
    first: str = "",
    on_other: str = "pass",
    at_end: str = "",
) -> tuple[str, ...]:
    """Return a command of the bridge around a program with these parts replaced."""
    code = _PROGRAM.format(
        on_move=on_move, hello=hello, first=first, on_other=on_other, at_end=at_end
    )
    return bridged(sys.executable, "-c", code)


def bridged(*program: str) -> tuple[str, ...]:
    """Return the command of the bridge around a program."""
    return (sys.executable, bridge("jsonl"), *program)
