"""The calls of a bot in a match, with their times, its remarks and what it printed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from arena.results.printed import Output
from arena.text import seconds
from protocol.vocabulary import Seat
from protocol.wording import escaped
from referee.job import Job
from referee.records.calls import Call
from referee.records.record import Printed, Record

MOST_CALLS = 2000
"""Limit of the calls on a page; a match of a league has some hundred."""


@dataclass(frozen=True)
class ToldCall:
    """A call as a page shows it."""

    ply: int
    name: str
    text: str
    """The move or fault of the reply."""
    is_fault: bool
    charged: str
    wall: str
    limit: str
    left: str
    """Rest of the bank; empty without one."""
    remarks: str
    output: str


def told_calls(record: Record, seat: Seat) -> list[ToldCall]:
    """Return the calls of a seat in their order; before them what it printed at its start."""
    printed: dict[int, list[Printed]] = {}
    for part in record.seats[seat].printed:
        printed.setdefault(part.call, []).append(part)
    calls = [call for call in record.calls if call.seat == seat][:MOST_CALLS]
    found = [
        _told(record.job, call, _text(seat, printed.get(number, [])))
        for number, call in enumerate(calls, start=1)
    ]
    if 0 in printed:
        start = Call(seat=seat, call="start", ply=0)
        told = _told(record.job, start, _text(seat, printed[0]))
        found.insert(0, replace(told, charged="", wall=""))
    return found


def _told(job: Job, call: Call, output: str) -> ToldCall:
    limits = {"move": job.time.per_move_ns, "init": job.time.init_ns, "term": job.time.term_ns}
    limit = limits.get(call.call)
    return ToldCall(
        ply=call.ply,
        name=call.call,
        text=_reply(call),
        is_fault=call.fault is not None,
        charged=seconds(call.charged_ns),
        wall=seconds(call.wall_ns),
        limit="" if limit is None else seconds(limit),
        left="" if call.left_ms is None else f"{call.left_ms / 1000:.1f} s",
        remarks="; ".join(_remarks(call)),
        output=output,
    )


def _reply(call: Call) -> str:
    if call.fault is not None:
        return call.fault.value
    if call.resign:
        return "resigns"
    return escaped(call.notation or "")


def _remarks(call: Call) -> Iterator[str]:
    if call.value is not None:
        yield f"value {call.value}"
    if call.data:
        yield escaped(", ".join(f"{name} {number}" for name, number in call.data.items()))
    if call.note:
        yield escaped(call.note)


def _text(seat: Seat, parts: list[Printed]) -> str:
    outputs = [Output(seat, "", part.text, part.dropped) for part in parts]
    return "\n".join(line for output in outputs for line in output.lines())
