"""Connections of strangers to a scheduler or worker: limited in number and time.

Dask waits for the handshake of each connection for ever, and whoever has no key needs none to
connect: a thousand silent connections would leave a worker no descriptor for its bots.
"""

import asyncio
from typing import Any

from distributed.comm.registry import backends
from distributed.comm.tcp import TLSBackend, TLSListener

HANDSHAKE_S = 10.0
"""Limit in seconds of a handshake."""
MOST = 300
"""Limit of the connections without a handshake; the oldest makes room for another."""


class Handshakes:
    """The connections of a listener that have not ended their handshake, the oldest first."""

    def __init__(self) -> None:
        self._streams: dict[Any, None] = {}

    def __len__(self) -> int:
        return len(self._streams)

    def begin(self, stream: Any) -> None:
        """Count a connection, and close the oldest one if there are too many."""
        if len(self._streams) >= MOST:
            oldest = next(iter(self._streams))
            self.end(oldest)
            oldest.close()
        self._streams[stream] = None

    def end(self, stream: Any) -> None:
        """Count a connection no more."""
        self._streams.pop(stream, None)


class PromptListener(TLSListener):
    """A port that closes what does not end its handshake."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)  # type: ignore[no-untyped-call]
        self.handshakes = Handshakes()

    async def _prepare_stream(self, stream: Any, address: str) -> Any:
        self.handshakes.begin(stream)
        try:
            async with asyncio.timeout(HANDSHAKE_S):
                return await super()._prepare_stream(stream, address)  # type: ignore[no-untyped-call]
        except TimeoutError:
            stream.close()
            return None
        finally:
            self.handshakes.end(stream)


class PromptBackend(TLSBackend):
    """Encrypted connections of Dask, with these ports."""

    _listener_class = PromptListener


def limit_handshakes() -> None:
    """Have all ports that Dask opens in this process close silent connections."""
    backends["tls"] = PromptBackend()
