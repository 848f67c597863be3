"""The side of an entrant, `arena join`, at a door in the test's own process."""

import errno
import os
import subprocess
from pathlib import Path
from threading import Thread

import pytest
from doors import TestDoor

from arena.errors import ArenaError
from arena.remote.join import Join, JoinTerms
from referee.job import Limits, Player


def terms_of(door: TestDoor, folder: Path, name: str) -> JoinTerms:
    """Return the terms of an entrant with a bot that sends no hello."""
    return JoinTerms(
        endpoint=f"tcp://127.0.0.1:{door.port}",
        server=door.pair.public,
        pair=door.keys[name],
        player=Player(
            name="mine", argv=("sleep", "1000"), folder=str(folder), content="", tier="none"
        ),
        limits=Limits(),
        games=None,
        matches=2,
    )


def test_a_lack_of_processes_ends_one_match_and_not_the_others(
    door: TestDoor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    join = Join(terms_of(door, tmp_path, "alice"), said.append)

    def play_until_refused() -> None:
        try:
            join.run()
        except ArenaError as error:
            said.append(str(error))

    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    entrant = Thread(target=play_until_refused)
    entrant.start()
    try:
        door.until(lambda: "joined as alice; waiting for matches" in said)
        monkeypatch.setattr(subprocess, "Popen", refuse)
        played, refused = door.order("alice"), door.order("alice")
        door.until(lambda: refused.process.wait_end(0))

        assert refused.process.wait_end(0) == (
            "on its owner's machine, no bot can be started: Resource temporarily unavailable"
        )
        assert played.process.wait_end(0) is None
    finally:
        door.write_list("bob")
        door.until(lambda: not entrant.is_alive())
    played.stop()
    refused.stop()
    assert said[1:3] == [
        "a match of pente begins",
        "a match of pente is refused: no bot can be started: Resource temporarily unavailable",
    ]
