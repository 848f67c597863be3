"""One event with two workers and a remote bot, whose matches this machine plays itself."""

from contextlib import closing
from pathlib import Path

from clustered import CLUSTER
from directing import results_of, run
from hosting_remotely import another_machine, joined

from arena.results.store import Store
from arena.results.workers import workers_of

CONFIG = """
name: event
game: {name: pente}
bots: [random, greedy, {bot: random, name: third}, {remote: alice}]
time: {clock: wall, per_move: 1h}
max_plies: 6
seed: 7
repeat: 2
"""


def test_workers_play_all_matches_but_those_of_a_remote_bot(tmp_path: Path) -> None:
    (tmp_path / "event.yaml").write_text(CONFIG)

    with (
        another_machine() as elsewhere,
        joined(tmp_path, elsewhere, alice="starter/python") as commands,
    ):
        code, out, lines = run(tmp_path, *CLUSTER)
        commands["host"].kill()

    assert code == 0, (out, lines)
    assert sorted(row[1] for row in results_of(out)) == ["alice", "greedy", "random", "third"]
    with closing(Store(tmp_path / "arena.db")) as store:
        workers = {number: worker.name for number, worker in workers_of(store, 1)}
        remote = {
            match.id for match in store.matches(1) if any(s.player == "alice" for s in match.seats)
        }
    assert len(workers) == 12
    assert {number for number, name in workers.items() if name == "director"} == remote
    assert set(workers.values()) <= {"director", "local-1", "local-2"}
