"""An event with remote bots: `arena host`, `arena join` and `arena tournament` as processes."""

import re
from contextlib import closing
from pathlib import Path

from directing import Directing, results_of, run
from hosting_remotely import DELAY_S, Command, another_machine, joined

from arena.results.store import Store

CONFIG = """
name: event
game: {name: pente}
bots:
  - random
  - {bot: greedy, name: local}
  - remote: alice
  - {remote: bob, name: bobby}
  - remote: carol
time: {clock: wall, per_move: 1h}
max_plies: 10
seed: 7
slots: 1
"""
LOST = """
name: lost
game: {name: pente}
bots: [random, {remote: carol}]
time: {clock: wall, per_move: 1h}
withdraw_after: 1
absence: 1s
repeat: 100
slots: 1
"""


def check_allowances(folder: Path) -> None:
    """Check that the real time of the line was taken off each call, within the quota."""
    with closing(Store(folder / "arena.db")) as store:
        records = [store.record(match.id) for match in store.matches(1)]
    seats = [
        (seat, sum(call.seat == number for call in record.calls))
        for record in records
        for number, seat in enumerate(record.seats)
        if record.job.player(number).is_remote
    ]
    assert len(seats) == 24
    for seat, calls in seats:
        found = re.search(r"shortest round trip ([\d.]+) ms", seat.in_force["line"])
        assert found is not None
        line_ns = float(found[1]) * 1e6
        assert line_ns >= 2e9 * DELAY_S
        assert calls * 2e9 * DELAY_S <= seat.wall_ns - seat.charged_ns
        assert seat.wall_ns - seat.charged_ns <= 300_000_000 + calls * 100_000_000


def error(folder: Path) -> str:
    """Run the event, which is wrong; return the first line."""
    code, _, lines = run(folder)
    assert code == 2, lines
    return lines[0]


def check_loss(folder: Path, bob: Command) -> None:
    """Cut the line of an entrant off for good, and check what becomes of its matches."""
    with Directing(folder) as director:
        director.wait_for("/100]")
        bob.kill()
        code, out = director.end()
    assert code == 0, (out, director.lines)
    said = "\n".join(director.lines)
    assert "bob is out of reach: its matches wait, for 1s at most (`absence`)" in said
    assert "withdrawn" not in said  # an absence is no fault
    assert "[100/100]" in said


def test_remote_bots_play_a_round_robin_until_their_lines_are_lost(tmp_path: Path) -> None:
    config = tmp_path / "event.yaml"
    config.write_text(CONFIG)
    bots = {"alice": "starter/python", "bob": "starter/awk", "carol": "greedy"}

    with another_machine() as elsewhere, joined(tmp_path, elsewhere, **bots) as commands:
        code, out, lines = run(tmp_path)

        assert code == 0, (out, lines)
        names = sorted(row[1] for row in results_of(out))
        assert names == ["alice", "bobby", "carol", "local", "random"]
        assert not [line for line in lines if "void" in line]
        assert "alice, bobby, carol: on their owners' machines." in out

        if elsewhere.cable is not None:
            check_allowances(tmp_path)

        commands["carol"].kill()
        commands["host"].wait_for("left: carol")
        config.write_text(LOST)
        assert "carol is not connected; its owner has to run `arena join` first" in error(tmp_path)

        config.write_text(LOST.replace("carol", "bob"))
        check_loss(tmp_path, commands["bob"])

        if elsewhere.cable is not None:
            elsewhere.cable.cut()
            commands["host"].wait_for("left: alice")
        else:
            commands["host"].kill()
        commands["alice"].wait_for("the line was lost")
        commands["host"].kill()
        commands["host"].wait()
        assert "error: remote bots need `arena host`" in error(tmp_path)
