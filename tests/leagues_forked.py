"""A league whose processes are forks of its supervisor, which has loaded everything already.

`python leagues_forked.py DIR` is `arena league start DIR` with quick starts: the pages and
the director answer after a tenth of a second instead of two, so that they can be killed thousands
of times. What they run is the same. It needs `tests` in PYTHONPATH.
"""

import importlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

from forking import MAINS, Fork, ForkedModule, fork_modules, warm_up

import arena.cli
from arena.league.folder import open_league
from arena.league.settings import open_site
from arena.league.upkeep import supervisor

FIRST_S = 0.05
"""Time before a process is started again; it grows no longer."""
COMM = Path("/proc/self/comm")


class ForkedPart(Fork):
    """A part of the league, with what the supervisor needs of `subprocess.Popen`."""

    def __init__(self, command: Sequence[str], pass_fds: Sequence[int] = (), **_: Any) -> None:
        from django.db import connections

        connections.close_all()  # a fork must not share one
        heard, stdin = os.pipe()
        part, *arguments = command[command.index("arena.league") + 1 :]

        def act() -> None:
            from arena.league.__main__ import main

            COMM.write_text(f"league-{part}")
            main(part, *arguments)

        super().__init__(act, [heard, 1, 2], pass_fds)
        os.close(heard)
        self.stdin: IO[bytes] = os.fdopen(stdin, "wb", 0)

    def poll(self) -> int | None:
        """Return the exit code, None before the end."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None


def main(folder: str) -> None:
    """Load what the parts need, then be the command."""
    open_site(open_league(Path(folder)))
    from arena.league.hand_ins import examiner, reception  # their tables first want Django

    parts = ("directing.director", "remote.door", "hand_ins.examine", "web.routes", "web.server")
    for name in parts:
        importlib.import_module(f"arena.league.{name}")
    warm_up()
    MAINS["arena.league.hand_ins.examine"] = sys.modules["arena.league.hand_ins.examine"].main
    fork_modules()
    names = {"PIPE": subprocess.PIPE, "TimeoutExpired": subprocess.TimeoutExpired}
    for module, popen in ((examiner, ForkedModule), (supervisor, ForkedPart)):
        vars(module)["subprocess"] = SimpleNamespace(Popen=popen, **names)
    supervisor.LONGEST_S = FIRST_S
    reception.PER_HOUR = reception.ALL_PER_HOUR = sys.maxsize  # hand-ins come for the whole time
    sys.argv = ["arena", "league", "start", folder]
    arena.cli.main()


if __name__ == "__main__":
    main(*sys.argv[1:])
