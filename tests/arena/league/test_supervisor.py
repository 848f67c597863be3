"""The supervisor of a league: its address, its folder, its end."""

import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import PATIENCE_S

from arena.errors import UsageError
from arena.league.folder import League
from arena.league.upkeep import supervisor
from arena.league.upkeep.supervisor import bound, supervise


class FakePart:
    """A part that loses the folder of its league when it is started."""

    folder: Path
    steps = 0

    def __init__(self, *_: object) -> None:
        pass

    def step(self, now_s: float, tell: object) -> None:
        del now_s, tell
        FakePart.steps += 1
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask_to_end(self) -> None:
        pass

    def end(self) -> None:
        pass


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


def test_a_league_ends_without_its_folder(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "Part", FakePart)
    FakePart.steps = 0
    FakePart.folder = league.folder

    with pytest.raises(UsageError, match="is gone, and so the league ends"):
        supervise(league, socket.socket(), print)

    assert FakePart.steps == 2
