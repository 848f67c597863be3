"""What the owner of a remote bot reads of a match: its opponents and its result.

It is taken from the calls that the bot itself receives, so that an owner learns no more than the
bot: a game that withholds the names of the players withholds them here.
"""

from protocol.codec import MAX_CALL_BYTES, decode
from protocol.errors import WireError
from protocol.wording import escaped

_HEAD = 48
"""Bytes of a call among which its type stands."""
_MOST = 200
"""Limit of the characters of a line about a match."""


def line_about(call: bytes, game: str) -> str | None:
    """Return a line about a call that begins or ends a match; None for any other call."""
    head = call[:_HEAD]
    if b"\xa4init" not in head and b"\xa4term" not in head:
        return None  # decoding each call would delay it
    try:
        fields = decode(call, limit=MAX_CALL_BYTES)
        if fields["type"] == "init":
            seat = fields["seat"]
            others = [str(name) for n, name in enumerate(fields["players"]) if n != seat]
            said = f"{game}, seat {seat}: against {', '.join(others) or 'nobody'}"
        elif fields["type"] == "term":
            scores = " ".join(map(str, fields["scores"]))
            said = f"{game}: {fields['termination']}, scores by seat {scores}: {fields['reason']}"
        else:
            return None
    except (WireError, LookupError, TypeError, ValueError):
        return None
    return escaped(said)[:_MOST]
