"""The error of a game that breaks a rule."""


class BrokenRuleError(AssertionError):
    """A game breaks a rule of the contract; the message says where."""
