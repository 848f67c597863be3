"""What a step of `arena check` says of a bot by raising."""

from referee.records.record import Fault


class StepFailed(Exception):  # noqa: N818 - a finding about a bot, not an internal error
    """A violation of the protocol by the bot."""

    def __init__(self, detail: str, fault: Fault | None = None) -> None:
        super().__init__(detail)
        self.fault = fault
        """The fault for which a match was lost, or None."""


class SessionOverError(StepFailed):
    """The bot's process ended, or it closed its connection."""


class StepSkipped(Exception):  # noqa: N818 - a finding about a bot, not an internal error
    """Reason why a step does not apply to this bot in this game."""


class StepDoubted(Exception):  # noqa: N818 - a finding about a bot, not an internal error
    """A finding that is a fault of most bots, and intended by some."""
