"""The referee's process: jobs in, results out, and its end in every way it can come."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hosting import SMALL, Bots
from programs import PATIENCE_S, all_end, python

from referee.replay import verify
from referee.sandbox.cgroup import own_group
from referee.sandbox.leftovers import remove_leftovers

SILENT = """
import os, signal, sys
with open(sys.argv[1], "w") as told:
    told.write(f"{os.getpid()}\\n")
"""
"""A bot that tells its pid and then never says hello."""


class Referee:
    """A running referee, spoken to as the director does."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.said = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "referee"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], PATIENCE_S)[0], "it does not answer"
        line = self.process.stdout.readline()
        assert line, f"it has ended: {self.ended()}"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ended(self) -> tuple[int, str]:
        """Wait for its end; return the exit code and what it said on stderr."""
        if self.process.stdin and not self.process.stdin.closed:
            _, self.said = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, self.said

    def seat_silent_bot(self) -> int:
        """Give it a match with a bot that is waited for; return the bot's pidfd."""
        fifo = self.home / "pid"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        silent = python(SILENT + "while True: signal.pause()", str(fifo))
        self.send(job("waiting", silent.argv, time={"start_ns": 3600 * 10**9}))
        assert select.select([reader], [], [], PATIENCE_S)[0], "the bot is not started"
        pid = int(os.read(reader, 20))
        os.close(reader)
        return os.pidfd_open(pid)


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[Referee]:
    running = Referee(tmp_path)
    try:
        yield running
        running.ended()  # its jobs are over
    finally:
        running.process.kill()
        running.process.wait()


def job(key: str, argv: tuple[str, ...] = ("/no/such/bot",), **others: Any) -> str:
    player = {"name": "bot", "argv": argv, "folder": "/", "content": "-"}
    given = {"key": key, "game": "down_n_out", "players": [player], "seed": 1, "board_seed": 1}
    return json.dumps({**given, **others})


def test_a_job_comes_out_as_a_record(referee: Referee) -> None:
    referee.send(job("first"))
    answer = referee.answer()

    assert answer["key"] == answer["record"]["key"] == "first"
    assert answer["record"]["verdict"]["termination"] == "no_show"
    verify(answer["record"])


def test_one_job_comes_after_another(referee: Referee) -> None:
    for key in ("first", "second", "third"):
        referee.send(job(key))

    assert [referee.answer()["key"] for _ in range(3)] == ["first", "second", "third"]


UNPLAYABLE = [
    {"game": "nosuch"},
    {"options": {"rows": -1}},
    {"options": {"depth": 3}},
    {"history": [{"seat": 0, "move": {"row": 99, "col": 0}}]},
    {"history": [{"seat": 0}]},
]


def test_a_job_that_cannot_be_played_is_void_and_the_next_is_played(referee: Referee) -> None:
    for broken in UNPLAYABLE:
        referee.send(job("broken", **broken))
        referee.send(job("next"))
        void, record = referee.answer(), referee.answer()

        assert void["key"] == "broken"
        assert void["void"]
        assert "record" not in void
        assert record["record"]["key"] == "next"


def test_the_end_of_its_jobs_is_its_end(referee: Referee) -> None:
    referee.send(job("last"))

    assert referee.ended() == (0, "")


@pytest.mark.parametrize("line", ["{", job("x", claims="sometimes")])
def test_what_is_no_job_ends_it_aloud(referee: Referee, line: str) -> None:
    referee.send(line)

    code, said = referee.ended()
    assert code == 1
    assert "ValidationError" in said


def test_when_it_is_told_to_end_its_bots_end_with_it(referee: Referee) -> None:
    bot = referee.seat_silent_bot()

    referee.process.terminate()

    assert all_end([bot])
    assert referee.ended() == (0, "")


def test_when_it_is_told_to_end_those_who_sit_at_its_match_are_told_that_it_is_void(
    referee: Referee, tmp_path: Path
) -> None:
    fifo, note = tmp_path / "called", tmp_path / "note"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    bots = Bots(tmp_path)
    thinks = f"def on_move(self, call):\n    open('{fifo}', 'w').write('!')\n    signal.pause()"
    hears = f"def on_term(self, term): open('{note}', 'w').write(term['termination'])"
    players = [asdict(bots.first("thinks", thinks)), asdict(bots.first("hears", hears))]
    time = {"per_move_ns": 3600 * 10**9}
    referee.send(job("void", players=players, time=time, **SMALL))
    assert select.select([reader], [], [], PATIENCE_S)[0], "nobody is called"
    os.close(reader)

    referee.process.terminate()

    assert referee.ended() == (0, "")
    assert note.read_text() == "void"


def test_when_it_is_killed_its_bots_end_with_it_and_the_rest_can_be_swept(
    referee: Referee,
) -> None:
    bot = referee.seat_silent_bot()
    rooms = Path(tempfile.gettempdir())
    assert list(rooms.glob(f"arena-{referee.process.pid}-*"))

    referee.process.kill()
    assert all_end([bot])
    assert referee.ended()[0] == -signal.SIGKILL
    remove_leftovers()

    assert not list(rooms.glob(f"arena-{referee.process.pid}-*"))
    home = own_group()
    assert home is None or not list(home.glob(f"arena-{referee.process.pid}-*"))


def test_an_interrupt_is_for_the_director_to_hear(referee: Referee) -> None:
    referee.send(job("before"))
    referee.answer()

    referee.process.send_signal(signal.SIGINT)
    referee.send(job("after"))

    assert referee.answer()["key"] == "after"


DIRECTOR = """
import subprocess, sys
command = [sys.executable, "-m", "referee"]
with subprocess.Popen(command, stdin=int(sys.argv[1]), stdout=subprocess.PIPE) as referee:
    answer = referee.stdout.readline()
    print(referee.pid, flush=True)
    sys.stdin.read()
"""


def test_it_ends_with_its_director() -> None:
    jobs, writer = os.pipe()
    os.write(writer, job("first").encode() + b"\n")
    with subprocess.Popen(
        [sys.executable, "-c", DIRECTOR, str(jobs)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[jobs],
    ) as director:
        assert director.stdout is not None
        referee = os.pidfd_open(int(director.stdout.readline()))

        director.kill()  # there may still come jobs, for all the referee knows

        assert all_end([referee])
    os.close(writer)
    os.close(jobs)


def test_it_stays_on_the_cores_it_is_given() -> None:
    core = min(os.sched_getaffinity(0))
    command = [sys.executable, "-m", "referee", "--cores", str(core)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(job("one") + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["key"] == "one"

        assert os.sched_getaffinity(process.pid) == {core}
        process.stdin.close()
