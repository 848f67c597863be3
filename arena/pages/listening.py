"""The socket of a web server."""

import socket
from contextlib import ExitStack

MAX_UNREAD_MS = 20_000
"""Time before the kernel drops a reader with unread data."""
BACKLOG = 512


def listening(address: str, port: int) -> socket.socket:
    """Return a socket that listens at an IP address; raises OSError, or ValueError for a wrong one.

    Whoever stops reading an answer loses the connection, and with it the place of another reader.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with ExitStack() as undo:
        listener = undo.enter_context(socket.socket(family, socket.SOCK_STREAM))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, MAX_UNREAD_MS)
        listener.bind((address, port))
        listener.listen(BACKLOG)
        undo.pop_all()
    return listener
