"""Ends of matches that a referee may not say: each costs the match, and the referee."""

from dataclasses import replace

import pytest
from one_slot import JOB, MATCH, NEXT, PLAYED, begin, result
from referees import REFEREES
from waiting import PATIENCE_S

from arena.event.slots.local_slots import LocalSlots
from referee.records.match_end import MatchEnd
from referee.records.result import Finished
from referee.service.pipe import end_bytes

SUSPECT = (
    b'0 {"key": "ann,bob/b0/0", "void": "",'
    b' "suspect": {"seat": 2, "termination": "crash", "detail": ""}}\n'
)
"""An end with a suspect in a seat of no player."""


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"hello from a game that prints\n", "the referee sent b'hello from a game that prints'"),
        (b"[]\n", "the referee sent b'[]'"),
        (b"0 {}\n", "the referee sent b'0 {}'"),
        (b"-1 {}\n", "the referee sent b'-1 {}'"),
        (b'{"key": "x", "void": ""}\n', "the referee sent"),
        (b'0 {"key": "x", "void": ""}\n', 'the referee answered for "x", which is not its match'),
        (b'0 {"key": "ann,bob/b0/0"}\n', "the referee sent"),
        (b'0 {"key": "ann,bob/b0/0", "match": {}}\n', "the referee sent"),
        (b'0 {"key": "ann,bob/b0/0", "match": {"seats": 1}}\n', "the referee sent"),
        (b'0 {"key": "ann,bob/b0/0", "void": "", "suspect": 7}\n', "the referee sent"),
        (b"\xff\xfe\n", "the referee sent"),
        (b"9" * 5000 + b" {}\n", "the referee sent b'999"),
        (b'0 {"key": "ann,bob/b0/0", "void": "", "is_returned": true}\n', "the referee sent"),
        (SUSPECT, "the referee sent"),
    ],
)
def test_a_referee_with_invalid_output_is_replaced_and_its_match_void(
    one: LocalSlots, line: bytes, why: str
) -> None:
    begin(one).said.write(line)

    found = result(one)

    assert found.match is None
    assert found.void is not None
    assert found.void.startswith(why)
    assert REFEREES[0].code == 0
    assert len(REFEREES) == 2


@pytest.mark.parametrize(
    "match",
    [
        replace(MATCH, key="ann,bob/b0/1"),
        replace(MATCH, contents=("0", "1")),
        replace(MATCH, contents=MATCH.contents[:1], seats=MATCH.seats[:1]),
        replace(MATCH, seats=MATCH.seats[::-1]),
        replace(MATCH, seats=tuple(seat._replace(wall_ns=1 << 63) for seat in MATCH.seats)),
        replace(MATCH, plies=-(1 << 63) - 1),
    ],
    ids=["key", "contents", "seats", "order", "time", "plies"],
)
def test_a_referee_is_not_believed_about_other_matches_or_players(
    one: LocalSlots, match: Finished
) -> None:
    begin(one).says(MatchEnd(JOB, match))

    found = result(one)

    assert (found.void or "").startswith("the referee sent")
    assert len(REFEREES) == 2


def test_a_referee_says_nothing_about_the_machine_it_plays_on(one: LocalSlots) -> None:
    said = b'0 {"key": "ann,bob/b0/0", "void": "why", "is_lost": true, "worker": ["one", 9]}\n'
    begin(one).said.write(said)

    assert result(one) == MatchEnd(JOB, void="why")


def test_an_end_before_invalid_output_counts(one: LocalSlots) -> None:
    referee = begin(one)
    one.ahead()[0].submit(NEXT)

    referee.said.write(end_bytes(PLAYED) + b"nonsense\n")

    first, second = one.wait(PATIENCE_S)
    assert first == PLAYED
    assert second == MatchEnd(NEXT, void="the referee sent b'nonsense'")


def test_an_unrequested_answer_replaces_the_referee(one: LocalSlots) -> None:
    REFEREES[0].says(PLAYED)

    assert one.wait(PATIENCE_S) == []
    assert len(REFEREES) == 2
