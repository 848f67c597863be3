"""The referee's process: jobs in, results out, and its end in every way it can come."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from fakes import read_end
from hosting import SMALL, Bots
from preloaded import PreloadedModule
from programs import all_end, python
from verifying import verify
from waiting import PATIENCE_S, becomes

from referee.pipe import Ended
from referee.record import Record
from referee.sandbox.controllers import own_group
from referee.sandbox.probe import refusal
from referee.sandbox.proctree import live_children

SILENT = r"""
import os, signal, sys
with open(sys.argv[1], "w") as told:
    told.write(f"{os.getpid()}\n")
"""
"""A bot that tells its pid and then never says hello."""


REFEREE = (sys.executable, "-m", "referee")
GROUPLESS = """
from referee import __main__ as referee
from referee.sandbox.cgroup import Groups
Groups.probe = lambda: None
referee.main()
"""
INTERRUPTED = """
import signal
from referee import __main__ as referee
from referee.sandbox.launcher import Launcher
def probe():
    print("begun", flush=True)
    try:
        signal.pause()
    except SystemExit:
        raise ValueError("a library that was interrupted") from None
Launcher.probe = probe
referee.main()
"""
HIDDEN = r"""
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)  # PR_SET_PDEATHSIG: live on
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open(sys.argv[1], "w") as told:
            told.write(f"{os.getpid()}\n")
        os.execve("/bin/sleep", ["sleep", "86399"], {})
while True:
    signal.pause()
"""
"""A bot that survives its referee, with a child that cannot be traced to it."""


class Referee:
    """A running referee, spoken to as the director does."""

    def __init__(
        self,
        folder: Path,
        command: Sequence[str] = REFEREE,
        start: Callable[..., "subprocess.Popen[bytes]"] = subprocess.Popen,
    ) -> None:
        self.home = folder
        self.said = ""
        self.process = start(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )

    def send(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def answer(self) -> Ended:
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], PATIENCE_S)[0], "it does not answer"
        return read_end(self.process.stdout)

    def ended(self) -> tuple[int, str]:
        """Wait for its end; return the exit code and what it said on stderr."""
        if self.process.stdin and not self.process.stdin.closed:
            _, said = self.process.communicate(timeout=PATIENCE_S)
            self.said = said.decode()
        return self.process.returncode, self.said

    def kill(self) -> None:
        for pid in (*live_children(self.process.pid), self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    @property
    def pid(self) -> int:
        """The referee process, once it runs; the started process is its warden."""
        assert becomes(lambda: bool(live_children(self.process.pid)))
        return live_children(self.process.pid)[0]

    def seat_silent_bot(
        self, program: str = SILENT + "while True: signal.pause()", following: str = ""
    ) -> int:
        """Give it a match with a silent bot; return a pidfd of the pid sent by the bot.

        `following` is the line of the next match, if any.
        """
        fifo = self.home / "pid"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        silent = python(program, str(fifo))
        long = job("waiting", silent.argv, time={"start_ns": 3600 * 10**9}, restart="match")
        self.send("\n".join(filter(None, (long, following))))
        assert select.select([reader], [], [], PATIENCE_S)[0], "the bot is not started"
        pid = int(os.read(reader, 20))
        os.close(reader)
        return os.pidfd_open(pid)


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[Referee]:
    running = Referee(tmp_path, ["referee.__main__"], PreloadedModule)
    try:
        yield running
        running.ended()  # its jobs are over
    finally:
        running.kill()


def job(key: str, argv: tuple[str, ...] = ("/no/such/bot",), **others: Any) -> str:
    player = {"name": "bot", "argv": argv, "folder": "/", "content": "-"}
    given = {"key": key, "game": "down_n_out", "players": [player], "seed": 1, "board_seed": 1}
    return json.dumps({**given, **others})


def test_after_a_fault_jobs_come_back_until_the_director_knows_of_it(referee: Referee) -> None:
    referee.send(*map(job, ("first", "second", "third")), "null", job("fourth"))

    ends = [referee.answer() for _ in range(4)]

    assert [end.key for end in ends] == ["first", "second", "third", "fourth"]
    assert [end.is_returned for end in ends] == [False, True, True, False]


def test_a_job_comes_out_as_a_record(referee: Referee) -> None:
    referee.send(job("first"))
    match = referee.answer().match

    assert match is not None
    record = Record.from_bytes(match.body)
    assert match.key == record.job.key == "first"
    assert match.termination == record.verdict.termination == "no_show"
    verify(record)


def test_one_job_comes_after_another(referee: Referee) -> None:
    for key in ("first", "second", "third"):
        referee.send(job(key))

    assert [referee.answer().key for _ in range(3)] == ["first", "second", "third"]


UNPLAYABLE: list[dict[str, Any]] = [
    {"game": "nosuch"},
    {"options": {"rows": -1}},
    {"options": {"depth": 3}},
    {"history": [{"seat": 0, "move": {"row": 99, "col": 0}}]},
    {"history": [{"seat": 0}]},
]


def test_a_job_that_cannot_be_played_is_void_and_the_next_is_played(referee: Referee) -> None:
    for broken in UNPLAYABLE:
        referee.send(job("broken", **broken), "null", job("next"), "null")
        void, played = referee.answer(), referee.answer()

        assert void.key == "broken"
        assert void.void
        assert (played.key, played.void) == ("next", None)


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("loop", "the game stuck took more than 60 s between two calls (stuck.py, line"),
        ("memory", "MemoryError: no memory is left (stuck.py, line"),
    ],
)
def test_the_match_is_void_if_its_game_does_not_return_or_takes_too_much_memory(
    small_games: Path, referee: Referee, deed: str, reason: str
) -> None:
    del small_games
    for _ in range(2):  # the second attempt has the same time
        stuck = job("stuck", game="stuck", options={"deed": deed})
        referee.send(stuck, "null", job("next"), "null")
        void, played = referee.answer(), referee.answer()

        assert (void.void or "").startswith(reason)
        assert void.suspect is None
        assert played.match is not None


def test_the_referee_ends_if_its_game_catches_the_error_of_its_time_limit(
    small_games: Path, referee: Referee
) -> None:
    del small_games
    referee.send(job("stuck", game="stuck", options={"deed": "stubborn"}))

    assert referee.ended() == (-signal.SIGVTALRM, "")


def test_a_job_is_given_back_unless_it_has_begun(referee: Referee) -> None:
    bot = referee.seat_silent_bot()
    referee.send("null", job("second"), "null", job("third"), json.dumps("third"))
    signal.pidfd_send_signal(bot, signal.SIGKILL)

    ends = [referee.answer() for _ in range(3)]

    assert [end.key for end in ends] == ["waiting", "second", "third"]
    assert [end.is_returned for end in ends] == [False, False, True]
    referee.send("null", job("third"))
    assert referee.answer().match is not None


def test_the_referee_ends_with_its_jobs(referee: Referee) -> None:
    referee.send(job("last"))

    assert referee.ended() == (0, "")


@pytest.mark.parametrize("line", ["{", job("x", claims="sometimes")])
def test_an_invalid_job_ends_the_referee_with_an_error(referee: Referee, line: str) -> None:
    referee.send(line)

    code, said = referee.ended()
    assert code == 1
    assert "ValidationError" in said


def test_a_terminated_referee_ends_its_bots(referee: Referee) -> None:
    bot = referee.seat_silent_bot()

    referee.process.terminate()

    assert all_end([bot])
    assert referee.ended() == (0, "")


def test_bots_of_a_terminated_referee_receive_a_void_term(referee: Referee, tmp_path: Path) -> None:
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


def test_a_library_that_is_interrupted_by_the_end_prints_no_traceback() -> None:
    command, pipe = (sys.executable, "-c", INTERRUPTED), subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"

        process.terminate()

        assert process.communicate(timeout=PATIENCE_S) == ("", "")
    assert process.returncode == 0


def left_of(pid: int) -> list[Path]:
    """Return the remaining directories and groups of the process."""
    homes = [Path(tempfile.gettempdir()), own_group()]
    return [path for home in homes if home for path in home.glob(f"arena-{pid}-*")]


def test_a_killed_referee_leaves_nothing(referee: Referee) -> None:
    bot, pid = referee.seat_silent_bot(), referee.pid
    assert left_of(pid)

    os.kill(pid, signal.SIGKILL)

    assert referee.ended()[0] == -signal.SIGKILL
    assert all_end([bot])
    assert not left_of(pid)


def test_bots_that_wait_for_the_next_match_end_with_a_killed_referee(tmp_path: Path) -> None:
    if refusal("namespaces") is not None:
        pytest.skip("namespaces are refused here")
    referee = Referee(tmp_path, [*REFEREE, "--idle-cores", str(max(os.sched_getaffinity(0)))])
    inside = {"name": "b", "argv": ["sleep", "9"], "folder": "/usr", "content": "-"}
    following = job("next", players=[{**inside, "tier": "namespaces"}], restart="match")
    bot, pid = referee.seat_silent_bot(following=following), referee.pid
    assert becomes(lambda: len(_sandboxes_of(pid)) == 1)
    waiting = [os.pidfd_open(each) for each in _sandboxes_of(pid)]

    os.kill(pid, signal.SIGKILL)

    assert referee.ended()[0] == -signal.SIGKILL
    assert all_end([bot, *waiting])
    assert not left_of(pid)


def _sandboxes_of(pid: int) -> list[int]:
    """Return the first process inside each sandbox of a referee."""
    found: list[int] = []
    for child in live_children(pid):
        if Path(f"/proc/{child}/comm").read_text() == "bwrap\n":
            found += live_children(child)
    return found


@pytest.mark.parametrize("command", [REFEREE, (sys.executable, "-c", GROUPLESS)])
def test_processes_outside_the_tree_of_a_killed_referee_end_too(
    tmp_path: Path, command: Sequence[str]
) -> None:
    referee = Referee(tmp_path, command)
    hidden, pid = referee.seat_silent_bot(HIDDEN), referee.pid

    os.kill(pid, signal.SIGKILL)

    assert referee.ended()[0] == -signal.SIGKILL
    assert is_ended(hidden), "its warden has ended before"


def test_a_referee_with_a_killed_warden_ends_with_its_bots(referee: Referee) -> None:
    bot, pid = referee.seat_silent_bot(), referee.pid
    itself = os.pidfd_open(pid)

    referee.process.kill()

    assert all_end([bot, itself])
    assert referee.ended()[0] == -signal.SIGKILL
    assert not left_of(pid)


def is_ended(pidfd: int) -> bool:
    """Whether the process has ended by now."""
    return bool(select.select([pidfd], [], [], 0)[0])


def test_a_referee_ignores_interrupts(referee: Referee) -> None:
    referee.send(job("before"))
    referee.answer()

    referee.process.send_signal(signal.SIGINT)
    referee.send(job("after"))

    assert referee.answer().key == "after"


DIRECTOR = """
import subprocess, sys
command = [sys.executable, "-m", "referee"]
with subprocess.Popen(command, stdin=int(sys.argv[1]), stdout=subprocess.PIPE) as referee:
    answer = referee.stdout.readline()
    with open(f"/proc/{referee.pid}/task/{referee.pid}/children") as children:
        print(referee.pid, children.read(), flush=True)
    sys.stdin.read()
"""


def test_a_referee_ends_with_its_director() -> None:
    jobs, writer = os.pipe()
    os.write(writer, job("first").encode() + b"\n")
    with subprocess.Popen(
        [sys.executable, "-c", DIRECTOR, str(jobs)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[jobs],
    ) as director:
        assert director.stdout is not None
        both = [os.pidfd_open(int(pid)) for pid in director.stdout.readline().split()]
        assert len(both) == 2

        director.kill()  # there may still come jobs, for all the referee knows

        assert all_end(both)
    os.close(writer)
    os.close(jobs)


def test_a_referee_stays_on_its_cores() -> None:
    core = min(os.sched_getaffinity(0))
    command = [sys.executable, "-m", "referee", "--cores", str(core)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(job("one").encode() + b"\n")
        process.stdin.flush()
        assert read_end(process.stdout).key == "one"

        (referee,) = live_children(process.pid)
        assert os.sched_getaffinity(referee) == {core}
        process.stdin.close()
