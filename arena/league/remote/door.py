"""The port of a league for remote bots: the door of `arena host`, with the league's own entrants.

Each version of a remote bot is an entrant with a key of its own, and only the newest one of a bot
may join. So whoever has joined as `thinker.2` plays the matches of that version and no others.
"""

import signal
import sys
from contextlib import closing

from django.db import Error, connections

from arena.config.event import Config
from arena.errors import UsageError
from arena.league.folder import REMOTE_KEY, League
from arena.league.remote.presence import door_of, newest_versions
from arena.reading.hosts import parse_endpoint
from arena.remote.door_process import DoorProcess
from arena.remote.entrants import Entrants
from arena.remote.keys import read_key, write_key
from arena.remote.serving import allow_files
from arena.terminal.output import tell

_SETTING = "remote in league.yaml"


class LeagueEntrants:
    """The newest version of each remote bot; a database out of reach puts nobody out."""

    def __init__(self) -> None:
        self.now = Entrants({})
        self.is_valid = False
        """Whether the last look at the database went well."""
        self.refresh()

    def refresh(self) -> str | None:
        """Look at the database."""
        was_valid, self.is_valid = self.is_valid, False
        try:
            self.now = Entrants({version.player: version.key for version in newest_versions()})
        except Error as error:
            connections.close_all()
            return f"the database of the league: {error}" if was_valid else None
        self.is_valid = True
        return None


def make_key(league: League) -> None:
    """Make the key of the league's port, unless there is one; raises UsageError."""
    if not league.remote_key.exists():
        write_key(REMOTE_KEY, league.remote_key.parent)


def require_port(league: League, config: Config) -> None:
    """Raise UsageError for a port or a season with which no remote bot can play."""
    endpoint_of(league)
    if config.restart == "never":
        raise UsageError(
            f"{config.source.name}: a remote bot is started for each match; set restart: match, or"
            " leave remote out of league.yaml"
        )


def serve_door(league: League) -> None:
    """Serve remote bots until the process is ended; raises ArenaError."""
    host, port = endpoint_of(league)
    pair = read_key(league.remote_key)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    allow_files()
    with closing(DoorProcess(pair, LeagueEntrants(), door_of(league), tell)) as door:
        tell(f"remote bots join at {door.listen(host, port, _SETTING)}")
        while True:
            door.serve()


def endpoint_of(league: League) -> tuple[str, int]:
    """Return host and port for remote bots; raises UsageError."""
    return parse_endpoint(league.site.remote or "", _SETTING, is_wild=True)
