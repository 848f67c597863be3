"""Connections without a request: closed in time, so that silent ones cannot use up the server."""

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

REQUEST_S = 10.0
"""Time for a request to arrive."""


class PromptProtocol(H11Protocol):
    """HTTP that closes connections whose next request does not arrive in time."""

    request_s: ClassVar[float] = REQUEST_S

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look for requests."""
        super().connection_made(transport)
        self._is_silent = False
        self._look_later()

    def _look_later(self) -> None:
        self.loop.call_later(self.request_s, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        answer: RequestResponseCycle | None = self.cycle
        is_waiting = answer is None or answer.response_complete
        if is_waiting and self._is_silent:
            self.transport.close()
            return
        self._is_silent = is_waiting
        self._look_later()
