"""The slots of a league on a machine with little memory."""

import socket
from contextlib import closing

import pytest

from arena.commands import league as commands
from arena.league import settings
from arena.league.folder import League
from arena.league.seasons.season import lanes_of, season_of
from arena.league.upkeep import supervisor
from arena.machine import room
from referee.sandbox import Room

MB = 1 << 20


@pytest.fixture(params=["auto", 3])
def slots(league: League, request: pytest.FixtureRequest) -> str | int:
    """What the season says of its slots, on a machine with memory for one match of two bots."""
    season = league.folder / "season.yaml"
    season.write_text(f"{season.read_text()}slots: {request.param}\npin: none\n")
    return request.param  # type: ignore[no-any-return]  # pytest has no type for it


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend to have four cores, and memory for one match of two bots."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2, 3})
    monkeypatch.setattr(room, "memory_room_here", lambda: Room("this machine", 1500 * MB))


def test_a_league_has_the_slots_that_there_is_memory_for(league: League, slots: str | int) -> None:
    lanes = lanes_of(season_of(league.season(), 0))

    assert len(lanes.matches) == (1 if slots == "auto" else 2)


def test_the_start_says_that_there_is_too_little_memory(
    league: League,
    slots: str | int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(commands, "guard", lambda: None)  # its warden would be that of all tests
    monkeypatch.setattr(settings, "open_site", lambda _: None)
    monkeypatch.setattr(supervisor, "supervise", lambda *_: None)
    with closing(socket.socket()) as listener:
        monkeypatch.setattr(supervisor, "bound", lambda _: listener)
        commands.start(league.folder)

    said = capsys.readouterr().err
    begin = "1 slot instead of 4: " if slots == "auto" else "warning: there is room for 1 slot, not"
    assert said.startswith(begin)
    assert "the 2 bots of a match may use 1024 MB together (limits.memory)" in said
