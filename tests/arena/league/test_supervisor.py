"""The address of a league: held by the supervisor, and waited for after its kill."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from waiting import PATIENCE_S

from arena.errors import UsageError
from arena.league.folder import League
from arena.league.supervisor import bound


@pytest.fixture
def held(league: League) -> Iterator[tuple[League, socket.socket]]:
    """A league whose address another socket has."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        site = league.site.model_copy(update={"port": other.getsockname()[1]})
        yield replace(league, site=site), other


def test_the_address_of_a_killed_league_is_waited_for(
    held: tuple[League, socket.socket],
) -> None:
    league, other = held
    freed = threading.Timer(0.5, other.close)
    freed.start()

    with bound(league, wait_s=PATIENCE_S) as listener:
        assert listener.getsockname()[1] == league.site.port
    freed.join()


def test_the_address_of_another_program_is_refused(held: tuple[League, socket.socket]) -> None:
    league, _ = held

    with pytest.raises(UsageError, match=r"cannot use port .*: Address already in use; choose"):
        bound(league, wait_s=0)
