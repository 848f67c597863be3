"""The ends of matches as bytes: divided, read, and refused."""

from dataclasses import replace

import pytest
from fakes import RESIGN, FakeBot, played

from protocol.vocabulary import Termination
from referee.job import Absence, Job, Player
from referee.records.match_end import MatchEnd, Worker
from referee.records.record import RECORD_BYTES
from referee.service.pipe import MAX_HEAD_BYTES, BadAnswerError, EndSplitter, end_bytes, read_end

PLAYERS = tuple(Player(name=name, argv=(), folder="/", content=name) for name in ("ann", "bob"))
JOB = Job(key="ann,bob/b0/0", game="pente", players=PLAYERS, seed=1, board_seed=1)
SUSPECT = Absence(seat=1, termination=Termination.CRASH, detail="exit code 1")
ENDS = (
    MatchEnd(JOB, played(JOB, [FakeBot(), FakeBot(RESIGN)]).record.finished()),
    MatchEnd(JOB, void="its reason\nin lines", suspect=SUSPECT, is_exhausted=True, is_short=True),
    MatchEnd(JOB, void="", suspect=SUSPECT, is_absent=True),
    MatchEnd(JOB, is_returned=True),
    MatchEnd(JOB, void="KeyError: 1 (pente.py, line 1)", void_record=b"as the referee packed it"),
)


@pytest.mark.parametrize("end", ENDS, ids=["match", "void", "absent", "returned", "error"])
def test_an_end_is_read_as_it_was_written(end: MatchEnd) -> None:
    assert read_end(end_bytes(end), JOB) == end


def test_what_a_director_adds_is_not_written() -> None:
    lost = MatchEnd(JOB, void="lost", is_lost=True, is_alone=True, worker=Worker("one", 1.0))

    assert read_end(end_bytes(lost), JOB) == MatchEnd(JOB, void="lost")


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_ends_are_divided_wherever_they_are_cut(size: int) -> None:
    parts = [*map(end_bytes, ENDS)]
    whole = b"".join(parts)
    splitter = EndSplitter()

    pieces = (whole[start : start + size] for start in range(0, len(whole), size))

    assert [end for piece in pieces for end in splitter.feed(piece)] == parts
    assert splitter.is_empty


def test_a_part_of_an_end_is_left_over() -> None:
    splitter = EndSplitter()

    assert list(splitter.feed(end_bytes(ENDS[0])[:-1])) == []
    assert not splitter.is_empty


@pytest.mark.parametrize(
    "said",
    [b"x" * MAX_HEAD_BYTES, b"%d {}\n" % (10 * RECORD_BYTES), b"9" * 5000 + b" {}\n", b" {}\n"],
    ids=["line", "record", "digits", "nothing"],
)
def test_an_end_above_the_limits_is_refused_before_it_has_come(said: bytes) -> None:
    with pytest.raises(BadAnswerError, match="the referee sent"):
        list(EndSplitter().feed(said))


def test_the_end_of_another_match_is_refused() -> None:
    with pytest.raises(BadAnswerError, match="which is not its match"):
        read_end(end_bytes(ENDS[3]), replace(JOB, key="ann,bob/b1/0"))


@pytest.mark.parametrize("state", [{}, {"void": "", "is_returned": True}])
def test_a_match_has_one_end(state: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="finished, void or returned"):
        MatchEnd(JOB, **state)  # type: ignore[arg-type]
