"""Write the worked match and the opening bytes of a connection into protocol/SPEC.md.

    PYTHONPATH=. python tests/protocol/worked_match.py

The referee plays a real match with two scripted bots over links in memory. test_spec.py checks that
the specification shows the messages of this match.
"""

import json
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from textwrap import wrap
from typing import Any

from packing import pack

from protocol.codec import decode
from protocol.link import ClosedError
from protocol.zmtp import GREETING, READY, frame
from referee.job import Job, Player, TimeControl
from referee.options import make_game
from referee.play.match import Match
from referee.seats.bot_seat import BotSeat
from referee.seats.stopwatch import Stopwatch

SPEC = Path(__file__).parents[2] / "protocol" / "SPEC.md"
TOKEN = "7a1e0c55d6b24f9b8f0e3f6a2c9d4b10"  # noqa: S105 - guards nothing
COLUMNS = 96

BOARD = ("11", "11")
HELLOS: list[dict[str, Any]] = [
    {
        "type": "hello",
        "protocol": 1,
        "token": TOKEN,
        "name": "first",
        "wants": ["view", "legal"],
    },
    {"type": "hello", "protocol": 1, "token": TOKEN[::-1]},
]
MOVES: list[dict[str, Any]] = [
    {
        "move": {"row": True, "line": 0, "start": 0, "end": 0},
        "claims": {"board": ["01", "11"]},
        "note": "one stick",
        "value": -1000,
    },
    {"move": {"row": False, "line": 1, "start": 0, "end": 1}},
    {"move": {"row": True, "line": 1, "start": 0, "end": 0}},
]

CALL, REPLY = "call", "reply"
Sent = tuple[int, str, bytes]
"""The seat, CALL or REPLY, and the message."""


class ScriptedLink:
    """A recording link to a bot that plays MOVES."""

    def __init__(self, seat: int, moves: Iterator[dict[str, Any]], sent: list[Sent]) -> None:
        self._seat = seat
        self._moves = moves
        self._sent = sent
        self._replies: list[bytes] = []

    def send(self, payload: bytes) -> None:
        self._sent.append((self._seat, CALL, payload))
        call = decode(payload)
        reply = {"type": _REPLIES[call["type"]], "id": call["id"]}
        if call["type"] == "move":
            reply.update(next(self._moves))
        self._replies.append(pack(reply))

    def receive(self, until_ns: int) -> bytes:
        del until_ns
        if not self._replies:
            raise ClosedError("closed its connection")
        reply = self._replies.pop(0)
        self._sent.append((self._seat, REPLY, reply))
        return reply


_REPLIES = {"init": "ready", "move": "play", "ping": "pong", "term": "bye"}


class StandingStill:
    """A process without CPU time and a stopped clock."""

    has_hit_memory_limit = False
    shortage = None

    def cpu_ns(self) -> int:
        return 0

    def queued_ns(self) -> dict[int, int]:
        return {}

    def now_ns(self) -> int:
        return 0

    def wait_end(self, wait_ns: int) -> None:
        del wait_ns

    def suspend(self) -> None:
        raise AssertionError

    resume = suspend


class SteadyPlayer(BotSeat):
    """A player with a constant step of ids, to make the match reproducible."""

    def __init__(self, *args: Any, **others: Any) -> None:
        super().__init__(*args, **others)
        self._steps = chain((1,), repeat(1009))


def played() -> list[Sent]:
    """Return all messages of the match."""
    options = {"dimension": 2, "board": BOARD, "objectives": "misere"}
    entrants = tuple(
        Player(name=name, argv=(name,), folder=".", content="0") for name in ("first", "second")
    )
    job = Job(
        key="first,second/b0/misere/0",
        game="matchsticks",
        options=options,
        players=entrants,
        seed=1997,
        board_seed=1997,
        time=TimeControl(bank_ns=60_000_000_000),
    )
    sent: list[Sent] = [(seat, REPLY, pack(hello)) for seat, hello in enumerate(HELLOS)]
    moves = iter(MOVES)
    idle = StandingStill()
    players = {
        seat: SteadyPlayer(
            seat,
            ScriptedLink(seat, moves, sent),
            idle,
            Stopwatch(seat, idle, job.time, idle),
            wants=hello.get("wants", ()),
        )
        for seat, hello in enumerate(HELLOS)
    }
    dismissed: list[int] = []
    match = Match(job, make_game(job.game, options), players, dismissed.append)
    match.play([])
    if dismissed:
        raise AssertionError(f"the script has a fault: {match.recorder.calls[-1]}")
    return sent


def match_text() -> str:
    """Return the messages of the match with sender and receiver, as JSON and as bytes."""
    sent = [(seat, way, payload, decode(payload)["type"]) for seat, way, payload in played()]
    pings = [seat for seat, _, _, kind in sent if kind == "ping"]
    blocks = []
    shown: set[tuple[int, str]] = set()
    for seat, way, payload, kind in sent:
        if kind in ("ping", "pong") and (seat, kind) in shown:
            continue
        shown.add((seat, kind))
        blocks.append(_message_text(seat, way, payload, kind))
        if kind == "pong":
            blocks.append(f"... {pings.count(seat) - 1} more of the same with other ids ...")
    return _block(blocks)


def _message_text(seat: int, way: str, payload: bytes, kind: str) -> str:
    ends = f"seat {seat} -> referee" if way == REPLY else f"referee -> seat {seat}"
    text = wrap(json.dumps(decode(payload)), COLUMNS - 4, break_on_hyphens=False)
    return _lines(f"{ends}: {kind}, {len(payload)} bytes", *text, *wrap(payload.hex(), COLUMNS - 4))


def bytes_text() -> str:
    """Return the opening bytes of a connection with a DEALER without a library."""
    ready = frame(b"\x05READY\x0bSocket-Type\0\0\0\x06DEALER", flags=4)
    rows = [
        ("both: greeting", GREETING),
        ("bot: READY", ready),
        ("referee: READY", READY),
        ("bot: the hello above", frame(pack(HELLOS[0]))),
        ("bot, if it is a REQ: the empty frame before each message", frame(b"", flags=1)),
        ("either: PING, to live 10 s, context `abc`", frame(b"\x04PING\x00\x64abc", flags=4)),
        ("the other: PONG", frame(b"\x04PONGabc", flags=4)),
    ]
    return _block(
        [
            _lines(f"{what}, {len(data)} bytes", *wrap(data.hex(), COLUMNS - 4))
            for what, data in rows
        ]
    )


def _lines(title: str, *lines: str) -> str:
    return "\n    ".join((title, *lines))


def _block(blocks: list[str]) -> str:
    return "```\n" + "\n\n".join(blocks) + "\n```"


def filled(text: str) -> str:
    """Return the specification with its generated parts generated again."""
    for name, made in (("worked match", match_text()), ("opening bytes", bytes_text())):
        head, rest = text.split(f"<!-- {name}: begin -->")
        _, tail = rest.split(f"<!-- {name}: end -->")
        text = f"{head}<!-- {name}: begin -->\n{made}\n<!-- {name}: end -->{tail}"
    return text


if __name__ == "__main__":
    SPEC.write_text(filled(SPEC.read_text()))
