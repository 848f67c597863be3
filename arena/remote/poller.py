"""One wait for many sockets: of ZeroMQ, of the kernel, and descriptors of pipes."""

import contextlib
import time
from collections.abc import Callable
from typing import Any

import zmq


class Poller:
    """Calls a function for each socket with an event."""

    def __init__(self) -> None:
        self._poller = zmq.Poller()
        self._calls: dict[Any, Callable[[int], None]] = {}

    def watch(self, what: Any, call: Callable[[int], None], flags: int = zmq.POLLIN) -> None:
        """Call `call` with the flags of each event; watching again changes the flags."""
        self._poller.register(what, flags)
        self._calls[what] = call

    def forget(self, what: Any) -> None:
        """Stop watching, before the socket is closed."""
        self._calls.pop(what, None)
        with contextlib.suppress(KeyError):
            self._poller.unregister(what)

    def wait(self, seconds: float) -> None:
        """Wait for events for at most this time, and handle all of them."""
        if not self._calls:  # ZeroMQ would return at once
            time.sleep(seconds)
            return
        for what, flags in self._poller.poll(max(0, round(seconds * 1000))):
            call = self._calls.get(what)
            if call is not None:  # otherwise closed by a handler before
                call(flags)
