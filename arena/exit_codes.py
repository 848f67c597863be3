"""Exit codes of the command, as CI and scripts see them."""

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended."""

    DONE = 0
    """Finished, or the verdict is "passed"."""
    FAILED = 1
    """The verdict is "failed"."""
    USAGE = 2
    """Wrong usage or a wrong config; nothing was played."""
    FAULTS = 3
    """A bot failed the preflight, or its faults exceed the allowed number."""
    UNDECIDED = 4
    """No verdict at the cap."""
    INTERNAL = 5
    """An internal error, or an error of the machine."""
    INTERRUPTED = 130
    """Stopped by a signal; every finished match is kept."""
