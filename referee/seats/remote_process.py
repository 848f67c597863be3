"""The referee's end of a remote seat, over the door's socket, in place of a local process.

A remote bot runs on its owner's machine; `arena host`, the door, brings its messages to the unix
socket of its seat, like a bot of this machine. One more connection, opened here, lives as long as
the seat. On it travel lines of JSON: the order for the seat, then news from the door, at last the
end of the bot or the loss of its line.
"""

import contextlib
import json
import select
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from protocol.wording import escaped
from referee.errors import BrokenMatchError, LineLostError
from referee.job import Job, Player
from referee.sandbox.kept_output import KeptOutput
from referee.seats.allowance import MARGIN_NS

MAX_LINE = 1 << 20
"""Limit of a line of JSON in bytes."""
PROOF_NS = 1_500_000_000
"""Time in ns in which the door says whether the line works: a little longer than its own limit."""
_CHUNK = 4096


def dial(path: str) -> socket.socket:
    """Return a connection to the door; raises OSError without a door."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except BaseException:
        connection.close()
        raise
    return connection


class Lines:
    """Takes bytes and yields the complete lines of JSON, each a map; raises ValueError."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Add received bytes and yield the completed maps."""
        self._buffer += data
        while b"\n" in self._buffer:
            line, _, self._buffer = self._buffer.partition(b"\n")
            value = json.loads(line)
            if not isinstance(value, dict):
                raise ValueError("not a map")  # noqa: TRY004 - a line is wrong, not a call
            yield value
        if len(self._buffer) > MAX_LINE:
            raise ValueError("a line is too long")


def line_bytes(fields: Mapping[str, Any]) -> bytes:
    """Encode a map as a line."""
    return json.dumps(fields).encode() + b"\n"


class RemoteProcess:
    """The referee's view of a bot on another machine: its line and its end.

    Such a bot cannot be measured or suspended, so its seat is charged wall-clock time.
    """

    has_hit_memory_limit = False
    lack = shortage = None
    memory_alarm = None
    has_exact_clock = False
    output = -1
    output_bytes = dropped_bytes = 0
    kept = KeptOutput(0)
    """Empty: the output stays with the owner."""
    pid = bot_pid = -1

    def use(self, _kind: str) -> None:
        """Return nothing: its machine is another one."""

    def __init__(self, player: Player, job: Job, endpoint: str, token: str) -> None:
        """Ask the door for the bot of this player; without a door the match is void."""
        assert player.door is not None  # noqa: S101 - the caller has looked
        self.started_ns = time.monotonic_ns()
        self.round_trip_ns = 0
        """Shortest round trip of the line, measured by the kernel, in nanoseconds."""
        self.lost: str | None = None
        """How the line was lost; None while it holds."""
        self._ended: str | None = None
        self._has_line: bool | None = None
        """Whether the line has held, as the door says; None before its answer."""
        self._lines = Lines()
        self._name = player.name
        order = {
            "player": player.remote,
            "endpoint": endpoint,
            "token": token,
            "game": job.game,
            "start_ms": job.time.start_ns // 1_000_000,
        }
        try:
            self._connection = dial(player.door)
            self._connection.sendall(line_bytes({"order": order}))
        except OSError as error:
            raise BrokenMatchError(
                f"{player.name} is remote and `arena host` is not running ({error.strerror});"
                " start it again"
            ) from None
        self._connection.setblocking(False)  # noqa: FBT003 - the name of the standard library

    @property
    def pidfd(self) -> int:
        """Descriptor that becomes readable with news, such as the end of the bot."""
        return self._connection.fileno()

    @property
    def in_force(self) -> Mapping[str, str]:
        """Known facts about the line."""
        return {"line": f"remote, shortest round trip {self.round_trip_ns / 1e6:.3f} ms"}

    @property
    def line_ns(self) -> int:
        """Time of the line to take off a call, before any quota, in nanoseconds."""
        return self.round_trip_ns + MARGIN_NS

    def confirm(self) -> None:
        """Return at once: the door reports a failed start."""

    def look(self) -> bool:
        """Read news from the door; return whether the bot or its line has ended."""
        while self._ended is None and self.lost is None:
            try:
                data = self._connection.recv(_CHUNK)
            except BlockingIOError:
                return False
            except OSError:
                data = b""
            if not data:
                raise BrokenMatchError("`arena host` has ended; start it again")
            try:
                for news in self._lines.feed(data):
                    self._note(news)
            except (ValueError, TypeError, KeyError):
                self.lost = "`arena host` sent news that cannot be read"
        return True

    def wait_end(self, wait_ns: int) -> str | None:
        """Return how the bot ended, or None while it runs; raises BrokenMatchError for its line."""
        self._wait(lambda: False, wait_ns)
        self._refuse_lost_line()
        return self._ended

    def require_line(self, since_ns: int) -> None:
        """Return if the line works and was never silent since a time; raises LineLostError.

        To be called before a bot is blamed for a late message: a line may have delayed it. An owner
        who stops the line on purpose gains no time, since a lost line ends the match.
        """
        self._has_line = None
        with contextlib.suppress(OSError):  # a door that is gone is noticed below
            self._connection.sendall(line_bytes({"prove_ns": since_ns}))
        self._wait(lambda: self._has_line is not None, PROOF_NS)
        if self._ended is None and self.lost is None and not self._has_line:
            self.lost = "it was silent"
        self._refuse_lost_line()

    def _wait(self, is_over: Callable[[], bool], wait_ns: int) -> None:
        """Read news until the end of the bot or the line, or until another end."""
        until_ns = time.monotonic_ns() + wait_ns
        poll = select.poll()
        poll.register(self._connection, select.POLLIN)
        while not self.look() and not is_over():
            left_ns = until_ns - time.monotonic_ns()
            if left_ns <= 0:
                return
            poll.poll(left_ns / 1_000_000)

    def _refuse_lost_line(self) -> None:
        if self.lost is not None:
            raise LineLostError(f"the line to {self._name} was lost: {self.lost}")

    def cpu_ns(self) -> int:
        """Return 0: the CPU time of another machine is unknown."""
        return 0

    def queued_ns(self) -> Mapping[int, int]:
        """Return nothing: the bot waits for no core of this machine."""
        return {}

    def suspend(self) -> None:
        """Do nothing: the bot is out of reach."""

    def resume(self) -> None:
        """Do nothing, as `suspend`."""

    def drain(self) -> bool:
        """Return False: the output stays with the owner."""
        return False

    def tail(self) -> str:
        """Return nothing: its output is shown to its owner, by `arena join`."""
        return ""

    def seen_from_inside(self, path: Path) -> Path | None:
        """Return the path: a remote bot has no files here."""
        return path

    def end_for_memory(self) -> bool:
        """Do nothing: its memory is its owner's."""
        return False

    def silence(self) -> None:
        """Do nothing, as `end_for_memory`."""

    def stop(self) -> None:
        """End the seat: the door has the bot ended."""
        with contextlib.suppress(OSError):
            self._connection.close()

    def _note(self, news: Mapping[str, Any]) -> None:
        if "round_trip_ns" in news:
            self.round_trip_ns = max(0, int(news["round_trip_ns"]))
        if "has_line" in news:
            self._has_line = bool(news["has_line"])
        if "lost" in news:
            self.lost = escaped(str(news["lost"]))[:200]
        elif "ended" in news:
            self._ended = escaped(str(news["ended"]))[:200]
