"""Addresses at which a league is opened."""

import socket
from ipaddress import ip_address


def is_own_host(host: str) -> bool:
    """Whether a host of an address, with or without port, leads other machines to themselves."""
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    name = name.strip("[]")
    try:
        found = ip_address(name)
    except ValueError:
        return name == "localhost"
    return found.is_loopback or found.is_unspecified


def reachable(address: str) -> str:
    """Return the address to open: of 0.0.0.0 and ::, that of this machine in its network."""
    try:
        is_every = ip_address(address).is_unspecified
    except ValueError:
        is_every = False
    return _own_address(address) if is_every else address


def _own_address(every: str) -> str:
    """Return the address of this machine in its network, to be opened by others.

    Nothing is sent: the kernel says which address it would use.
    """
    is_6 = ":" in every
    family, far = (socket.AF_INET6, "2001:db8::1") if is_6 else (socket.AF_INET, "192.0.2.1")
    with socket.socket(family, socket.SOCK_DGRAM) as found:
        try:
            found.connect((far, 9))
        except OSError:  # without a network only this machine can open it
            return "::1" if is_6 else "127.0.0.1"
        return str(found.getsockname()[0])
