"""Each bot that may think during calls of others has cores of its own."""

import json
import os
from dataclasses import replace

import pytest
from hosting import PATIENT, Bots, job

from referee.records.record import Record
from referee.seats.match_bots import shares_of_cores
from referee.service.slot import Slot

CORES = """
    def on_init(self, call):
        import os
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.write(writer, repr(sorted(os.sched_getaffinity(0))).encode())
            os._exit(0)
        self.cores = os.read(reader, 1000).decode()

    def on_move(self, call):
        return play(call["legal"][0], note=self.cores)
    """


def cores(record: Record) -> list[set[int]]:
    """Return the cores of a child of each bot, by seat."""
    notes = {call.seat: call.note for call in record.calls if call.note is not None}
    return [set(json.loads(notes[seat] or "")) for seat in sorted(notes, key=str)]


@pytest.mark.parametrize("restart", ["never", "match"])
def test_each_bot_that_may_ponder_has_its_own_cores(slot: Slot, bots: Bots, restart: str) -> None:
    """A kept bot, too, which has had those of the other seat."""
    shares = shares_of_cores(2)
    if not shares:
        pytest.skip("this machine has one core")
    one, other = bots.first("one", CORES), bots.first("other", CORES)
    ponder = replace(PATIENT, ponder=True)

    records = [
        slot.play(job(*players, restart=restart, max_plies=2, time=time))
        for players, time in (((one, other), ponder), ((other, one), ponder))
    ]

    assert [cores(record) for record in records] == [shares, shares]


def test_bots_that_may_not_ponder_have_all_cores_of_the_match(slot: Slot, bots: Bots) -> None:
    one, other = bots.first("one", CORES), bots.first("other", CORES)

    record = slot.play(job(one, other, max_plies=2))

    assert cores(record) == [os.sched_getaffinity(0)] * 2


@pytest.mark.parametrize(
    ("here", "shares"),
    [
        ({0}, []),
        ({3, 4}, [{3}, {4}]),
        ({0, 1, 2, 3, 8}, [{0, 1}, {2, 3}]),
    ],
)
def test_seats_share_the_cores_of_a_match(
    monkeypatch: pytest.MonkeyPatch, here: set[int], shares: list[set[int]]
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: here)

    assert shares_of_cores(2) == shares
