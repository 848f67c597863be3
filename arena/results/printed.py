"""What bots printed, by the steps of a match: the start, then each move or end of a seat."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from protocol.vocabulary import Seat
from protocol.wording import visible
from referee.records.calls import Call
from referee.records.record import Record
from referee.records.replay import Replay

NOT_KEPT = "... {} bytes of its output are not kept"
"""Line in place of the middle of an output."""
_MOMENTS = {"start": "at its start", "move": "in this move"}


@dataclass(frozen=True)
class Output:
    """What a bot printed from one of its calls to the next."""

    seat: Seat
    moment: str
    """The call in words, as in `in this move`."""
    text: str
    dropped: int
    """Bytes before the text that are not kept."""

    def lines(self) -> list[str]:
        """Return the text in lines, with escapes for what acts on a terminal."""
        gap = [NOT_KEPT.format(self.dropped)] if self.dropped else []
        text = visible(self.text).strip("\n")
        return [*gap, *(text.split("\n") if text else ())]


def outputs_of(record: Record, seats: Iterable[Seat]) -> Mapping[int, Sequence[Output]]:
    """Return what the bots of these seats printed, by the number of the step.

    Output of a call that is no step, like init or term, stands at the step before it. Raises
    ReplayError.
    """
    found: dict[int, list[Output]] = defaultdict(list)
    printing = [seat for seat in seats if record.seats[seat].printed]
    steps = [*_steps(record)] if printing else []
    for seat in printing:
        calls = [(step, call) for step, call in steps if call.seat == seat]
        for part in record.seats[seat].printed:
            step, call = calls[min(part.call, len(calls)) - 1] if part.call and calls else (0, None)
            name = "start" if call is None else call.call
            moment = _MOMENTS.get(name, f"in {name}")
            found[step].append(Output(seat, moment, part.text, part.dropped))
    return found


def _steps(record: Record) -> Iterator[tuple[int, Call]]:
    """Yield each call with the number of its step."""
    replay, step = Replay(record.job), 0
    for call in record.calls:
        step += replay.add(call) is not None
        yield step, call
