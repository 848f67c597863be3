"""Hosts and ports as users write them, and the addresses of a host."""

import errno
import socket

from arena.errors import UsageError, cause
from protocol.wording import quoted


def host_and_port(text: str) -> tuple[str, int] | None:
    """Return host and port of HOST:PORT, an IPv6 address in brackets; None for any other text.

    tcp://HOST:PORT, as Dask prints its addresses, is another text.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    is_port = port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 1 << 16
    return (host, int(port)) if host and is_port and "/" not in host else None


def parse_endpoint(text: str, option: str, *, is_wild: bool) -> tuple[str, int]:
    """Return host and port of tcp://HOST:PORT, with * and 0 if `is_wild`; raises UsageError."""
    found = host_and_port(text.removeprefix("tcp://"))
    if not text.startswith("tcp://") or found is None or not (is_wild or found[1]):
        example = "tcp://0.0.0.0:7777" if is_wild else "tcp://host.example:7777"
        raise UsageError(f"{option} must be tcp://HOST:PORT, like {example}, not {text!r}")
    host, port = found
    return ("0.0.0.0" if host == "*" and is_wild else host), port  # noqa: S104 - asked for


def host_addresses(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host; raises UsageError if its name is unknown."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # UnicodeError: a part of more than 63 characters
        why = (error.strerror if isinstance(error, OSError) else None) or "not the name of a host"
        raise UsageError(f"the host {quoted(host)} cannot be found: {why}") from None
    return [str(entry[4][0]) for entry in found]


_LISTENING = {
    errno.EACCES: ", since ports below 1024 are root's",
    errno.EADDRNOTAVAIL: ", since it is none of this machine",
}


def listening_fault(error: Exception) -> str:
    """Return why a program cannot listen at an address, in words that lead to the cure."""
    return cause(error) + _LISTENING.get(getattr(error, "errno", None) or 0, "")
