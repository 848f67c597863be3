"""Messages to the bots of a void match, and machines without resources."""

import errno
import os
import resource
import shutil
import time
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hosting import Bots, job, termination
from programs import Running, program

from protocol.vocabulary import Termination
from referee.errors import BrokenMatchError
from referee.games.damspel import Damspel
from referee.sandbox.errors import ExhaustedError, SandboxError
from referee.sandbox.limits import Limits
from referee.sandbox.proctree import live_children
from referee.service.slot import Slot

NOTES = """
def on_term(self, term):
    with open(f"{sys.argv[0]}.{os.getpid()}", "w") as note:
        note.write(f"{term['termination']} {term['scores']} {term['last']}")
"""


@pytest.fixture
def break_after_two_plies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every match broken in its third turn, by no bot's fault."""
    apply, plies = Damspel.apply, count()

    def broken(game: Damspel, state: Any, move: Any) -> Any:
        if next(plies) == 2:
            raise BrokenMatchError("the referee was stopped")
        return apply(game, state, move)

    monkeypatch.setattr(Damspel, "apply", broken)


@pytest.mark.usefixtures("break_after_two_plies")
@pytest.mark.parametrize("restart", ["match", "never"])
def test_all_bots_of_a_void_match_receive_a_void_term(
    slot: Slot, bots: Bots, tmp_path: Path, restart: str
) -> None:
    players = [bots.first(name, NOTES) for name in ("one", "other")]

    with pytest.raises(BrokenMatchError):
        slot.play(job(*players, restart=restart))

    notes = sorted(path.read_text() for path in tmp_path.glob("*.py.*"))
    assert notes == ["void ['0', '0'] True"] * 2


@pytest.mark.usefixtures("break_after_two_plies")
def test_a_bot_that_stays_after_a_void_match_delays_nothing(slot: Slot, bots: Bots) -> None:
    before = set(live_children(os.getpid()))
    deaf = bots.first("deaf", "def on_term(self, term):\n    while True: signal.pause()")

    begun = time.monotonic()
    with pytest.raises(BrokenMatchError):
        slot.play(job(deaf, deaf))

    assert time.monotonic() - begun < 60
    assert set(live_children(os.getpid())) <= before


def test_a_removed_parent_of_the_sandbox_directories_is_created_again(
    slot: Slot, bots: Bots, rooms: Path
) -> None:
    slot.play(job(bots.polite("one"), bots.polite("other")))
    shutil.rmtree(rooms)

    record = slot.play(job(bots.polite("one"), bots.polite("other")))

    assert termination(record) is Termination.NORMAL


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENOSPC])
def test_a_lack_of_resources_is_reported_as_exhaustion(
    slot: Slot, bots: Bots, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "mkdir", refuse)

    with pytest.raises(ExhaustedError, match=os.strerror(number)):
        slot.play(job(bots.polite("one"), bots.polite("other")))


def test_a_referee_that_starts_on_a_full_disk_reports_exhaustion(
    bots: Bots, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "mkdir", refuse)

    with closing(Slot(None)) as slot, pytest.raises(ExhaustedError):
        slot.play(job(bots.polite("one"), bots.polite("other")))


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize(
    ("number", "kind"), [(errno.EPERM, SandboxError), (errno.EAGAIN, ExhaustedError)]
)
def test_a_failure_of_the_sandbox_is_an_internal_error(
    monkeypatch: pytest.MonkeyPatch, number: int, kind: type[Exception]
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(resource, "setrlimit", refuse)

    with pytest.raises(SandboxError) as caught:
        Running(program("/bin/true"), Limits(), {}, None)

    assert type(caught.value) is kind
    assert str(caught.value) == (
        f"a bot cannot be sandboxed: [Errno {number}] {os.strerror(number)}"
    )
