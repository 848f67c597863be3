"""The table that is printed while an event is played."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Self

import pytest
from events import job_of, keep, new_event, new_store, won_by
from fakes import RESIGN, FakeBot, played

from arena.event.watch.progress import Progress
from arena.formats.event_results import table_of
from arena.ratings.text import rated
from arena.results.standings import Table
from arena.results.store import EventRow, MatchRow, Store
from arena.terminal import running_table
from arena.terminal.running_table import with_table
from referee.job import Job


class Told:
    """An announcer and a progress that keep what they receive."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.totals: list[int] = []
        self.matches = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def say(self, line: str) -> None:
        self.lines.append(line)

    def follow(self, total: int, done: int, table: Table) -> Progress:
        del total, done, table
        return self

    def finished(self, match: MatchRow) -> None:
        del match
        self.matches += 1

    def expect(self, total: int) -> None:
        self.totals.append(total)

    def running(self, jobs: Sequence[Job]) -> None:
        """Receive the running matches."""


class Clock:
    """A clock that the tests set."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Event:
    """An event of two or three bots, its matches added one by one."""

    def __init__(self, store: Store, names: Sequence[str]) -> None:
        self.store = store
        self.names = names
        self.number = new_event(store, names)
        row = store.event(self.number)
        assert row is not None
        self.row: EventRow = row
        self.table = table_of(store, row)

    def match(self, board: int, first: int, winner: int) -> MatchRow:
        """Keep a match of the first two bots on a board, one of whom begins and one wins."""
        names = [self.names[first], self.names[1 - first]]
        key = f"{','.join(names)}/b{board}/{self.table.matches}"
        job = job_of(*names, key=key)
        match = keep(self.store, self.number, won_by(job, names.index(self.names[winner])), board)
        self.table.add(match.seats, match.board)
        return match


class Evidence:
    def __init__(self) -> None:
        self.matches = 0

    def add(self, match: MatchRow) -> None:
        del match
        self.matches += 1

    def text(self) -> str:
        return f"LLR of {self.matches}"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(new_store(tmp_path)) as store:
        yield store


def follow(event: Event, told: Told, every: int | None, total: int, **options: Any) -> Progress:
    announcer = with_table(told, every, event.store, event.row, **options)
    return announcer.follow(total, event.table.matches, event.table)


def test_two_bots_have_their_difference_pairs_evidence_and_pace(store: Store, clock: Clock) -> None:
    event, told = Event(store, ["new", "old"]), Told()
    event.match(0, 0, 0)
    event.match(0, 1, 1)  # an earlier run has won one and lost one
    with follow(event, told, 6, 20, evidence=Evidence()) as progress:
        clock.now_s += 3
        for board, winners in enumerate([(0, 0), (0, 0), (0, 1)], start=1):
            for first, winner in enumerate(winners):
                assert told.lines == []
                progress.finished(event.match(board, first, winner))

    head, *lines = told.lines[0].split("\n")
    assert head == "after 8 of 20 matches, 2.0 matches/s, ETA 6 s"
    assert lines[0] == "  new: +6 =0 -2, 6 of 8 points (75.0 %)"
    elo = event_difference(event)
    assert lines[1].startswith(f"  Elo {elo} (95 %), nElo +")
    assert lines[1].endswith("% over old")
    assert lines[2] == "  4 pairs, points of 2: 0: 0, ½: 0, 1: 2, 1½: 0, 2: 2"
    assert lines[3] == "  LLR of 6"
    assert max(map(len, told.lines[0].split("\n"))) <= 80
    assert told.matches == 6


def test_half_a_point_shows_however_many_were_played(store: Store, clock: Clock) -> None:
    event, told = Event(store, ["new", "old"]), Told()
    event.match(0, 0, 0)
    row = event.table.rows["new"]
    row.wins, row.draws = 100_000, 1
    with follow(event, told, 1, 400_000) as progress:
        clock.now_s += 3
        progress.finished(event.match(0, 1, 1))

    assert "new: +100000 =1 -1, 100000.5 of 100002 points (100.0 %)" in told.lines[0]


def event_difference(event: Event) -> str:
    return rated(event.row, event.table.outcomes).difference("new", "old").elo.text()


def test_more_bots_have_a_ranking(store: Store, clock: Clock) -> None:
    event, told = Event(store, ["ann", "bob", "cat"]), Told()
    with follow(event, told, 2, 9) as progress:
        clock.now_s += 30
        progress.finished(event.match(0, 0, 1))
        progress.finished(event.match(0, 1, 1))

    head, *lines = told.lines[0].split("\n")
    assert head == "after 2 of 9 matches, 4.0 matches/min, ETA 1 min 45 s"
    assert lines[0] == "  standings by score:"
    assert next(line.split()[1] for line in lines if line.split()[0].isdecimal()) == "bob"
    assert "Elo, 95 %" in lines[1]


def test_two_bots_that_never_meet_have_their_scores(store: Store, clock: Clock) -> None:
    event, told = Event(store, ["new", "old"]), Told()
    job = job_of("new", game="down_n_out", key="new/b0/0")
    row = keep(store, event.number, played(job, [FakeBot(RESIGN)]).record)
    with follow(event, told, 1, 9) as progress:
        clock.now_s += 30
        event.table.add(row.seats, row.board)
        progress.finished(row)

    assert told.lines[0].split("\n")[1] == "  standings by score:"


def test_a_large_field_has_no_elo_before_its_end(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_table, "MOST_RATED", 2)
    event, told = Event(store, ["ann", "bob", "cat"]), Told()
    with follow(event, told, 2, 9) as progress:
        clock.now_s += 30
        progress.finished(event.match(0, 0, 1))
        progress.finished(event.match(0, 1, 1))

    assert "Elo" not in told.lines[0]
    assert "standings by score:" in told.lines[0]


def test_the_default_is_ten_matches_and_some_time(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    event, told = Event(store, ["new", "old"]), Told()
    lines = running_table.RunningText.lines

    def slow(text: Any, pace: Any) -> str:
        clock.now_s += 1
        return lines(text, pace)

    monkeypatch.setattr(running_table.RunningText, "lines", slow)
    due: list[int] = []
    with follow(event, told, None, 99) as progress:
        for board in range(1, 47):
            clock.now_s += 1 if board <= 36 else 0
            progress.finished(event.match(board, 0, 0))
            due += [board] if len(told.lines) > len(due) else []

    assert due == [10, 30]  # after ten seconds; then after 20 s, since the table took 1 s


@pytest.mark.parametrize(("every", "printed"), [(0, 0), (1, 3), (2, 1), (4, 0)])
def test_none_is_printed_where_the_event_ends(
    store: Store, every: int, printed: int, clock: Clock
) -> None:
    event, told = Event(store, ["new", "old"]), Told()
    with follow(event, told, every, 9) as progress:
        progress.expect(4)
        for board in range(4):
            clock.now_s += 1
            progress.finished(event.match(board, 0, 0))

    assert len(told.lines) == printed
    assert told.totals == [4]
    assert told.matches == 4


def test_equal_pairs_and_one_board_for_all_have_no_normalized_elo(
    store: Store, clock: Clock
) -> None:
    event, told = Event(store, ["new", "old"]), Told()
    with follow(event, told, 3, 99) as progress:
        for board, first in ((0, 0), (0, 1), (1, 0), (1, 0), (2, 0), (2, 1)):
            clock.now_s += 1
            progress.finished(event.match(board, first, 0))

    assert "1 pair, points of 2: 0: 0, ½: 0, 1: 0, 1½: 0, 2: 1" in told.lines[0]
    assert all("nElo" not in text for text in told.lines)
    assert "pairs" not in told.lines[1]  # board 1 has twice the same seats
