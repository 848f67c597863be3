"""Connections of referees over the door's unix socket, one for each remote seat."""

import contextlib
import os
import socket
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.errors import UsageError
from arena.remote.poller import Poller
from referee.cache import arena_cache
from referee.seats.remote_process import Lines, line_bytes

_MAX_PATH = 107
"""Limit of the bytes in the path of a unix socket (`man 7 unix`)."""
_PEER = struct.Struct("3i")
_CHUNK = 4096
_SEND_S = 1.0
"""Limit in seconds of sending news; nearly all fit into the socket's buffer."""


def door_socket() -> Path:
    """Return the path of the door's socket: one door a user and machine."""
    return arena_cache() / "door"


class RefereeConnection:
    """A connection of a referee, or of a command that asks for the joined entrants."""

    def __init__(self, connection: socket.socket, poller: Poller) -> None:
        self._connection, self._poller = connection, poller
        self._lines = Lines()
        self.receive: Callable[[dict[str, Any]], None] = lambda _: None
        self.closed: Callable[[], None] = lambda: None
        """Called when the other end has closed the connection."""

    def open(self) -> None:
        """Begin to read."""
        self._connection.setblocking(False)  # noqa: FBT003 - the name of the standard library
        self._poller.watch(self._connection.fileno(), self._on_event)

    def tell(self, **news: Any) -> None:
        """Send news; a closed connection is noticed when reading."""
        with contextlib.suppress(OSError):
            self._connection.settimeout(_SEND_S)
            self._connection.sendall(line_bytes(news))
            self._connection.setblocking(False)  # noqa: FBT003 - the name of the standard library

    @property
    def is_open(self) -> bool:
        """Whether neither end has closed it."""
        return self._connection.fileno() >= 0

    def close(self) -> None:
        """Close the connection."""
        if self.is_open:
            self._poller.forget(self._connection.fileno())
            self._connection.close()

    def _on_event(self, flags: int) -> None:
        try:
            data = self._connection.recv(_CHUNK)
            lines = list(self._lines.feed(data))
        except BlockingIOError:
            return
        except (OSError, ValueError):
            data, lines = b"", []
        for fields in lines:
            self.receive(fields)
        if not data:
            self.close()
            self.closed()


class RefereeSocket:
    """The door's unix socket, for processes of the same user only."""

    def __init__(
        self, path: Path, poller: Poller, take: Callable[[RefereeConnection], None]
    ) -> None:
        """Listen; `take` receives each new connection. Raises UsageError if a door is open."""
        self._path, self._poller, self._take = path, poller, take
        self._connections: list[RefereeConnection] = []
        if len(os.fsencode(path)) > _MAX_PATH:
            raise UsageError(
                f"the path of the door's socket is longer than {_MAX_PATH} bytes ({path});"
                " set XDG_CACHE_HOME to a shorter folder"
            )
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        if _is_answered(path):
            self._listener.close()
            raise UsageError(f"another `arena host` is open on this machine ({path}); end it first")
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        mask = os.umask(0o177)
        try:
            self._listener.bind(str(path))
        except OSError as error:
            self._listener.close()
            raise UsageError(f"the socket {path} cannot be made: {error.strerror}") from None
        finally:
            os.umask(mask)
        self._listener.listen()
        self._listener.setblocking(False)  # noqa: FBT003 - the name of the standard library
        poller.watch(self._listener.fileno(), self._let_in)

    def close(self) -> None:
        """Stop listening, and close what is connected."""
        for referee in self._connections:
            referee.close()
        self._poller.forget(self._listener.fileno())
        self._listener.close()
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()

    def _let_in(self, flags: int) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
        _, user, _ = _PEER.unpack(credentials)
        if user not in (os.getuid(), 0):
            connection.close()
            return
        referee = RefereeConnection(connection, self._poller)
        self._connections = [referee, *(other for other in self._connections if other.is_open)]
        self._take(referee)
        referee.open()


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(str(path)) == 0
