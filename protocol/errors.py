"""Errors for invalid bytes from a peer. The text names the broken rule of SPEC.md."""


class WireError(Exception):
    """Bytes without a valid message of the protocol."""


class MalformedError(WireError):
    """Not a message, or a message with a wrong, missing or unknown field."""


class OversizeError(WireError):
    """A message above its size limit."""
