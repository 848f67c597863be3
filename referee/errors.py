"""Blame, typed: a bot's fault is a Forfeit, ours is a BrokenMatchError."""

from protocol.vocabulary import Seat, Termination

MAX_DETAIL = 1000
"""What a bot sent is quoted in the text of its fault: no more of it than this in all."""


class RefereeError(Exception):
    """Base of what a referee raises on purpose."""


class Forfeit(RefereeError):  # noqa: N818 - a verdict on a bot, not an error of ours
    """A seat lost by its own fault. Carries the blame, never guesses it."""

    def __init__(self, seat: Seat, termination: Termination, detail: str) -> None:
        if not termination.is_forfeit:
            raise ValueError(f"{termination} is not a forfeit")
        detail = detail[:MAX_DETAIL]
        super().__init__(f"seat {seat}: {detail}")
        self.seat = seat
        self.termination = termination
        self.detail = detail


class NoStartError(RefereeError):
    """The program of a bot cannot be executed. Says why."""


class BrokenMatchError(RefereeError):
    """The match cannot go on and no bot is to blame: it is void and will be played again."""


class ExhaustedError(BrokenMatchError):
    """The machine has no more to start a bot with: no memory, process, file or room on its disk."""
