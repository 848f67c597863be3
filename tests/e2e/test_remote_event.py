"""An event with remote bots: `arena host`, `arena join` and `arena tournament` as processes."""

from pathlib import Path

from directing import Directing, results_of, run
from hosting_remotely import another_machine, joined

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
max_plies: 20
seed: 7
slots: 1
"""
LOST = """
name: lost
game: {name: pente}
bots: [random, {remote: carol}]
time: {clock: wall, per_move: 1h}
withdraw_after: 1
repeat: 100
slots: 1
"""


def error(folder: Path) -> str:
    """Run the event, which is wrong; return the first line."""
    code, _, lines = run(folder)
    assert code == 2, lines
    return lines[0]


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

        commands["carol"].kill()
        commands["host"].wait_for("left: carol")
        config.write_text(LOST)
        assert "carol is not connected; its owner has to run `arena join` first" in error(tmp_path)

        config.write_text(LOST.replace("carol", "bob"))
        with Directing(tmp_path) as director:
            director.wait_for("/100]")
            commands["bob"].kill()
            code, out = director.end()
        assert code == 0, (out, director.lines)
        voids = [line for line in director.lines if "is void, bob seems to be why" in line]
        assert len(voids) == 2  # the same match: once void, then forfeited
        assert len({line.split(" is void")[0] for line in voids}) == 1
        assert "its line was lost" in voids[0]
        assert "bob is withdrawn after 1 fault in a row" in "\n".join(director.lines)

        commands["host"].kill()
        commands["alice"].wait_for("the line was lost")
        assert "error: remote bots need `arena host`" in error(tmp_path)
