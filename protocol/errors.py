"""What can be wrong with bytes from a peer. The text says which rule of SPEC.md they break."""


class WireError(Exception):
    """Bytes that are no valid message of the protocol."""


class MalformedError(WireError):
    """Not a message, or a message with a wrong, missing or unknown field."""


class OversizeError(WireError):
    """Larger than the limit for a message."""


def shown(value: object, most: int = 60) -> str:
    """Return a peer's value as people may read it: escaped, on one line, cut short."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."
