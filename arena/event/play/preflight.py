"""Preflight: before an event each bot plays one short match against itself.

An error of a bot shows within a second, before any match counts, instead of as a column of lost
matches: a wrong path must not become a draw. The matches are played on the slots of the event, with
its rules and limits, and are not stored.

Where two bots keep running, they play each other first, in the processes that play later: an engine
may take longer to start than to play. Only if such a match shows a fault, which may be either's,
each plays against itself.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.bot_output import NOT_EXPRESSIBLE, last_lines, refusals
from arena.bots.machine_code import is_32_bit
from arena.errors import MachineError, PreflightError
from arena.event.plan import Plan
from arena.event.play.agenda import Agenda
from arena.event.play.shortages import cure_of_shortage
from arena.event.slots.contract import Slots
from arena.schedule.pairing import Pairing
from arena.text import plural
from protocol.vocabulary import Termination
from protocol.wording import escaped
from referee.errors import IDLE, UNMATCHED
from referee.job import Job, Player
from referee.records.match_end import MatchEnd
from referee.records.result import Finished
from referee.sandbox import become_subreaper

if TYPE_CHECKING:
    from referee.records.calls import Call
    from referee.records.record import Fault, Record

_PREFIX = "preflight/"
"""Begins the keys of the matches here, and no others."""
PLIES = 2
"""Number of moves per seat; the second call is the first with moves of opponents."""
ATTEMPTS = 3
"""Limit of attempts at a match; a void match is no bot's fault."""
LIMITS = {"init": "init", "move": "per_move", "term": "term"}
"""Name in a config of the time limit of a call."""
SKIPS = "--no-preflight skips this test of each bot against itself"
IN_VAIN = (
    "a gate or a tuning would count its resignations alone; `arena match` without openings plays it"
    " from the start of the game"
)
"""Advice about an entry to which no opening can be sent, in a comparison."""
LONGEST_WAIT_S = 0.25
QUIET_WAITS = 8
"""Waits of at most LONGEST_WAIT_S before the first notice; the time between notices doubles."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A short match of a bot against itself."""

    players: tuple[str, ...]
    """Names of the players with this bot and its arguments."""
    job: Job
    is_compared: bool = False
    """Whether the matches of the players answer one question, as in a gate."""


def is_trial(job: Job) -> bool:
    """Whether a match belongs to the preflight, and is not stored."""
    return job.key.startswith(_PREFIX)


def open_checked(
    plan: Plan,
    agenda: Agenda,
    spared: Collection[str] = (),
    say: Callable[[str], None] = lambda _: None,
) -> Slots:
    """Start the slots for the missing matches, and return them after a trial of every bot.

    `spared` are players not to be started any more; `say` receives warnings. Raises
    PreflightError with the failures of all bots, MachineError if a trial stays void.
    """
    slots = plan.open_slots(agenda.missing)
    try:
        pairings = [*agenda.pending, *_of_waiting(plan, agenda)]
        trials = trials_of(plan, pairings, spared)
        if not (plan.job.restart == "never" and _play_well(slots, trials, say)):
            for warning in preflight(slots, trials, say):
                say(warning)
    except BaseException:
        slots.close()
        raise
    return slots


def check_bots(plan: Plan, names: Sequence[str], say: Callable[[str], None]) -> None:
    """Play a trial of these players only, with the notices and errors of `open_checked`."""
    become_subreaper()
    first = plan.pairings[0]
    pairings = [first._replace(players=(name,) * len(first.players)) for name in names]
    with closing(plan.open_slots(len(names))) as slots:
        preflight(slots, trials_of(plan, pairings), say)


def _of_waiting(plan: Plan, agenda: Agenda) -> Iterator[Pairing]:
    """Yield a match for each player without a known match, such as one with a bye."""
    known = {name for pairing in agenda.known for name in pairing.players}
    first = plan.pairings[0]
    for name in plan.players:
        if name not in known:
            yield first._replace(players=(name,) * len(first.players))


def trials_of(plan: Plan, pending: Iterable[Pairing], spared: Collection[str] = ()) -> list[Trial]:
    """Return a trial for each bot of the pending matches.

    A trial is the first match of the bot, with the bot itself in all seats. Players with the same
    bot and arguments share one trial.
    """
    firsts: dict[str, Pairing] = {}
    for pairing in pending:
        for name in pairing.players:
            if name not in spared:
                firsts.setdefault(name, pairing)
    names: dict[str, list[str]] = {}
    for name in firsts:
        names.setdefault(plan.players[name].content, []).append(name)
    return [
        Trial(
            players=tuple(same),
            job=_job(plan, firsts[same[0]], same[0]),
            is_compared=plan.is_comparing,
        )
        for same in names.values()
    ]


def preflight(
    slots: Slots, trials: Sequence[Trial], say: Callable[[str], None] = lambda _: None
) -> list[str]:
    """Play the trials, tell of a long wait, return warnings; raise PreflightError for failures."""
    matches = _played(slots, [trial.job for trial in trials], say)
    found = [
        (trial, _record(match)) for trial in trials if _is_noted(match := matches[trial.job.key])
    ]
    failed = [
        (trial, record)
        for trial, record in found
        if record.verdict.faults or _is_in_vain(trial, record)
    ]
    if failed:
        texts = [(trial, _failure_text(trial, record)) for trial, record in failed]
        lasting = [
            trial for trial, record in failed if record.verdict.faults and _is_lasting(record)
        ]
        raise PreflightError(
            {name: text for trial, text in texts for name in trial.players},
            [name for trial in lasting for name in trial.players],
        )
    warnings = (_warning_text(trial, record) for trial, record in found)
    return [warning for warning in warnings if warning]


def _play_well(slots: Slots, trials: Sequence[Trial], say: Callable[[str], None]) -> bool:
    """Whether these are trials of two bots, and matches of both leave nothing to say."""
    jobs = _joint([trial.job for trial in trials])
    return bool(jobs) and not any(map(_is_noted, _played(slots, jobs, say).values()))


def _joint(jobs: Sequence[Job]) -> list[Job]:
    """Return matches of two bots in place of their trials, each in either seat; [] for others."""
    if len(jobs) != 2 or any(len(job.players) != 2 for job in jobs):
        return []
    return [
        replace(job, players=(job.players[0], other.players[0]), restart="never")
        for job, other in zip(jobs, reversed(jobs), strict=True)
    ]


def _played(slots: Slots, jobs: Sequence[Job], say: Callable[[str], None]) -> dict[str, Finished]:
    """Play the matches, void ones again, and return them by key; tell of a long wait."""
    waits, next_notice = 0, QUIET_WAITS
    waiting = deque(jobs)
    voids: Counter[str] = Counter()
    matches: dict[str, Finished] = {}
    is_alone = False  # once the memory is short, one trial runs at a time
    while len(matches) < len(jobs):
        for slot in slots.free():
            if waiting and not (is_alone and slots.running()):
                slot.submit(waiting.popleft())
        waits += 1
        if waits == next_notice:
            next_notice *= 2
            bots, known = plural(len(jobs), "bot"), len(matches)
            say(f"testing {bots} before the first match: {known} tested so far")
        for end in slots.wait(LONGEST_WAIT_S):
            if end.match is not None:
                matches[end.job.key] = end.match
            else:
                voids[end.job.key] += is_alone or not end.is_short
                is_alone |= end.is_short
                waiting.append(_again(end, voids[end.job.key]))
    return matches


def _is_noted(match: Finished) -> bool:
    """Whether a trial may have a fault or a resigned first move."""
    return (
        len(match.seats) > 2  # the others play on after a resignation
        or match.termination == Termination.RESIGNATION
        or any(seat.fault for seat in match.seats)
    )


def _record(match: Finished) -> "Record":
    from referee.records.record import Record  # slow: its models are built on import

    return Record.from_bytes(match.body)


def _job(plan: Plan, pairing: Pairing, name: str) -> Job:
    first = plan.job_of(pairing)
    seats = len(first.players)
    return replace(
        first,
        key=f"{_PREFIX}{name}",
        players=(plan.players[name],) * seats,
        max_plies=min(PLIES * seats, first.max_plies or PLIES * seats),
        adjudicate=None,
        restart="match",
    )


def _again(end: MatchEnd, times: int) -> Job:
    if times == ATTEMPTS:
        cure = f"; {cure_of_shortage(end)}; {SKIPS}" if end.is_short else ""
        why = f"{end.void}{cure}{_evidence(end.void_record)}"
        raise MachineError(f"{end.job.key}: void {times} times, which is no bot's fault: {why}")
    return end.job


def _evidence(void_record: bytes) -> str:
    """Return what led to an error of the rules, since no trial is stored; empty without one."""
    if not void_record:
        return ""
    from referee.records.void_record import VoidRecord

    lines = VoidRecord.from_bytes(void_record).lines()
    return "\n  ".join(["", *lines]) + "\nrepair the rules first"


def _warning_text(trial: Trial, record: "Record") -> str:
    """Return a warning about a bot that resigns at once; empty otherwise."""
    text = _resignation_text(trial, record)
    return f"warning: {text}" if text else ""


def _resignation_text(trial: Trial, record: "Record") -> str:
    """Return the sentence about a bot that resigns at once; empty otherwise."""
    first = _first_move(record)
    if first is None or not first.resign:
        return ""
    names = ", ".join(trial.players)
    why = f": {escaped(first.note)}" if first.note else ""
    after = " after the opening" if record.job.history else ""
    return f"{names} resigns its first move{after}, and so loses every such match{why}"


def _first_move(record: "Record") -> "Call | None":
    return next((call for call in record.calls if call.call == "move"), None)


def _is_in_vain(trial: Trial, record: "Record") -> bool:
    """Whether a gate would only count resignations, of an entry to which no opening can be sent."""
    first = _first_move(record) if trial.is_compared else None
    if first is None or not first.resign:
        return False
    return (first.note or "").startswith(NOT_EXPRESSIBLE)


ENDED = "exit code 0"
"""How an engine ends that reads the end of its input, unlike a program that crashed."""
_IS_WILD = re.compile("signal SIG(SEGV|ABRT|BUS|FPE|ILL)")
"""Ends of programs in a language without checks, which print nothing about the place."""


_AGAINST_RULES = frozenset(
    {
        Termination.MALFORMED,
        Termination.OVERSIZE,
        Termination.ILLEGAL_MOVE,
        Termination.FALSE_CLAIM,
    }
)
_ENDED_ITSELF = re.compile(r"exit code (?!(?:126|127)\b)\d+")
"""End of a bot by its own program; a shell ends so if it cannot start one."""
_LACKING = re.compile(
    "ModuleNotFoundError|ImportError|cannot find module|no such file|not found|no space left"
    "|memory|bad_alloc|temporarily unavailable|too many open files|timed? ?out",
    re.IGNORECASE,
)
"""Output of a bot that may miss something on the machine."""


def _is_lasting(record: "Record") -> bool:
    """Whether a failed bot would fail again: neither load nor the machine explains it."""
    fault = record.verdict.faults[0]
    if fault.termination in _AGAINST_RULES:
        return True
    if fault.termination not in (Termination.CRASH, Termination.NO_SHOW):
        return False
    has_ended = _ENDED_ITSELF.search(fault.detail) or _IS_WILD.search(fault.detail)
    return bool(has_ended) and not _LACKING.search(record.seats[fault.seat].output_tail)


def _failure_text(trial: Trial, record: "Record") -> str:
    """Return the first fault of a bot and the tail of its output, or why it measures nothing."""
    if not record.verdict.faults:
        return f"{_resignation_text(trial, record)}\n  {IN_VAIN}"
    fault = record.verdict.faults[0]
    name = ", ".join(trial.players)
    output = record.seats[fault.seat].output_tail
    hints = (f"  {hint}" for hint in _hints(trial.job, fault, output))
    return "\n".join([f"{name}: {fault}", *hints, *last_lines(output)])


def _limit_hint(job: Job, fault: "Fault") -> str:
    """Return the cure of an exceeded limit; empty for other faults."""
    if fault.termination is Termination.MEMORY:
        return "if it needs more: a higher limits.memory in the config, or in -c of match"
    if fault.termination is not Termination.TIMEOUT or fault.call not in LIMITS:
        return ""
    if UNMATCHED in fault.detail:
        return "it was not too slow: copy the `id` of each call into the reply to it"
    if IDLE in fault.detail:
        return "it waits for something: its input, a lock, a sleep, or another process"
    time, limit = job.time, LIMITS[fault.call]
    if fault.call == "move" and time.bank_ns is not None and time.bank_ns <= time.per_move_ns:
        limit = "bank"
    return (
        f"if it needs longer: a higher {limit} in time: of the config, or in -t of match;"
        " if not: look for a loop that never ends"
    )


def _hint_of_an_end(argv: Sequence[str], detail: str) -> Iterator[str]:
    """Yield what a program that ended by itself before its hello may lack."""
    if len(argv) == 1:
        yield (
            "if it is an engine: write uci: before its path, or usi:, ucci: or cecp: for these"
            " protocols; an engine of GTP or Gomocup needs a bot.yaml with its protocol"
        )
    elif _is_bridged(argv):
        yield "the program ended by itself: does it speak the protocol that its bridge speaks?"
    elif "protocol: jsonl" not in detail:
        yield "the program ended by itself: does it call `run` of its kit?"


def _hint_of_a_wild_end(player: Player) -> str:
    """Return what may have ended a program that prints nothing about the place."""
    programs = [Path(player.folder) / word for word in player.argv if "/" in word]
    if player.tier != "none" and any(map(is_32_bit, programs)):
        return "it is a 32-bit program, which the sandbox does not let call the system"
    return "if it is C or C++: with -g and -fsanitize=address in its build it prints the line"


def _is_bridged(argv: Sequence[str]) -> bool:
    """Whether a bridge of Arena's runs the program: in Python, or compiled."""
    return any("_bridge." in part for part in argv[:2])


def _hints(job: Job, fault: "Fault", output: str) -> Iterator[str]:
    """Yield what may help with the usual mistakes."""
    if hint := _limit_hint(job, fault):
        yield hint
    argv = job.players[0].argv
    if fault.termination is Termination.NO_SHOW and ENDED in fault.detail:
        yield from _hint_of_an_end(argv, fault.detail)
    if _IS_WILD.search(fault.detail) and argv[0].startswith("./"):
        yield _hint_of_a_wild_end(job.players[0])
    is_python = Path(argv[0]).name.startswith(("python", "pypy"))  # not a shell that starts one
    if "ModuleNotFoundError: " in output and is_python and argv[1:] and not _is_bridged(argv):
        yield f"its Python is {argv[0]}: install the missing modules there"
    yield from refusals(output)
