"""A bot whose start fails: nothing made for it is left."""

import errno
import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hosting import SMALL

from referee.job import Job, Player
from referee.sandbox.errors import NoStartError
from referee.seats import bot as subject
from referee.seats.bot import Bot


class Group:
    """A control group that was handed out."""


class Lender:
    """Lends groups or users, and counts those that are out."""

    def __init__(self, lent: object) -> None:
        self._lent = lent
        self.out = 0

    def take(self, *_: object) -> object:
        self.out += 1
        return self._lent

    def give_back(self, lent: object) -> None:
        assert lent is self._lent
        self.out -= 1


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class FullDisk:
    """A scratch directory on a full disk."""

    def __init__(self, *_: object) -> None:
        self.is_dropped = False

    def give(self, place: Path) -> None:
        full(place)

    def drop(self) -> None:
        self.is_dropped = True


def no_door(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(socket.socket, "listen", full)


def no_scratch(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(subject, "Scratch", FullDisk)


def no_directory(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Path, "chmod", full)


def no_process(patch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise NoStartError("no such program")

    patch.setattr(subject, "Process", refuse)


@pytest.mark.parametrize("fail", [no_door, no_scratch, no_directory, no_process])
@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_a_bot_that_cannot_start_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fail: Callable[[pytest.MonkeyPatch], None],
    transport: str,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    player = Player(
        name="a", argv=("true",), folder=str(tmp_path), content="a", scratch=str(tmp_path / "s")
    )
    fields = {"players": (player, player), "transport": transport, **SMALL}
    job = Job(key="a", seed=1, board_seed=1, **fields)
    groups, users = Lender(Group()), Lender(7)
    descriptors = len(list(Path("/proc/self/fd").iterdir()))

    with monkeypatch.context() as patch:
        fail(patch)
        with pytest.raises((OSError, NoStartError)):
            Bot(player, job, groups, users)  # type: ignore[arg-type]  # they only count

    assert (groups.out, users.out) == (0, 0)
    assert list(tmp_path.glob("arena-*")) == []
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


@pytest.mark.parametrize("has_scratch", [False, True])
def test_the_environment_of_a_bot_has_only_these_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_scratch: bool
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    given: dict[str, str] = {}

    def refuse(_program: object, _limits: object, env: dict[str, str], *_: object) -> None:
        given.update(env)
        raise NoStartError("enough")

    monkeypatch.setattr(subject, "Process", refuse)
    scratch = str(tmp_path / "s") if has_scratch else None
    player = Player(name="a", argv=("true",), folder="/", content="a", scratch=scratch)
    job = Job(key="a", seed=1, board_seed=1, players=(player, player), **SMALL)

    with pytest.raises(NoStartError):
        Bot(player, job, None)

    home = Path(given["HOME"])
    assert home.is_relative_to(tmp_path)
    expected = {
        "ARENA_ENDPOINT": f"ipc://{home}/s",
        "ARENA_TOKEN": given["ARENA_TOKEN"],
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "PATH": given["PATH"],
    }
    assert given == expected | ({"ARENA_SCRATCH": f"{home}/scratch"} if has_scratch else {})
