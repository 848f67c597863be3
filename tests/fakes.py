"""Stand-ins for the surroundings of a match: a clock, bots and their processes.

Time passes only where a script says so. Every call to a bot is checked against the model of its
message, since the referee sends plain maps unchecked.
"""

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any, TypeAlias

import msgpack

from protocol.codec import MAX_CALL_BYTES, decode
from protocol.errors import WireError
from protocol.link import ClosedError
from protocol.messages import Display, Error, Init, Message, Move, Ping, Term, parse
from protocol.vocabulary import Termination
from referee.errors import Forfeit
from referee.job import Job, Player
from referee.options import make_game
from referee.play.match import Match
from referee.play.move_calls import FastMoveCalls, MoveCalls
from referee.records.calls import Calls
from referee.records.match_end import MatchEnd
from referee.records.record import Record, SeatReport, Verdict
from referee.seats.bot_seat import BotSeat
from referee.seats.stopwatch import Stopwatch
from referee.service.pipe import read_end

MS = 1_000_000
"""Nanoseconds of a millisecond."""

CALLS: dict[str, type[Message]] = {
    "init": Init,
    "move": Move,
    "display": Display,
    "term": Term,
    "ping": Ping,
    "error": Error,
}
FIRST_LEGAL = {"first": "legal"}
"""Placeholder in a script for the first legal move sent to the bot."""


def next_end(stdout: IO[bytes], job: Job) -> MatchEnd:
    """Read the end of a match from a referee."""
    line = stdout.readline()
    assert line, "it has ended"
    body, size = b"", int(line.partition(b" ")[0])
    while len(body) < size:
        body += stdout.read(size - len(body))
    return read_end(line + body, job)


class FakeClock:
    """A clock under the control of a test."""

    def __init__(self) -> None:
        self._now_ns = 1_000 * MS

    def now_ns(self) -> int:
        return self._now_ns

    def advance(self, ns: int) -> None:
        self._now_ns += ns


class FakeProcess:
    """A process with a scripted CPU time and a list of its treatment."""

    def __init__(self) -> None:
        self.spent_ns = 0
        self.queued: dict[int, int] = {}
        self.ended: str | None = None
        self.has_hit_memory_limit = False
        self.shortage: str | None = None
        self.treatment: list[str] = []

    def cpu_ns(self) -> int:
        return self.spent_ns

    def queued_ns(self) -> Mapping[int, int]:
        return dict(self.queued)

    def wait_end(self, wait_ns: int) -> str | None:
        assert wait_ns >= 0
        return self.ended

    def suspend(self) -> None:
        self.treatment.append("suspend")

    def resume(self) -> None:
        self.treatment.append("resume")


@dataclass(frozen=True)
class Say:
    """The bot sends a message so long after its last event; a map without `id` gets the call's."""

    what: Mapping[str, Any] | bytes
    wall_ms: float = 1
    cpu_ms: float = 1
    queued: Mapping[int, float] = field(default_factory=dict)
    """What part of the time each thread stands ready to run and does not."""


@dataclass(frozen=True)
class Fail:
    """The link raises this; `ended` is how the process ended, if it did."""

    error: ClosedError | WireError
    ended: str | None = None
    wall_ms: float = 1
    cpu_ms: float = 1


@dataclass(frozen=True)
class Hang:
    """Nothing comes any more, while this much CPU time is burnt a millisecond."""

    cpu_ms: float = 0
    queued: Mapping[int, float] = field(default_factory=dict)
    """What part of the time each thread stands ready to run and does not."""


@dataclass(frozen=True)
class Stall:
    """The referee itself is stopped: its next wait ends this much too late."""

    ms: float


Event: TypeAlias = Say | Fail | Hang | Stall
Step: TypeAlias = Mapping[str, Any] | Event | Sequence[Event]
"""Reaction of a bot to one call: a reply after 1 ms of both clocks, or a row of events."""

Numbered: TypeAlias = Init | Move | Display | Term | Ping
"""Answered calls, by id."""

GARBAGE = b"\xc1"


def play(move: Mapping[str, Any], **others: Any) -> dict[str, Any]:
    """Return a reply with a move."""
    return {"type": "play", "move": move, **others}


FIRST = play(FIRST_LEGAL)
RESIGN = {"type": "play", "resign": True}
DONE = {"type": "play", "done": True}


class ScriptedLink:
    """A link to a bot, with `answer` for each call."""

    def __init__(
        self, clock: FakeClock, process: FakeProcess, answer: Callable[[Message], Step]
    ) -> None:
        self.calls: list[Any] = []
        """Every sent message, as its model."""
        self.sent: list[bytes] = []
        """The same as bytes."""
        self._clock = clock
        self._process = process
        self._answer = answer
        self._kinds: set[str] = set()
        self._events: deque[Event] = deque()
        self._left_ns = self._burning_ns = 0
        """Wall and CPU time that still pass before the first event."""

    def send(self, payload: bytes) -> None:
        self.sent.append(payload)
        fields = msgpack.unpackb(payload, use_list=False)
        if fields["type"] not in self._kinds:  # all would take a third of the time
            fields = decode(payload, limit=MAX_CALL_BYTES)
            self._kinds.add(fields["type"])
        assert len(payload) <= MAX_CALL_BYTES
        call = parse(CALLS[fields["type"]], fields)
        self.calls.append(call)
        if isinstance(call, Error):
            return
        assert isinstance(call, Numbered)
        step = self._answer(call)
        for event in step if isinstance(step, Sequence) else (step,):
            said = Say(event) if isinstance(event, Mapping) else event
            if isinstance(said, Say) and isinstance(said.what, Mapping):
                said = replace(said, what={"id": call.id, **said.what})
            self._events.append(said)
            if len(self._events) == 1:
                self._begin()

    def receive(self, until_ns: int) -> bytes | None:
        wait_ns = max(0, until_ns - self._clock.now_ns())
        if not self._events:
            self._clock.advance(wait_ns)
            return None
        event = self._events[0]
        if isinstance(event, Stall):
            self._clock.advance(wait_ns + round(event.ms * MS))
            self._next()
            return None
        if isinstance(event, Hang):
            self._pass(wait_ns, round(wait_ns * event.cpu_ms), event.queued)
            return None
        queued = event.queued if isinstance(event, Say) else {}
        if self._left_ns > wait_ns:
            burnt_ns = self._burning_ns * wait_ns // self._left_ns
            self._left_ns -= wait_ns
            self._burning_ns -= burnt_ns
            self._pass(wait_ns, burnt_ns, queued)
            return None
        self._pass(self._left_ns, self._burning_ns, queued)
        self._next()
        return self._happen(event)

    def _happen(self, event: Say | Fail) -> bytes:
        if isinstance(event, Fail):
            self._process.ended = event.ended
            raise event.error
        packed = event.what if isinstance(event.what, bytes) else msgpack.packb(event.what)
        assert isinstance(packed, bytes)
        return packed

    def _pass(self, wall_ns: int, cpu_ns: int, queued: Mapping[int, float]) -> None:
        self._clock.advance(wall_ns)
        self._process.spent_ns += cpu_ns
        for thread, part in queued.items():
            before_ns = self._process.queued.get(thread, 0)
            self._process.queued[thread] = before_ns + round(part * wall_ns)

    def _next(self) -> None:
        self._events.popleft()
        self._begin()

    def _begin(self) -> None:
        if self._events and isinstance(event := self._events[0], Say | Fail):
            self._left_ns, self._burning_ns = round(event.wall_ms * MS), round(event.cpu_ms * MS)


class FakeBot:
    """A bot that follows a script: a step a `move` call, then the first legal move for ever."""

    def __init__(self, *moves: Step, wants: Sequence[str] = ("legal",), **others: Step) -> None:
        """`others` are the steps of the other calls by their type, where they are not polite."""
        self.wants = wants
        self._moves = deque(moves)
        self.others = others

    def answer(self, call: Message) -> Step:
        name = type(call).__name__.lower()
        if not isinstance(call, Move):
            polite = {"init": "ready", "term": "bye", "ping": "pong"}
            return self.others[name] if name in self.others else {"type": polite[name]}
        step = self._moves.popleft() if self._moves else FIRST
        return _chosen(step, call)


def _chosen(step: Step, call: Move) -> Step:
    """Return the step with its wanted legal move."""
    if isinstance(step, Sequence):
        return [_chosen(event, call) for event in step]  # type: ignore[misc]  # events stay events
    if isinstance(step, Say) and isinstance(step.what, Mapping):
        return replace(step, what=_chosen(step.what, call))  # type: ignore[arg-type]
    if isinstance(step, Mapping) and step.get("move") is FIRST_LEGAL:
        assert call.legal is not None
        return {**step, "move": call.legal[0]}
    return step


class FailedBot:
    """A bot without a hello."""


@dataclass(kw_only=True)
class Played:
    """A finished match between fakes."""

    job: Job
    verdict: Verdict
    calls: Calls
    """The calls as they stand in the record."""
    heard: dict[int, list[Any]]
    """Every message to the bot, by seat."""
    sent: dict[int, list[bytes]]
    """The same as bytes."""
    processes: dict[int, FakeProcess]
    dismissed: list[int]
    """The seats whose bots were ended before the end, in order."""
    warnings: dict[int, str]
    stored: dict[str, Any]
    """The record as JSON."""

    @property
    def record(self) -> Record:
        """The record as read from its JSON."""
        return Record.from_json(self.stored)

    def told(self, seat: int, kind: type[Message]) -> list[Any]:
        """Return the calls of one kind to a bot."""
        return [call for call in self.heard[seat] if isinstance(call, kind)]


def play_match(*bots: FakeBot | FailedBot, **job: Any) -> Played:
    """Play a match between scripted bots; `job` are fields of the job other than the default."""
    entries = tuple(
        Player(name=f"bot{seat}", argv=("bot",), folder=".", content=f"{seat:064x}")
        for seat in range(len(bots))
    )
    given = {"key": "test", "game": "pente", "players": entries, "seed": 7, "board_seed": 11, **job}
    return played(Job(**given), bots)


def played(
    job: Job,
    bots: Iterable[FakeBot | FailedBot],
    move_calls: type[MoveCalls] = FastMoveCalls,
) -> Played:
    """Play a job with scripted bots."""
    clock = FakeClock()
    seated = {seat: bot for seat, bot in enumerate(bots) if isinstance(bot, FakeBot)}
    processes = {seat: FakeProcess() for seat in seated}
    links = {seat: ScriptedLink(clock, processes[seat], bot.answer) for seat, bot in seated.items()}
    players = {
        seat: BotSeat(
            seat,
            links[seat],
            processes[seat],
            Stopwatch(seat, processes[seat], job.time_of(seat), clock),
            wants=bot.wants,
        )
        for seat, bot in seated.items()
    }
    dismissed: list[int] = []
    game = make_game(job.game, job.options)
    match = Match(job, game, players, dismissed.append, move_calls=move_calls)
    absent = [
        Forfeit(seat, Termination.NO_SHOW, "never came")
        for seat in job.seats()
        if seat not in seated
    ]
    verdict = match.play(absent)
    reports = [SeatReport(name=player.name, content=player.content) for player in job.players]
    for seat, player in players.items():
        reports[seat].start_cpu_ns = player.watch.start_cpu_ns
    for seat, report in enumerate(reports):
        report.add(match.recorder.calls.spent(seat))
    record = Record(job=job, calls=match.recorder.calls, seats=reports, verdict=verdict)
    return Played(
        job=job,
        verdict=verdict,
        calls=match.recorder.calls,
        heard={seat: link.calls for seat, link in links.items()},
        sent={seat: link.sent for seat, link in links.items()},
        processes=processes,
        dismissed=dismissed,
        warnings=match.recorder.warnings,
        stored=json.loads(json.dumps(record.to_json())),
    )
