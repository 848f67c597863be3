"""Matches played by a foreign runner, a real program, and by runners that fail."""

import os
import select
from collections.abc import Callable
from pathlib import Path

import pytest
from hosting import MINUTE_NS, Bots
from verifying import verify

from protocol.vocabulary import Termination
from referee.errors import BrokenMatchError
from referee.job import Absence, Job, Player, Runner
from referee.records.record import Record
from referee.records.replay import ReplayError
from referee.sandbox.launcher import Launcher
from referee.sandbox.process import Process
from referee.service.slot import Slot

GOOD = """
import json, shlex, subprocess, sys
seed, *commands = sys.argv[1:]
said = [subprocess.check_output(shlex.split(command), text=True).strip() for command in commands]
print("seed", seed)
print(json.dumps({"scores": [len(word) for word in said], "replay": " ".join(said)}))
"""

Play = Callable[..., Record]


@pytest.fixture
def play(slot: Slot, tmp_path: Path) -> Play:
    """Play a match of two bots by a runner with this program."""
    folders = [tmp_path / name for name in ("runner", "it's one", "other")]
    for folder in folders:
        folder.mkdir()
    bots = [Bots(folder) for folder in folders]

    def played(
        program: str,
        absences: tuple[Absence, ...] = (),
        wall_ns: int = MINUTE_NS,
        output_bytes: int = 10**6,
    ) -> Record:
        player = bots[0].write("runner", program)
        runner = Runner(player=player, wall_ns=wall_ns, output_bytes=output_bytes)
        players: tuple[Player, ...] = (
            bots[1].write("one", "print('long')"),
            bots[2].write("other", "print('no')"),
        )
        job = Job(
            key="a,b/b0/0",
            game="foreign",
            options={"title": "words"},
            players=players,
            seed=1,
            board_seed=2**64 + 5,
            runner=runner,
            absences=absences,
        )
        return slot.play(job)

    return played


def test_the_launcher_of_the_referee_outlives_the_match(slot: Slot, play: Play) -> None:
    if slot.groups is None or (launcher := Launcher.probe()) is None:
        pytest.skip("no control group can be made here")
    slot.groups.launcher = launcher

    play(GOOD)

    try:
        assert os.waitid(os.P_PID, launcher.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    finally:
        launcher.close()
        slot.groups.launcher = None


def test_the_runner_gets_seed_and_commands_and_says_the_result(play: Play) -> None:
    record = play(GOOD)

    assert record.verdict.termination is Termination.NORMAL
    assert record.verdict.reason == "the result of the runner (not refereed by arena)"
    assert (record.verdict.points, record.verdict.scores) == ((4, 2), ("4", "2"))
    assert record.foreign is not None
    assert (record.foreign.replay, record.foreign.output_tail) == ("long no", "seed 5")
    kept = Record.from_bytes(record.finished().body)
    assert kept.foreign == record.foreign
    assert kept.to_json()["foreign"]["note"] == "not refereed by arena"
    assert all(seat.wall_ns == 0 and seat.fault is None for seat in kept.finished().seats)
    with pytest.raises(ReplayError, match="not refereed by arena"):
        verify(kept)


def test_the_last_lines_are_known_however_late_the_referee_looks(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_end = Process.wait_end

    def late(process: Process, wait_ns: int) -> str | None:
        select.select([process.pidfd], [], [])
        return wait_end(process, wait_ns)

    monkeypatch.setattr(Process, "wait_end", late)

    with pytest.raises(BrokenMatchError, match="exit code 3; its last lines: first"):
        play("print('first'); raise SystemExit(3)")


@pytest.mark.parametrize(
    ("program", "limits", "why"),
    [
        ("print('one\\x1b[31m'); print('two')", {}, r"last line .*'two'; .*one\\x1b\[31m \| two"),
        ("print('first'); raise SystemExit(3)", {}, "exit code 3; its last lines: first"),
        ("import time; print('x', flush=True); time.sleep(600)", {"wall_ns": 10**9}, "than 1 s"),
        ("while True: print('x' * 1000)", {"output_bytes": 10**5}, "more than 100000 bytes"),
        ("print('{\"scores\": [1]}')", {}, "a list of 2 numbers"),
        ("import os; os.kill(os.getpid(), 9)", {}, "signal SIGKILL"),
    ],
    ids=["no result", "exit code", "time", "output", "seats", "signal"],
)
def test_a_runner_that_fails_makes_the_match_void(
    play: Play, program: str, limits: dict[str, int], why: str
) -> None:
    with pytest.raises(BrokenMatchError, match=why) as caught:
        play(program, **limits)

    assert str(caught.value).isprintable()


def test_what_a_runner_leaves_running_does_not_delay_the_end(play: Play) -> None:
    left = "import subprocess; subprocess.Popen(['sleep', '600']); print('{\"scores\": [1, 0]}')"

    assert play(left).verdict.points == (1, 0)


def test_without_one_of_the_bots_no_runner_is_started(play: Play) -> None:
    gone = Absence(seat=0, termination=Termination.NO_SHOW, detail="withdrawn")

    record = play("raise SystemExit(1)", absences=(gone,))

    assert record.foreign is None
    assert record.verdict.points == (0, 1)


def test_a_foreign_match_without_its_runner_is_void(slot: Slot) -> None:
    players = tuple(Player(name=name, argv=(), folder="", content=name) for name in "ab")
    job = Job(
        key="k", game="foreign", options={"title": "t"}, players=players, seed=1, board_seed=1
    )

    with pytest.raises(BrokenMatchError, match="needs the runner"):
        slot.play(job)
