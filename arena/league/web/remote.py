"""The port of a league for remote bots, as its pages tell owners of it."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from arena.errors import UsageError
from arena.league.web.here import league, site
from arena.reading.hosts import parse_endpoint


@dataclass(frozen=True)
class Port:
    """The league's port for remote bots."""

    endpoint: str
    public: str
    """Public key of the port, in Z85."""


def port(request: Any) -> Port | None:
    """Return the port, with the host by which the person reaches the league; None without one."""
    if site().remote is None or not league().remote_key.exists():
        return None
    from arena.remote.keys import read_key  # it loads ZeroMQ

    _, number = parse_endpoint(site().remote or "", "remote", is_wild=True)
    host = site().hosts[0] if site().hosts else urlsplit(f"//{request.get_host()}").hostname
    shown = f"[{host}]" if host and ":" in host else host
    return Port(f"tcp://{shown}:{number}", read_key(league().remote_key).public)


def require_port() -> None:
    """Raise UsageError for a league without a port for remote bots."""
    if site().remote is None:
        raise UsageError("this league has no port for remote bots")
