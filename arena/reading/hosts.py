"""Addresses of hosts by name."""

import socket

from arena.errors import UsageError
from protocol.wording import quoted


def host_addresses(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host; raises UsageError if its name is unknown."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # UnicodeError: a part of more than 63 characters
        why = (error.strerror if isinstance(error, OSError) else None) or "not the name of a host"
        raise UsageError(f"the host {quoted(host)} cannot be found: {why}") from None
    return [str(entry[4][0]) for entry in found]
