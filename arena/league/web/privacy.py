"""What of a match only the owners of a bot and staff may see, and the match without it.

Moves, results and times are for everybody who may read. What a bot says of itself, what it prints
and the details of its faults are not: they tell how it works.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from protocol.vocabulary import Seat
from referee.records.calls import Call, Calls
from referee.records.record import Record, SeatReport, Verdict


def without_private(record: Record, own: Collection[Seat]) -> Record:
    """Return a match as those may see it who own the bots in these seats."""
    return replace(
        record,
        calls=Calls(_calls(record.calls, own)),
        seats=[
            report if seat in own else _report(report) for seat, report in enumerate(record.seats)
        ],
        verdict=_verdict(record.verdict, own),
    )


def _calls(calls: Iterable[Call], own: Collection[Seat]) -> Iterable[Call]:
    for call in calls:
        if call.seat is None or call.seat in own:
            yield call
        else:
            yield replace(call, note=None, value=None, plan=None, data=None, picture=None)


def _report(report: SeatReport) -> SeatReport:
    """Return the costs and limits of a seat alone."""
    return replace(
        report, hello={}, output_tail="", output_bytes=0, printed=[], exit=None, warning=None
    )


def _verdict(verdict: Verdict, own: Collection[Seat]) -> Verdict:
    """Return a verdict with the kind of each fault, and the details of own ones alone."""
    faults = tuple(
        fault if fault.seat in own else replace(fault, detail=fault.termination.value)
        for fault in verdict.faults
    )
    is_told = all(fault.seat in own for fault in verdict.faults)
    reason = verdict.reason if is_told else verdict.termination.value
    return replace(verdict, reason=reason, faults=faults)
