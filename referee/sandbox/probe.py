"""Which tiers of isolation this machine allows, found by really starting a program in each.

That a program or a kernel feature is there proves nothing: containers, kernel settings and security
modules refuse namespaces in many ways.
"""

import contextlib
import sys

from referee.errors import RefereeError
from referee.job import SECOND_NS, Limits, Player, Tier
from referee.sandbox import landlock, seccomp
from referee.sandbox.bubblewrap import is_installed
from referee.sandbox.directory import Room
from referee.sandbox.isolation import Cell
from referee.sandbox.process import Process, environment

NOT_INSTALLED = "bubblewrap is not installed"
PATIENCE_NS = 10 * SECOND_NS
_ANY_PORT = 1


def refusal(tier: Tier, *, has_tcp: bool = False) -> str | None:
    """Return why this machine refuses bots in this tier; None if it does not."""
    if (reason := _lack(tier)) is not None:
        return reason
    room = Room()
    try:
        return _tried(tier, Cell(room=room.path, port=_ANY_PORT if has_tcp else None))
    except (OSError, RefereeError) as error:
        return str(error)
    finally:
        room.remove()


def _lack(tier: Tier) -> str | None:
    if tier == "namespaces" and not is_installed():
        return NOT_INSTALLED
    if tier in ("namespaces", "landlock") and not seccomp.is_supported():
        return "its processor's system calls are not known here"
    if tier == "landlock" and landlock.version() == 0:
        return "this kernel has no Landlock, or it is turned off"
    return None


def _tried(tier: Tier, cell: Cell) -> str | None:
    program = (sys.executable, "-I", "-S", "-c", "pass")
    player = Player(name="probe", argv=program, folder=str(cell.room), content="", tier=tier)
    cell.hand_over(player)
    process = Process(player, Limits(), environment("", "", cell.home(player)), None, cell)
    try:
        ended = process.wait_end(PATIENCE_NS)
        said = process.tail().strip()
    finally:
        with contextlib.suppress(OSError):
            process.stop()
    if ended == "exit code 0":
        return None
    return said or f"a program in it does not end as it should: {ended}"
