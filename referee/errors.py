"""Typed blame: a Forfeit for a fault of a bot, one of NO_BLAME where no bot is to blame.

Any other exception is an internal error.
"""

from protocol.vocabulary import Seat, Termination
from referee.sandbox.errors import ExhaustedError, SandboxError

UNMATCHED = "but a reply has the id of its call"
"""In the detail of a timeout: the bot sent a message without this id."""
IDLE = "nearly all of it waiting: its CPU time was"
"""In the detail of a timeout: the bot did not compute."""
MAX_DETAIL = 1000
"""Length limit, in characters, of the text of a fault, quotes from the bot included."""
UNCHECKED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Exceptions of code that reads values nobody has checked, like those of a stranger's database."""


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


class BrokenMatchError(RefereeError):
    """The match cannot continue and no bot is to blame: void, and played again."""


class LineLostError(BrokenMatchError):
    """The line to a remote bot was lost, or silent when its reply was due."""


class AbsentError(BrokenMatchError):
    """A remote bot was out of reach before its match had begun."""


class ShortageError(ExhaustedError):
    """The machine had too little for running bots, though each kept to its limits."""


NO_BLAME = (BrokenMatchError, SandboxError)
"""Errors of a void match with a reason for people: its own, and those of a bot's sandbox."""
