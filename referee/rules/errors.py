"""Why the rules refuse something."""


class RuleError(Exception):
    """Input refused by the rules. The text quotes the broken rule."""


class BrokenRulesError(Exception):
    """The rules contradict themselves, for which no bot is to blame; the text says how."""


class IllegalMoveError(RuleError):
    """A well-formed move, not allowed in this position."""


class FalseClaimError(RuleError):
    """A claim different from the effect of its move."""


class NotationError(RuleError):
    """Text that is not a move of this game. The message shows the notation."""


class OptionError(RuleError):
    """Invalid options of a game. `option` is the name of the invalid field."""

    def __init__(self, option: str, detail: str) -> None:
        super().__init__(detail)
        self.option = option
        self.detail = detail
