"""The limit of open files: a process that may open too few waits in vain for more."""

import resource

from arena.errors import MachineError
from arena.text import plural

_OWN_FILES = 128
_FILES_OF_A_SEAT = 64
"""Open files of a referee without bots, and for each seat: its bot and those of the next matches.

Tried: two seats run with 160 and not with 128, six with 512 and not always with 448."""
_WANTED = 1024


def require_open_files(seats: int = 2) -> None:
    """Raise this process's limit of open files as far as matches with `seats` seats need.

    Raises MachineError if that is not allowed.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    least = _OWN_FILES + _FILES_OF_A_SEAT * seats
    if hard != resource.RLIM_INFINITY and hard < least:
        raise MachineError(
            f"this process may open {hard} files, too few for matches of"
            f" {plural(seats, 'seat')}: raise `ulimit -n` to at least {least}"
        )
    if soft != resource.RLIM_INFINITY and soft < _WANTED:
        wanted = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
