"""An event with remote bots: `arena host`, `arena join` and `arena tournament` as processes."""

from pathlib import Path

from directing import results_of, run
from hosting_remotely import joined

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


def test_three_remote_bots_play_a_round_robin_against_two_local_ones(tmp_path: Path) -> None:
    (tmp_path / "event.yaml").write_text(CONFIG)

    with joined(tmp_path, alice="starter/python", bob="starter/awk", carol="greedy") as commands:
        code, out, lines = run(tmp_path)
        door = commands["host"]
        ended = door.end()

    assert (code, ended) == (0, 0), (out, lines, door.lines)
    names = sorted(row[1] for row in results_of(out))
    assert names == ["alice", "bobby", "carol", "local", "random"]
    assert not [line for line in lines if "void" in line]
