"""Typed blame: a Forfeit for a fault of a bot, a BrokenMatchError where no bot is to blame.

Any other exception is an internal error.
"""

import errno

from protocol.vocabulary import Seat, Termination

UNMATCHED = "but a reply has the id of its call"
"""In the detail of a timeout: the bot sent a message without this id."""
IDLE = "nearly all of it waiting: its CPU time was"
"""In the detail of a timeout: the bot did not compute."""
MAX_DETAIL = 1000
"""Length limit, in characters, of the text of a fault, quotes from the bot included."""
EXHAUSTED = frozenset(
    {errno.EAGAIN, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
)
"""Errors of a machine without resources for another process or file."""
BROKEN_DISK = (EXHAUSTED | {errno.EIO}) - {errno.EAGAIN}
"""Errors of a machine that cannot keep a file; EAGAIN is that of a lease, held by an author."""
UNCHECKED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Exceptions of code that reads values nobody has checked, like those of a stranger's database."""


TOO_FEW_PROCESSES = "too few processes"
"""In the reason of a void match: a limit around a bot refused it a process or thread."""
FULL_DISK = "too little disk"
"""The same: the disk of a bot's files had no space for them."""


class RefereeError(Exception):
    """Base of the referee's own exceptions."""


class Forfeit(RefereeError):  # noqa: N818 - a verdict on a bot, not an internal error
    """A seat lost by its own fault, with the blame."""

    def __init__(self, seat: Seat, termination: Termination, detail: str) -> None:
        if not termination.is_forfeit:
            raise ValueError(f"{termination} is not a forfeit")
        detail = detail[:MAX_DETAIL]
        super().__init__(f"seat {seat}: {detail}")
        self.seat = seat
        self.termination = termination
        self.detail = detail


class NoStartError(RefereeError):
    """The program of a bot cannot be executed; the text is the reason."""


class BrokenMatchError(RefereeError):
    """The match cannot continue and no bot is to blame: void, and played again."""


class LineLostError(BrokenMatchError):
    """The line to a remote bot was lost, or silent when its reply was due."""


class AbsentError(BrokenMatchError):
    """A remote bot was out of reach before its match had begun."""


class ExhaustedError(BrokenMatchError):
    """The machine lacks resources to start a bot: memory, processes, files or disk space."""


class ShortageError(ExhaustedError):
    """The machine had too little for running bots, though each kept to its limits."""
