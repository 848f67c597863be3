"""Reports of a running match: when they are sent, and what happens to those that are not taken."""

import json
import mmap
import os
import socket
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fakes import DONE, FIRST, MS, FakeBot, FakeClock, FakeProcess, Say, ScriptedLink

from protocol.vocabulary import Termination
from referee.job import Job, Player
from referee.options import make_game
from referee.play import reporter as subject
from referee.play.match import Match
from referee.play.reporter import BATCH_BYTES, Reporter
from referee.records.calls import Call, Calls
from referee.seats.bot_seat import BotSeat
from referee.seats.seat import Answer, OpenCall
from referee.seats.stopwatch import Stopwatch

PLAYERS = tuple(Player(name=n, argv=("bot",), folder=".", content=n) for n in ("ann", "bob"))


class Director:
    """Takes reports while there is room."""

    def __init__(self, room: int = 1000) -> None:
        self.flag = [1]
        self.room = room
        self.reports: list[dict[str, Any]] = []
        self.reporter = Reporter(self.flag, self.take)

    def take(self, report: bytes) -> None:
        if not self.room:
            raise BlockingIOError
        self.room -= 1
        self.reports.append(json.loads(report))

    def numbers(self) -> list[int]:
        """Return the numbers of all reported calls, in order."""
        return [
            number
            for report in self.reports
            for number, _ in enumerate(report["calls"], report["first"])
        ]


def calls_of(count: int, note: str = "") -> Calls:
    return Calls(
        Call(seat=n % 2, call="move", ply=n, charged_ns=n * MS, note=note or None, value=0)
        for n in range(count)
    )


class WatchedSeat(BotSeat):
    """A bot in its seat that writes the start and the end of each call into a diary."""

    diary: list[str]

    def ask(self, call: OpenCall[Any]) -> Answer[Any]:
        self.diary.append("begin")
        try:
            return super().ask(call)
        finally:
            self.diary.append("end")


def test_no_report_is_sent_between_the_start_and_the_end_of_a_call() -> None:
    clock, diary = FakeClock(), list[str]()
    reported: list[dict[str, Any]] = []
    keys: set[str] = set()

    def send(report: bytes) -> None:
        diary.append("report")
        clock.advance(7 * MS)  # even a slow report is in no charge
        said = json.loads(report)
        keys.add(said["key"])
        reported.extend(said["calls"])

    job = Job(key="k", game="pente", players=PLAYERS, seed=1, board_seed=1, max_plies=10)
    seats = {}
    for seat in job.seats():
        process = FakeProcess()
        link = ScriptedLink(clock, process, FakeBot(*[Say(FIRST, 3, 2)] * 9).answer)
        watch = Stopwatch(seat, process, job.time, clock)
        seats[seat] = WatchedSeat(seat, link, process, watch, wants=("legal",))
        seats[seat].diary = diary

    Match(job, make_game("pente", {}), seats, lambda _: None, Reporter((1,), send)).play(())

    assert diary.count("report") == 11
    for before, after in pairwise(diary):
        assert "report" not in (before, after) or (before, after) in (
            ("end", "report"),
            ("report", "begin"),
        )
    moves = [call for call in reported if call["call"] == "move"]
    assert len(moves) == 10
    assert {(move["wall_ns"], move["charged_ns"]) for move in moves} == {(3 * MS, 2 * MS)}
    assert keys == {"k"}


def test_nothing_is_reported_while_nobody_watches() -> None:
    director = Director()
    director.flag[0] = 0
    bots = {0: FakeBot(DONE)}
    clock, process = FakeClock(), FakeProcess()
    job = Job(key="k", game="down_n_out", players=PLAYERS[:1], seed=1, board_seed=1)
    watch = Stopwatch(0, process, job.time, clock)
    seat = BotSeat(0, ScriptedLink(clock, process, bots[0].answer), process, watch)

    Match(job, make_game("down_n_out", {}), {0: seat}, lambda _: None, director.reporter).play(())

    assert director.reports == []


def test_calls_are_reported_once_and_in_order() -> None:
    director = Director()
    calls = calls_of(3)
    for _ in range(2):
        director.reporter.report("k", calls)
    calls.add(1, "move", 3, calls.spent(1))
    director.reporter.report("k", calls)

    assert director.numbers() == [0, 1, 2, 3]
    assert director.reports[0]["calls"][0]["value"] == 0
    assert "note" not in director.reports[0]["calls"][0]


def test_a_report_has_the_known_facts_of_each_call() -> None:
    director = Director()
    move = Call(seat=1, call="move", ply=7, wall_ns=3, charged_ns=2)
    move.move, move.notation, move.value = {"v": 1, "h": 2}, "b3", 0
    lost = Call(seat=0, call="move", ply=8, fault=Termination.TIMEOUT)
    director.reporter.report("a,b/b0/0", Calls([move, lost]))

    (report,) = director.reports
    assert (report["key"], report["first"]) == ("a,b/b0/0", 0)
    assert report["calls"] == [
        {
            "seat": 1,
            "call": "move",
            "ply": 7,
            "wall_ns": 3,
            "charged_ns": 2,
            "move": {"v": 1, "h": 2},
            "notation": "b3",
            "value": 0,
            "resign": False,
            "done": False,
        },
        {
            "seat": 0,
            "call": "move",
            "ply": 8,
            "wall_ns": 0,
            "charged_ns": 0,
            "resign": False,
            "done": False,
            "fault": "timeout",
        },
    ]


def test_a_report_is_complete_at_its_least_size(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(Call(seat=0, call="move", ply=ply) for ply in range(6))
    director = Director()
    director.reporter.report("k", calls)
    size = sum(len(json.dumps(row, separators=(",", ":"))) for row in director.reports[0]["calls"])
    for least, numbers in ((size // 2, [3, 3]), (size // 2 + 1, [4, 2])):
        monkeypatch.setattr(subject, "BATCH_BYTES", least)
        director = Director()
        director.reporter.report("k", calls)

        assert [len(report["calls"]) for report in director.reports] == numbers


def test_what_is_not_taken_is_sent_before_the_next_report() -> None:
    director = Director(room=0)
    calls = calls_of(5)

    director.reporter.report("k", calls)
    assert director.reports == []
    director.room = 9
    calls.add(0, "move", 5, calls.spent(0))
    director.reporter.report("k", calls)

    assert director.numbers() == [0, 1, 2, 3, 4, 5]
    assert len(director.reports) == 2


def test_a_new_audience_receives_the_match_from_its_start() -> None:
    director = Director()
    calls = calls_of(4)
    director.reporter.report("k", calls)

    director.flag[0] = 2
    for _ in range(2):
        director.reporter.report("k", calls)

    assert director.numbers() == [0, 1, 2, 3] * 2
    assert len({report["run"] for report in director.reports}) == 1


def test_another_attempt_at_a_match_has_another_run() -> None:
    director = Director()
    director.reporter.report("k", calls_of(4))
    director.reporter.report("k", calls_of(2))

    assert director.numbers() == [0, 1, 2, 3, 0, 1]
    assert len({report["run"] for report in director.reports}) == 2


@pytest.mark.parametrize("note", ["\0" * 1024, "💥" * 1024, 'x"\n' * 300])
def test_a_report_is_of_limited_size_whatever_bots_say(note: str) -> None:
    sizes: list[int] = []
    calls = calls_of(100, note)
    Reporter((1,), lambda report: sizes.append(len(report))).report("k", calls)

    assert max(sizes) < 2 * BATCH_BYTES


def test_a_director_that_is_gone_does_not_end_the_match() -> None:
    def gone(_: bytes) -> None:
        raise BrokenPipeError

    Reporter((1,), gone).report("k", calls_of(3))


def test_the_flag_and_the_socket_of_the_director_are_shared_and_kept_from_bots(
    tmp_path: Path,
) -> None:
    (tmp_path / "flag").write_bytes(b"\1")
    flag = os.open(tmp_path / "flag", os.O_RDONLY)
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here:
        end = there.detach()
        for descriptor in (flag, end):
            os.set_inheritable(descriptor, True)  # noqa: FBT003 - no other form
        reporter, calls = Reporter.from_descriptors(flag, end), calls_of(2)

        assert not os.get_blocking(end), "no report is waited for"
        assert not os.get_inheritable(flag)
        assert not os.get_inheritable(end)
        reporter.report("k", calls)
        assert json.loads(here.recv(1 << 16))["first"] == 0
        with (tmp_path / "flag").open("r+b") as file, mmap.mmap(file.fileno(), 1) as shared:
            shared[0] = 2
        assert reporter.flag[0] == 2
        reporter.report("k", calls)
        assert len(json.loads(here.recv(1 << 16))["calls"]) == 2
    for descriptor in (flag, end):
        os.close(descriptor)
