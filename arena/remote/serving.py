"""The commands `arena host` and `arena join`, from their options to their loops."""

import resource
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from arena.bots.building import BuildTerms
from arena.bots.hiding import hidden_from
from arena.bots.manifest import find_bot
from arena.bots.prepare import prepare
from arena.errors import BotError, IsolationError, UncountedError
from arena.machine.tier_choice import best_tier
from arena.reading.choices import Isolation, NetworkAccess
from arena.reading.hosts import host_addresses, parse_endpoint
from arena.remote.keys import read_key, read_public
from arena.text import plural
from referee.job import Player
from referee.sandbox import TIERS, Limits, TierFinding, group_cure

Say = Callable[[str], None]
MEMORY_BYTES = 512 * 1024 * 1024
"""Limit of the memory of `arena join`: libzmq keeps all frames of a message until its last one."""


def open_door(key: Path, entrants: Path, listen: str, say: Say) -> None:
    """Serve entrants until the process is ended; raises ArenaError before the port is open."""
    from arena.remote.door_process import DoorProcess
    from arena.remote.entrants import WatchedEntrants
    from arena.remote.referee_socket import door_socket

    host, port = parse_endpoint(listen, "--listen", is_wild=True)
    pair = read_key(key)
    listed = WatchedEntrants(entrants)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    allow_files()
    with closing(DoorProcess(pair, listed, door_socket(), say)) as door:
        endpoint = door.listen(host, port)
        names = ", ".join(listed.now.keys) or "nobody yet"
        say(f"open: {endpoint}, for {names} ({entrants}; changes are read at once)")
        say(
            f"owners join with: arena join tcp://HOST:{endpoint.rpartition(':')[2]} BOT"
            f" --key FILE --server '{pair.public}'"
        )
        while True:
            door.serve()


def allow_files() -> None:
    """Raise the limit of open files as far as possible: an entrant needs five descriptors."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@dataclass(frozen=True, kw_only=True)
class Joining:
    """The options of `arena join`."""

    endpoint: str
    bot: str
    server: str
    key: Path
    isolation: Isolation
    network: NetworkAccess
    matches: int


def sandbox_text(found: TierFinding) -> str:
    """Return the sandbox of a bot, to be read after "plays"."""
    return "without a sandbox" if found.tier == "none" else f"with {TIERS[found.tier].title}"


def join_host(asked: Joining, say: Say) -> None:
    """Play the bot in the host's matches until the process is ended; raises ArenaError."""
    from arena.remote.join import Join, JoinTerms

    host_addresses(*parse_endpoint(asked.endpoint, "the host", is_wild=False))
    server = read_public(asked.server)
    pair = read_key(asked.key)
    manifest = find_bot(asked.bot, Path())
    unbuilt = JoinTerms(
        endpoint=asked.endpoint,
        server=server,
        pair=pair,
        player=Player(name=manifest.name, argv=(), folder="", content=""),
        limits=Limits(),
        games=manifest.games,
        matches=asked.matches,
    )
    Join(unbuilt, say).try_host()  # a build may take minutes
    terms = BuildTerms(isolation=asked.isolation, network=asked.network)
    prepared = prepare(manifest, terms=terms)
    found = best_tier() if asked.isolation != "none" else TierFinding(tier="none", refusals={})
    if asked.isolation == "require" and not found.is_best:
        raise IsolationError(f"this machine refuses isolation\n{found.explanation()}")
    if asked.isolation == "require" and found.uncounted:
        raise UncountedError(f"isolation: {found.shortage()}\ncure: {group_cure()}")
    detail = hidden_from(manifest, prepared.argv[0], (), ())
    if detail is not None and asked.isolation != "none":
        raise BotError(manifest.name, detail)
    player = replace(prepared.player(manifest.name), tier=found.tier)
    at_once = plural(asked.matches, "match")
    walls = sandbox_text(found)
    say(f"{manifest.name} plays {walls}, up to {at_once} at a time; Ctrl-C ends it")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    _limit_memory()
    Join(replace(unbuilt, player=player), say).run()


def _limit_memory() -> None:
    """Limit the memory of this process, against a host that sends without end.

    libzmq then closes the connection. Bots have limits of their own.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or hard > MEMORY_BYTES:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, hard))
