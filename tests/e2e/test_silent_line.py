"""A line that is silent for 20 s, and an owner who sleeps for 36 s, cost no match and no fault."""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from directing import Directing
from hosting_remotely import Command, Elsewhere, another_machine, joined

from arena.results.store import Store

CONFIG = """
name: event
game: {name: pente}
bots: [random, {bot: random, name: other}, {remote: alice}]
time: {clock: wall, per_move: 2s}
max_plies: 20
repeat: 20
slots: 1
"""
MATCHES = 60

Fail = Callable[[Elsewhere, Command], Callable[[], None]]
"""Ends the line, and returns how to mend it."""


def cable(elsewhere: Elsewhere, alice: Command) -> Callable[[], None]:
    if elsewhere.cable is None:  # no namespace can be made here
        return owner(elsewhere, alice)
    elsewhere.cable.cut()
    return elsewhere.cable.mend


def owner(_: Elsewhere, alice: Command) -> Callable[[], None]:
    alice.stop()
    return alice.resume


@pytest.mark.parametrize(("fail", "seconds"), [(cable, 20), (owner, 36)])
def test_a_silent_line_costs_no_match_and_no_fault(
    tmp_path: Path, fail: Fail, seconds: float
) -> None:
    (tmp_path / "event.yaml").write_text(CONFIG)

    with another_machine() as elsewhere, joined(tmp_path, elsewhere, alice="random") as commands:
        with Directing(tmp_path) as director:
            director.wait_for("[ 4/")
            mend = fail(elsewhere, commands["alice"])
            mend_s = time.monotonic() + seconds
            director.wait_for("alice is out of reach: its matches wait")
            time.sleep(max(0.0, mend_s - time.monotonic()))
            mend()
            code, out = director.end()
        said = (out, director.lines, commands["host"].lines, commands["alice"].lines)

    assert code == 0, said
    with closing(Store(tmp_path / "arena.db")) as store:
        matches = list(store.matches(1))
        assert len(matches) == MATCHES, said
        faults = [(seat.player, seat.fault) for match in matches for seat in match.seats]
        assert [found for found in faults if found[1]] == [], said
        assert store.withdrawals(1) == {}
        assert len(store.voids(1)) <= 1, said  # the running match, played again
    assert any("alice is back" in line for line in director.lines)
