"""Reports of the running matches on workers, fetched while somebody watches the event."""

import time
from collections.abc import Callable
from concurrent.futures import Future

from arena.cluster.cluster import Cluster

PAUSE_S = 0.5
"""Least time in seconds between two questions to a worker: each costs the scheduler a message."""


class LiveReports:
    """The reports of all workers of a cluster."""

    def __init__(self, cluster: Cluster, *, now_s: Callable[[], float] = time.monotonic) -> None:
        self._cluster = cluster
        self._now_s = now_s
        self._audience = 0
        self._answers: dict[str, Future[list[bytes]]] = {}
        """The answer to the open question to each worker, by its address."""
        self._asked_s: dict[str, float] = {}

    def report_to(self, audience: int) -> None:
        """Have running matches reported from the start to a new audience; 0 is nobody."""
        self._audience = audience
        if not audience and self._cluster.link.is_up():
            for address in self._cluster.members:
                self._cluster.link.reports(address, 0)

    def arrived(self) -> list[bytes]:
        """Return the reports that have arrived, and ask for more without waiting for them."""
        found: list[bytes] = []
        for address, answer in list(self._answers.items()):
            if answer.done():
                del self._answers[address]
                found += [] if answer.cancelled() else answer.result()
        if self._audience and self._cluster.link.is_up():
            for address in self._cluster.members:
                self._ask(address)
        return found

    def _ask(self, address: str) -> None:
        now_s = self._now_s()
        is_due = address not in self._asked_s or now_s >= self._asked_s[address] + PAUSE_S
        if address in self._answers or not is_due:
            return
        self._asked_s[address] = now_s
        self._answers[address] = self._cluster.link.reports(address, self._audience)
