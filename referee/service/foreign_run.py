"""Play a match by another program: start it, wait for its end, read its result.

The program and its bots share one sandbox with the limits of one bot: Arena cannot tell their
processes apart, so no time is charged and nobody is blamed.
"""

import select
import shlex
import time
from dataclasses import replace

from protocol.vocabulary import Termination
from protocol.wording import escaped
from referee.errors import BrokenMatchError
from referee.foreign import NOT_REFEREED, ForeignResultError, read_result
from referee.job import SECOND_NS, Job, Player, Runner
from referee.play.unplayed import unplayed
from referee.records.calls import Calls
from referee.records.record import ForeignReport, Record, SeatReport, Verdict
from referee.records.scoring import seat_results
from referee.sandbox.cgroup import Groups
from referee.sandbox.errors import NoStartError
from referee.sandbox.process import Process
from referee.sandbox.sandbox import Sandbox
from referee.sandbox.users import Users
from referee.seats.program import program_of

SEEDS = 2**63
"""Number of seeds for programs: the values of a signed number of 64 bits from 0."""
TAIL_LINES = 5
LINE = 200
"""Limit of the characters of a line of output in a message."""
TAIL_CHARACTERS = 4096
_LOOK_S = 0.05


def run_foreign(job: Job, runner: Runner, groups: Groups | None, users: Users | None) -> Record:
    """Play one match; without a result raises BrokenMatchError with the last lines."""
    if job.absences:
        record = unplayed(job)
        if record is None:
            raise BrokenMatchError("a match without some of its bots cannot be played by a runner")
        return record
    began_ns = time.monotonic_ns()
    output = _Run(job, runner, groups, users).output()
    text = output.decode(errors="replace")
    try:
        result = read_result(text, len(job.players))
    except ForeignResultError as error:
        raise BrokenMatchError(_explained(str(error), text)) from None
    free = seat_results(
        result.outcome,
        rule=job.score,
        times=[job.time] * len(job.players),
        charged_ns=[0] * len(job.players),
        faults={},
    )
    verdict = Verdict(
        termination=Termination.NORMAL,
        reason=f"{result.outcome.reason} ({NOT_REFEREED})",
        **vars(free),
    )
    tail = "\n".join(text.rstrip().splitlines()[:-1])[-TAIL_CHARACTERS:]
    return Record(
        job=job,
        calls=Calls(),
        seats=[SeatReport(name=one.name, content=one.content) for one in job.players],
        verdict=verdict,
        foreign=ForeignReport(
            program=runner.player.content,
            wall_ns=time.monotonic_ns() - began_ns,
            replay=result.replay,
            output_tail=escaped(tail, keep="\n"),
        ),
    )


def _with_bots(job: Job, player: Player) -> Player:
    """Return the program with the seed and the bots' commands, able to see their folders."""
    commands = [shlex.join(["env", "-C", one.folder, *one.argv]) for one in job.players]
    return replace(
        player,
        argv=(*player.argv, str(job.board_seed % SEEDS), *commands),
        guests=tuple(dict.fromkeys(one.folder for one in job.players)),
    )


class _Run:
    """The running program of one match."""

    def __init__(
        self, job: Job, runner: Runner, groups: Groups | None, users: Users | None
    ) -> None:
        self._job, self._runner = job, runner
        self._groups, self._users = groups, users
        self._read = bytearray()

    def output(self) -> bytes:
        """Return all its output after a good end; raises BrokenMatchError."""
        limits, program = self._job.limits, program_of(_with_bots(self._job, self._runner.player))
        sandbox = Sandbox(self._groups, self._users)
        try:
            with sandbox.run(program, limits) as process:
                process.kept.copy = (
                    self._read.extend
                )  # whoever reads it: its end is explained by it
                ended = self._wait(process)
        except NoStartError as error:
            raise BrokenMatchError(f"the runner cannot be started: {error}") from None
        if ended != "exit code 0":
            raise BrokenMatchError(_explained(ended, bytes(self._read).decode(errors="replace")))
        return bytes(self._read)

    def _wait(self, process: Process) -> str:
        """Read until the end; return the way the program ended or the exceeded limit."""
        until_ns = time.monotonic_ns() + self._runner.wall_ns
        is_open = True
        while (ended := process.wait_end(0)) is None:
            watched = [process.output] if is_open else []
            select.select([*watched, process.pidfd], [], [], _LOOK_S)
            is_open = is_open and process.drain()
            if time.monotonic_ns() > until_ns:
                return f"it took longer than {self._runner.wall_ns / SECOND_NS:g} s"
            if len(self._read) > self._runner.output_bytes:
                return self._too_long()
        while process.drain() and len(self._read) <= self._runner.output_bytes:
            if not select.select([process.output], [], [], 0)[0]:
                break  # a bot still holds it open
        return self._too_long() if len(self._read) > self._runner.output_bytes else ended

    def _too_long(self) -> str:
        return f"it printed more than {self._runner.output_bytes} bytes"


def _explained(how: str, output: str) -> str:
    """Return the reason of a void match with the last lines of the program."""
    lines = [escaped(line)[:LINE] for line in output.rstrip().splitlines()[-TAIL_LINES:]]
    said = f"; its last lines: {' | '.join(lines)}" if lines else ""
    return f"the runner has no result: {how}{said}"
