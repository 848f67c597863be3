"""The supervisor of a league: starts its processes, and starts each again that has ended."""

import errno
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from arena.config.event import Config
from arena.errors import UsageError
from arena.event.play.interruptions import Interruptions
from arena.league.addresses import reachable
from arena.league.folder import League
from arena.league.slots.machines import require_workers
from arena.pages.listening import listening
from arena.reading.hosts import listening_fault

FIRST_S = 0.5
LONGEST_S = 30.0
"""Longest wait in s before a process is started again; the first is FIRST_S, and each doubles."""
STEADY_S = 60.0
"""Time in s after which a process counts as started well."""
STOP_S = 20.0
"""Time in s for a process to end before it is killed."""
LEFT_S = 10.0
"""Time in s for which the address may still be held by a process of the league that was killed."""
_LOOK_S = 0.2
Tell = Callable[[str], None]


@dataclass
class Part:
    """One of the processes."""

    name: str
    command: list[str]
    descriptors: tuple[int, ...] = ()
    process: "subprocess.Popen[bytes] | None" = None
    began_s: float = 0.0
    next_s: float = 0.0
    wait_s: float = FIRST_S

    def step(self, now_s: float, tell: Tell) -> None:
        """Start the process if it does not run and it is time."""
        if self.process is not None:
            if (code := self.process.poll()) is None:
                return
            self._close()
            self.wait_s = FIRST_S if now_s > self.began_s + STEADY_S else self.wait_s
            self.next_s, self.process = now_s + self.wait_s, None
            tell(f"{self.name} has ended with exit code {code}; it starts again")
            self.wait_s = min(2 * self.wait_s, LONGEST_S)
        if now_s >= self.next_s:
            self.began_s = now_s
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                pass_fds=self.descriptors,
                start_new_session=True,
            )

    def ask_to_end(self) -> None:
        """Close the input of the process, with which it ends."""
        if self.process is not None:
            self._close()

    def end(self) -> None:
        """Wait for the end of the process; kill it after STOP_S."""
        if self.process is not None:
            try:
                self.process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def _close(self) -> None:
        assert self.process is not None  # noqa: S101 - for mypy
        assert self.process.stdin is not None  # noqa: S101 - a pipe was asked for
        self.process.stdin.close()


def bound(league: League, wait_s: float = LEFT_S) -> socket.socket:
    """Return the socket of the league's address; raises UsageError if it cannot be used.

    The supervisor holds it, so that no request is refused while the web process starts again. After
    a kill of the supervisor that process may hold the address for a little longer.
    """
    address, port = league.site.address, league.site.port
    until_s = time.monotonic() + wait_s
    while True:
        try:
            return listening(address, port)
        except (OSError, ValueError) as error:
            is_held = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
            if is_held and time.monotonic() < until_s:
                time.sleep(_LOOK_S)
                continue
            why = listening_fault(error)
            raise UsageError(
                f"cannot use port {port} of {address}: {why}; choose others in league.yaml"
            ) from None


def require_addresses(league: League, config: Config) -> None:
    """Make the addresses of workers and remote bots ready; raises UsageError for a wrong one.

    Their processes would end, and be started again, for ever.
    """
    require_workers(league)
    if league.site.remote is not None:
        # its tables need the settings of Django
        from arena.league.remote.door import make_key, require_port

        require_port(league, config)
        make_key(league)


def supervise(league: League, listener: socket.socket, tell: Tell) -> None:
    """Run the processes of a league until an interruption; raises UsageError without its folder."""
    python = [sys.executable, "-P", "-m", "arena.league"]
    folder = str(league.folder)
    descriptor = listener.fileno()
    parts = [
        Part("web", [*python, "web", folder, str(descriptor)], (descriptor,)),
        Part("director", [*python, "director", folder]),
    ]
    if league.site.workers is not None:
        parts.append(Part("scheduler", [*python, "scheduler", folder]))
    if league.site.remote is not None:
        parts.append(Part("door", [*python, "door", folder]))
    with closing(listener), Interruptions() as interruptions:
        try:
            while not interruptions.count:
                if not league.folder.is_dir():
                    raise UsageError(f"the folder {league.folder} is gone, and so the league ends")
                for part in parts:
                    part.step(time.monotonic(), tell)
                time.sleep(_LOOK_S)
        finally:
            for part in parts:
                part.ask_to_end()
            for part in parts:
                part.end()


def address_of(league: League) -> str:
    """Return the address of the pages."""
    site = league.site
    scheme = "https" if site.https else "http"
    if site.hosts:
        port = "" if site.https else f":{site.port}"
        return f"{scheme}://{site.hosts[0]}{port}"
    address = reachable(site.address)
    return f"http://{f'[{address}]' if ':' in address else address}:{site.port}"
