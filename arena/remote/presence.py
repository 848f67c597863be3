"""Asks the door of this machine for the joined entrants, before an event is played."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.errors import BotError, UsageError, cause
from arena.remote.referee_socket import door_socket
from protocol.wording import did_you_mean, escaped, quoted
from referee.job import REMOTE, Player
from referee.seats.remote_process import Lines, dial, line_bytes

TIMEOUT_S = 10.0
LONGEST_LOOK_S = 0.5
"""Limit in seconds of a look during an event."""
_CHUNK = 1 << 16

Present = Mapping[str, Mapping[str, Any]]


def present_entrants(wait_s: float = TIMEOUT_S, path: Path | None = None) -> Present:
    """Return the entrants of the open door by name; raises UsageError without a door.

    `path` is the socket of another door than the one of `arena host`.
    """
    try:
        with dial(str(path or door_socket())) as connection:
            connection.settimeout(wait_s)
            connection.sendall(line_bytes({"present": True}))
            lines = Lines()
            found: dict[str, dict[str, Any]] = {}
            while data := connection.recv(_CHUNK):
                for fields in lines.feed(data):
                    if fields["entrant"] is None:
                        return found
                    found[str(fields["entrant"])] = dict(fields["facts"])
    except (FileNotFoundError, ConnectionRefusedError):
        raise UsageError(
            "remote bots need `arena host`, which is not running on this machine; start it:"
            " arena host --key FILE --entrants FILE"
        ) from None
    except (OSError, ValueError, LookupError) as error:
        raise UsageError(f"`arena host` does not answer: {cause(error)}; start it again") from None
    raise UsageError("`arena host` does not answer; start it again")


def remote_player(name: str, entrant: str, game: str, present: Present) -> Player:
    """Return a remote player; raises BotError unless listed and joined for this game."""
    found = present.get(entrant)
    if found is None:
        raise BotError(
            name,
            f"no entrant of `arena host` is named {quoted(entrant)};"
            f" {did_you_mean(entrant, tuple(present))}",
        )
    if found["bot"] is None:
        raise BotError(name, f"{entrant} is not connected; its owner has to run `arena join` first")
    games = found["games"]
    if games is not None and game not in games:
        played = escaped(" and ".join(map(str, games)))
        raise BotError(name, f"{entrant} does not play {game}; it plays {played}")
    return Player(
        name=name,
        argv=(),
        folder="",
        content=f"{REMOTE}{found['content']}",
        door=str(door_socket()),
        remote=entrant,
    )


def reachable_entrants() -> set[str] | None:
    """Return the joined entrants whose lines are not silent; None without a door."""
    try:
        present = present_entrants(LONGEST_LOOK_S)
    except UsageError:
        return None
    return {name for name, found in present.items() if found["bot"] and not found["is_silent"]}
