"""A process of a league: `python -m arena.league director DIR`, or web, scheduler or door.

Each ends when its input ends, with the supervisor.
"""

import os
import signal
import sys
import threading
from pathlib import Path

from arena.config.cluster import parse_address
from arena.errors import ArenaError
from arena.league.folder import open_league
from arena.league.settings import open_site
from arena.terminal.output import tell
from referee.sandbox import guard_command


def main(part: str, folder: str, *descriptors: str) -> None:
    """Be this part of the league of a folder."""
    if part == "director":
        guard_command()
    threading.Thread(target=_end_with_supervisor, daemon=True).start()
    league = open_league(Path(folder))
    if part == "scheduler":
        from arena.cluster.scheduler import run_scheduler

        address = parse_address(league.site.workers or "")
        run_scheduler(address, league.worker_keys, "workers in league.yaml")
        return
    open_site(league)  # before any module with tables is imported
    if part == "director":
        from arena.league.directing.director import direct

        direct(league)
    elif part == "door":
        from arena.league.remote.door import serve_door

        serve_door(league)
    else:
        from arena.league.web.server import serve

        serve(league, int(descriptors[0]))


def _end_with_supervisor() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ArenaError as error:
        tell(f"error: {error}")
        sys.exit(error.exit_code)
