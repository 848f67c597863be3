"""`arena match`: resumed after an interruption, played anew after its end; its file of games."""

import os
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from event_runs import Play, Said
from events import first_wins

from arena.commands import game_file
from arena.commands.game_file import check_game_file, with_game_file
from arena.config.event import Config
from arena.config.quick import quick_config
from arena.errors import EventError, UsageError
from arena.event.play.locks import lock_event, lock_file
from arena.results.store import Store
from referee.games.chess import Chess
from referee.job import Job
from referee.records.match_end import MatchEnd

Match = Callable[..., Config]


def match(**given: Any) -> Config:
    options = {"game": "pente", "games": 4, "options": [], "settings": ["slots=1"], "seed": None}
    return quick_config(["./ann", "./bob"], **{**options, **given})


def interrupt(job: Job) -> MatchEnd:
    os.kill(os.getpid(), signal.SIGINT)
    return first_wins(job)


def counts() -> list[int]:
    """Return the number of matches of each event."""
    with closing(Store(Path("arena.db"))) as store:
        return [store.count(event.id) for event in store.events()]


def test_an_interrupted_match_plays_the_rest_and_a_finished_one_begins_anew(
    play: Play, said: Said
) -> None:
    assert play(interrupt, loaded=match()) == 130
    assert said()[1][-1] == "interrupted, 3 matches missing; run the command again to resume"
    assert counts() == [1]

    assert play(loaded=match()) == 0
    assert "resumes event 1, which was interrupted; --new plays all matches again" in said()[1]
    assert counts() == [4]

    assert play(loaded=match()) == 0
    assert sorted(counts()) == [4, 4]


@pytest.mark.parametrize(
    ("other", "options"),
    [
        ({"times": ["per_move=1s"]}, {}),
        ({"seed": 7}, {}),
        ({"games": 2}, {}),
        ({"options": ["second_stone=free"]}, {}),
        ({}, {"is_new": True}),
    ],
)
def test_another_question_is_another_event(
    play: Play, other: dict[str, Any], options: dict[str, Any]
) -> None:
    assert play(interrupt, loaded=match()) == 130

    assert play(loaded=match(**other), **options) == 0
    assert len(counts()) == 2
    assert 1 in counts()


def test_a_changed_bot_does_not_resume_the_matches_of_the_old_one(play: Play) -> None:
    assert play(interrupt, loaded=match()) == 130
    Path("bob/bot").write_text("#!/bin/sh\n# built again\n")

    assert play(loaded=match()) == 0
    assert sorted(counts()) == [1, 4]


def test_the_same_match_of_two_processes_is_two_events(play: Play, said: Said) -> None:
    assert play(interrupt, loaded=match()) == 130
    held = os.fork()
    if held == 0:
        try:
            store = Store(Path("arena.db"))
            with lock_file(store) as descriptor:
                lock_event(store, descriptor, 1)
                Path("held").touch()
                signal.pause()
        finally:
            os._exit(1)
    try:
        while not Path("held").exists():
            assert os.waitpid(held, os.WNOHANG) == (0, 0)
        assert play(loaded=match()) == 0
    finally:
        os.kill(held, signal.SIGKILL)
        os.waitpid(held, 0)
    assert "event 1 is being played by another process, so this is a new one" in said()[1]
    assert sorted(counts()) == [1, 4]


def test_matches_are_added_to_the_file_of_games_when_they_end(
    play: Play, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_file, "match_pgn", lambda event, match, _: f"{event} {match.id}\n")
    monkeypatch.setattr(Chess, "name", "pente")
    Path("games.pgn").write_text("kept\n")

    assert play(interrupt, loaded=match(), pgn=Path("games.pgn")) == 130
    assert Path("games.pgn").read_text() == "kept\n\nann - bob 1\n\n"
    assert play(loaded=match(), pgn=Path("games.pgn")) == 0
    games = [f"ann - bob {number}" for number in range(1, 5)]
    assert Path("games.pgn").read_text().split("\n\n") == ["kept", *games, ""]

    said()
    Path("games.pgn").unlink()
    Path("games.pgn").symlink_to("/dev/full")
    assert play(loaded=match(), pgn=Path("games.pgn")) == 0
    assert len([line for line in said()[1] if "No space left" in line]) == 1


def test_a_file_of_games_is_checked_before_the_first_match(play: Play, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--pgn writes matches of chess"):
        play(loaded=match(), pgn=Path("games.pgn"))
    assert not Path("arena.db").exists()
    Path("b.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n")
    chess = match(game="chess", openings="b.epd", games=2)
    with pytest.raises(UsageError, match="is the book of openings"):
        check_game_file(tmp_path / "b.epd", chess)
    with pytest.raises(UsageError, match="is a folder"):
        check_game_file(tmp_path, chess)
    check_game_file(tmp_path / "games.pgn", chess)


def test_without_a_file_the_announcer_is_the_same() -> None:
    announcer: Any = object()
    assert with_game_file(announcer, None, announcer, announcer) is announcer


def test_more_slots_than_cores_share_them_with_a_warning(
    play: Play, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5})
    warning = "warning: 3 slots of 1 core share the 2 cores of this machine: bots wait for each"

    assert play(loaded=match(settings=["slots=3"])) == 0
    assert [line for line in said()[1] if line.startswith(warning)] == [f"{warning} other"]
    assert play(loaded=match(settings=["slots=2", "cores=2"], times=["clock=wall"])) == 0
    assert any("other, and limits of wall time count" in line for line in said()[1])
    assert play(loaded=match(settings=["slots=2"])) == 0
    assert not any("share" in line for line in said()[1])
    with pytest.raises(EventError, match="2 slots of 2 cores need 4 cores"):
        play(loaded=match(settings=["slots=2", "cores=2"], times=["ponder=true"]))
