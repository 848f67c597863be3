"""Events on workers of this machine: the same results, whatever dies; strangers are refused."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from clustered import CLUSTER, children_of, referees_on_workers
from directing import Directing, all_end, kept, results_of, run, write_event
from waiting import PATIENCE_S

from arena.cluster.keys import write_keys
from arena.cluster.link import SchedulerLink
from arena.config.cluster import Address, parse_address
from arena.errors import UsageError

FILES = 200
"""Soft limit of open files of the scheduler."""

pytestmark = pytest.mark.skipif(
    not shutil.which("cc") and not os.environ.get("CI"), reason="no C compiler on this machine"
)


def test_an_event_on_workers_is_the_same_whatever_dies(tmp_path: Path) -> None:
    write_event(tmp_path, "starter/c", "starter/c", "random", repeat=10)
    code, here, _ = run(tmp_path)
    keys = [key for key, _ in kept(tmp_path)]
    assert code == 0

    with Directing(tmp_path, "--new", *CLUSTER) as director:
        director.wait_for("[ 4/30]")
        (worker, _) = children_of(director, "worker")
        os.kill(worker, signal.SIGKILL)
        director.wait_for("is lost")
        director.wait_for("worker local-")
        bots = {pid: os.pidfd_open(pid) for pid in referees_on_workers(director)}
        (scheduler,) = children_of(director, "scheduler")
        os.kill(scheduler, signal.SIGKILL)
        director.wait_for("is back")
        assert all_end(bots) == []
        family = director.family(bool)
        code, there = director.end()

    assert code == 0, director.lines
    assert results_of(there) == results_of(here)
    assert sorted(key for key, _ in kept(tmp_path)) == sorted(keys * 2)
    assert all_end(family) == []
    assert re.search(r"workers:\n.*worker +matches +speed", there, re.DOTALL)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Address, Path]]:
    """Start a scheduler with keys; yield its address and its keys."""
    (keys,) = write_keys(tmp_path_factory.mktemp("keys") / "ours", ["ours"])
    few = ["/bin/sh", "-c", f'ulimit -S -n {FILES}; exec "$@"', "sh"]
    command = [sys.executable, "-m", "arena", "cluster", "start", "--listen", "127.0.0.1:0"]
    options = ["--keys", str(keys)]
    with subprocess.Popen([*few, *command, *options], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        yield parse_address(line.split()[-1]), keys
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


def test_a_scheduler_uses_no_folder_that_another_user_has_made(tmp_path: Path) -> None:
    """Dask would write through the link, and import modules from the folder."""
    shared, file = tmp_path / "shared", tmp_path / "mine"
    (trap := shared / "dask-scratch-space").mkdir(parents=True)
    file.write_text("mine")
    (trap / "global.lock").symlink_to(file)
    (keys,) = write_keys(tmp_path / "keys", ["ours"])
    command = [sys.executable, "-m", "arena", "cluster", "start", "--listen", "127.0.0.1:0"]
    environment = os.environ | {"TMPDIR": str(shared)}

    with subprocess.Popen(
        [*command, "--keys", str(keys)], stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"scheduler at ")
        process.terminate()
        assert process.wait(PATIENCE_S) == 0

    assert file.read_text() == "mine"
    assert [path.name for path in shared.iterdir()] == [trap.name]
    assert [path.name for path in trap.iterdir()] == ["global.lock"]


def test_strangers_reach_no_scheduler(scheduler: tuple[Address, Path], tmp_path: Path) -> None:
    address, keys = scheduler
    (others,) = write_keys(tmp_path, ["others"])

    for wrong in (others, None):
        with pytest.raises(UsageError, match="do not accept each other's certificates"):
            SchedulerLink(address, wrong)
    link = SchedulerLink(address, keys)
    try:
        assert link.is_up()
        with pytest.raises(UsageError, match="play another event, directed by "):
            SchedulerLink(address, keys)
    finally:
        link.close()


def test_silent_connections_keep_nobody_from_a_scheduler(scheduler: tuple[Address, Path]) -> None:
    address, keys = scheduler

    with ExitStack() as strangers:
        for _ in range(FILES):
            stranger = socket.create_connection((address.host, address.port), PATIENCE_S)
            strangers.enter_context(stranger)
        link = SchedulerLink(address, keys)
        assert link.is_up()
        link.close()


def test_a_scheduler_at_a_port_in_use_says_so(scheduler: tuple[Address, Path]) -> None:
    address, keys = scheduler

    command = [sys.executable, "-m", "arena", "cluster", "start", "--listen", str(address)]
    second = subprocess.run(
        [*command, "--keys", str(keys)], check=False, capture_output=True, timeout=PATIENCE_S
    )

    assert second.returncode == 2
    assert b"cannot listen at 127.0.0.1:" in second.stderr
    assert b"Address already in use; --listen takes" in second.stderr


def test_a_scheduler_listens_at_its_address_only(scheduler: tuple[Address, Path]) -> None:
    address, _ = scheduler
    listening = [
        entry
        for table in ("tcp", "tcp6")
        for entry in map(str.split, Path(f"/proc/net/{table}").read_text().splitlines()[1:])
        if entry[3] == "0A" and entry[1].endswith(f":{address.port:04X}")
    ]

    assert [entry[1] for entry in listening] == [f"0100007F:{address.port:04X}"]
