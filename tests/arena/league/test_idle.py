"""Times without new matches, on the page of staff and in the terminal of the league."""

import pytest

from arena.league.directing.idle import ALARM_S, Idle
from arena.league.folder import League
from arena.league.site.models import Notice

FREE_BYTES = "arena.league.files.FREE_BYTES"


class Watched:
    """An `Idle` with a clock of its own, and all that it has said."""

    def __init__(self, league: League) -> None:
        self.now_s = 1000.0
        self.said: list[str] = []
        self.idle = Idle(league.folder, lambda: self.now_s, self.said.append)

    def look_later(self) -> bool:
        """Look after ALARM_S, and return whether no match may begin."""
        self.now_s += ALARM_S
        self.idle.look()
        return self.idle.is_on


@pytest.fixture
def watched(league: League) -> Watched:
    return Watched(league)


def test_matches_begin_while_nothing_is_lacking(watched: Watched) -> None:
    assert not watched.look_later()
    assert (watched.said, Notice.objects.count()) == ([], 0)


def test_a_full_disk_is_said_once_until_it_has_free_space_again(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(FREE_BYTES, 1 << 60)
        assert [watched.look_later() for _ in range(3)] == [True] * 3
    assert not watched.look_later()
    assert not watched.look_later()
    monkeypatch.setattr(FREE_BYTES, 1 << 60)
    assert watched.look_later()

    lacks, again, lacks_again = watched.said
    assert again == "matches begin again"
    assert lacks == lacks_again
    assert lacks.startswith("no match begins: the disk of ")
    assert Notice.objects.count() == 4, "staff reads how long it lasts"


def test_an_alarm_ends_by_itself(watched: Watched) -> None:
    watched.idle.begin("matches of different players were void")
    assert watched.idle.is_on
    assert not watched.look_later()

    assert watched.said == [
        "no match begins: matches of different players were void",
        "matches begin again",
    ]


def test_a_wait_for_memory_is_said_and_ends_with_a_match(watched: Watched) -> None:
    watched.idle.wait_for_resources("no memory")
    watched.idle.wait_for_resources("no memory")
    assert watched.idle.is_on
    watched.idle.end_wait()
    watched.idle.end_wait()
    assert not watched.idle.is_on

    assert watched.said == [
        "no memory: waiting for free resources",
        "resources are free again, resuming",
    ]
