"""The connection of a director to a scheduler: its begin."""

from typing import Any

import pytest
from distributed.comm.core import CommClosedError

from arena.cluster import link
from arena.cluster.link import SchedulerLink
from arena.config.cluster import parse_address
from arena.errors import MachineError


class EndedScheduler:
    """A client whose scheduler ends right after it has answered."""

    id = "Client-arena-1"
    is_closed = False

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def run_on_scheduler(self, *_: object) -> Any:
        raise CommClosedError("in <TLS (closed)>: Stream is closed")

    def close(self, timeout: float) -> None:
        assert timeout > 0
        EndedScheduler.is_closed = True


def test_a_scheduler_that_ends_while_a_director_connects_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "Client", EndedScheduler)

    with pytest.raises(MachineError, match=r"^the scheduler at 127\.0\.0\.1:9 has ended$"):
        SchedulerLink(parse_address("127.0.0.1:9"), None)

    assert EndedScheduler.is_closed
