"""Bots as the opponents of an environment: programs as in any match, sandboxed and timed.

A separate process (`bot_process.py`) plays the matches, since a referee reaps all children of its
process, a learner's too. It sends the moves of the bots; the table repeats them with the same
draws.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.bots.building import BuildTerms
from arena.bots.manifest import find_bot
from arena.config.model import TimeSection
from arena.environment.lines import RESIGNS, MoveLines
from arena.environment.opponents import OpponentError
from arena.environment.table import Environment
from arena.errors import MachineError, UsageError
from arena.people.match import set_up_match
from arena.text import plural
from protocol.vocabulary import Seat
from protocol.wording import escaped
from referee.job import Job, Restart
from referee.service.pipe import job_line

STOP_S = 5.0
"""Seconds for the bots' process to end by itself before a SIGTERM."""


class Bots:
    """Bots in the seats beside the learner's, in order, until `close`.

    Each is named as in a config: a shipped bot, a folder or a bot.yaml. `time` has the keys of a
    config, like {"per_move": "50ms"}. With `restart="never"` the processes play all matches; with
    "match" each match has new ones.
    """

    def __init__(
        self,
        *references: str,
        time: Mapping[str, Any] | None = None,
        restart: Restart = "never",
    ) -> None:
        """Raise ValueError for wrong limits of time."""
        self._references = references
        self._time = TimeSection.model_validate(dict(time or {})).control()
        self._restart = restart
        self._job: Job | None = None
        self._place: tuple[Environment, Seat] | None = None
        self._process: _Process | None = None
        self._is_playing = False

    def begin(self, table: Environment, seat: Seat) -> None:
        """Begin a match, in a new process if necessary; raises ArenaError without the bots."""
        if self._job is None or self._place != (table, seat):
            self._job, self._place = self._prepare(table, seat), (table, seat)
            self._lines = MoveLines(table.game)
        self._leave()
        if self._process is None:
            self._process = _Process()
        job = replace(self._job, seed=table.match_seed, board_seed=table.board_seed)
        self._is_playing = True
        self._send(job_line(job))

    def hear(self, move: Any) -> None:
        """Send the learner's move."""
        if self._place is None or not self._is_playing:
            raise ValueError("no match is being played: call reset")
        self._send(self._lines.line(move))

    def reply(self, table: Environment) -> None:
        """Make the next move of a bot on the table; raises OpponentError."""
        line = self._receive()
        if (move := self._lines.move(line)) is not None:
            table.play(move)
            return
        message = self._message(line)
        if "seat" not in message:
            raise self._error_of(message)
        table.retire(table.possible_agents[message["seat"]])

    def end(self) -> dict[str, Any]:
        """Return termination and reason; raises OpponentError for a fault after the last move."""
        message = self._message(self._receive())
        if "end" not in message or message["end"]["faults"]:
            raise self._error_of(message)
        return {name: message["end"][name] for name in ("termination", "reason")}

    def close(self) -> None:
        """End the bots and their process."""
        process, self._process = self._process, None
        self._is_playing = False
        if process is not None:
            process.close()

    def _prepare(self, table: Environment, seat: Seat) -> Job:
        """Return the match of the bots, built, with a free seat; raises ArenaError."""
        name = table.game.name
        bots, free = self._references, table.seats - 1
        if len(bots) != free:
            raise UsageError(f"{plural(free, 'bot')} must play beside the learner, not {len(bots)}")
        for reference in bots:
            if not find_bot(reference, Path()).plays(name):
                raise UsageError(f"{escaped(reference)} does not play {name}")
        setup = set_up_match(
            table.game, [*bots[:seat], None, *bots[seat:]], seed=0, terms=BuildTerms()
        )
        return replace(setup.job, key="environment", time=self._time, restart=self._restart)

    def _leave(self) -> None:
        """Resign the match in progress, and wait for its end."""
        if self._is_playing:
            self._send(RESIGNS)
        while self._is_playing:
            self._message(self._receive())

    def _send(self, line: bytes) -> None:
        assert self._process is not None  # noqa: S101 - a match is being played
        self._process.send(line)

    def _receive(self) -> bytes:
        """Return the next line; raises MachineError if the process has ended."""
        if self._process is None or not self._is_playing:
            raise ValueError("no match is being played: call reset")
        try:
            return self._process.receive()
        except EOFError:
            self.close()
            raise MachineError("the process of the bots has ended unexpectedly") from None

    def _message(self, line: bytes) -> dict[str, Any]:
        """Return the message of a line; one without a seat is the last of its match."""
        message: dict[str, Any] = json.loads(line)
        if "seat" not in message:
            self._is_playing = False
        return message

    def _error_of(self, message: Mapping[str, Any]) -> OpponentError:
        if "void" in message:
            return OpponentError(f"the match is void: {message['void']}", message)
        assert self._job is not None  # noqa: S101 - its match has ended
        end = message["end"]
        if not end["faults"]:
            text = f"the match ended before the board shows it: {end['reason']}"
            return OpponentError(text, end)
        fault = end["faults"][0]
        name = escaped(self._job.player(fault["seat"]).name)
        where = f"{fault['termination']} in {fault['call']} at ply {fault['ply']}"
        return OpponentError(f"{name}: {where}: {escaped(fault['detail'])}", {"fault": fault})


class _Process:
    def __init__(self) -> None:
        """Start the process; raises MachineError."""
        command = [sys.executable, "-P", "-m", "arena.environment.bot_process", str(os.getpid())]
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, start_new_session=True
            )
        except OSError as error:
            raise MachineError(f"the bots cannot be started: {error.strerror}") from None

    def send(self, line: bytes) -> None:
        """Write a line; if the process has ended, `receive` raises EOFError."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def receive(self) -> bytes:
        """Return the next line; raises EOFError at the end of the process."""
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        if not (line := self._process.stdout.readline()).endswith(b"\n"):
            raise EOFError
        return line

    def close(self) -> None:
        """End the process with its bots; SIGTERM after STOP_S seconds, as in a bot's turn."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait()
