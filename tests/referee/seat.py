"""One player among fakes, for tests of charges and faults."""

from collections.abc import Callable
from itertools import count
from typing import Any, TypeVar

import pytest
from fakes import MS, FakeClock, FakeProcess, Say, ScriptedLink, Step

from protocol.messages import Bye, Fields, Message, Pong
from referee.errors import Forfeit
from referee.job import TimeControl
from referee.records.calls import Spent
from referee.records.record import NullCost
from referee.seats.allowance import Allowance, TimedLine
from referee.seats.bot_seat import BotSeat
from referee.seats.clock import Budget
from referee.seats.seat import OpenCall
from referee.seats.stopwatch import Stopwatch

R = TypeVar("R", bound=Message)

PONG = {"type": "pong"}
LIMIT = 100 * MS
INIT = {
    "protocol": 1,
    "game": "pente",
    "options": {"half_size": 9},
    "match": "m",
    "seat": 0,
    "seats": 2,
    "players": ["a", "b"],
    "seed": 1,
    "time": {
        "clock": "cpu",
        "init_ms": 1,
        "per_move_ms": 1,
        "display_ms": 1,
        "term_ms": 1,
        "grace_ms": 1,
        "ponder": False,
    },
    "history": [],
    "view": {"turn": 0},
}


class Seat:
    """A player with a scripted step per call."""

    def __init__(
        self,
        *steps: Step | Callable[[Any], Step],
        start_ms: float = 0,
        line: TimedLine | None = None,
        watch_others: Callable[[], None] = lambda: None,
        **control: Any,
    ) -> None:
        """`start_ms` is the CPU time that the process has used so far."""
        numbers = count()

        def answer(call: Message) -> Step:
            step = steps[next(numbers)]
            return step(call) if callable(step) else step

        self.clock, self.process = FakeClock(), FakeProcess()
        self.process.spent_ns = round(start_ms * MS)
        self.link = ScriptedLink(self.clock, self.process, answer)
        self.control = TimeControl(**control)
        self.player = BotSeat(
            0,
            self.link,
            self.process,
            self.watch_of(self.process, line),
            null=NullCost(wall_ns=0, cpu_ns=0),
            watch_others=watch_others,
        )
        self.budget = Budget(self.control)
        self.charged_ns = 0
        """Charges of all calls but pings."""

    def watch_of(self, process: FakeProcess, line: TimedLine | None = None) -> Stopwatch:
        """Return a stopwatch for a process, on a line or on this machine."""
        allowance = None if line is None else Allowance(line)
        return Stopwatch(0, process, self.control, self.clock, allowance=allowance)

    @property
    def spent(self) -> Spent:
        """Cost of the last call."""
        return self.player.watch.spent

    def ask(self, name: str, fields: Fields, model: type[R], limit_ns: int = LIMIT) -> R:
        """Make a call as a match does; raises Forfeit."""
        call = OpenCall(name=name, fields=fields, model=model, limit_ns=limit_ns)
        reply, spent = self.player.ask(call)
        if name != "ping":
            self.charged_ns += spent.charged_ns
        if name == "move":
            self.budget.charge_move(spent.charged_ns)
        if isinstance(reply, Forfeit):
            raise reply
        return reply

    def ping(self, limit_ns: int = LIMIT) -> Pong:
        return self.ask("ping", {}, Pong, limit_ns)

    def move(self, limit_ns: int = LIMIT) -> Message:
        """Ask for a move and accept a bye; the content of the reply is irrelevant here."""
        fields = {"ply": 0, "opponent_moves": []}
        return self.ask("move", fields, Bye, limit_ns)

    def fault(self, ask: Callable[[], Any] | None = None) -> Forfeit:
        with pytest.raises(Forfeit) as caught:
            (ask or self.ping)()
        assert caught.value.seat == 0
        return caught.value

    def burn(self, *, wall_ms: float, cpu_ms: float) -> None:
        """Let time pass while others are called."""
        self.clock.advance(round(wall_ms * MS))
        self.process.spent_ns += round(cpu_ms * MS)


def moved(wall_ms: float, cpu_ms: float) -> Say:
    return Say({"type": "bye"}, wall_ms, cpu_ms)
