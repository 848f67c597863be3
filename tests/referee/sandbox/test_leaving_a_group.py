"""A bot that may leave its control group: its CPU time is found in its tree, and never exact."""

import os
from pathlib import Path

import pytest
from programs import line_of, python
from test_process import Starter
from test_users import Bots, bots

from referee.sandbox.cgroup import Groups
from referee.sandbox.limits import Tier
from referee.sandbox.unprivileged import NOBODY

__all__ = ["bots"]
IS_ROOT = os.geteuid() == 0
MS = 1_000_000

LEAVES = """
import os, signal, sys, time
if os.fork() == 0:
    with open(sys.argv[1], "w") as procs:
        procs.write("0")
    while time.process_time() < 0.4:
        pass
    if sys.argv[2] == "ends":
        os._exit(0)
    print("burnt", flush=True)
    signal.pause()
if sys.argv[2] == "ends":
    os.wait()
    print("burnt", flush=True)
signal.pause()
"""


def home_of(groups: Groups) -> Path:
    group = groups.take()
    groups.give_back(group)
    return group.path.parent


@pytest.mark.parametrize("groups", ["groups"], indirect=True)
@pytest.mark.parametrize("how", ["stays", "ends"])
def test_the_cpu_time_of_a_child_in_another_control_group_counts(
    start: Starter, groups: Groups, how: str
) -> None:
    process = start(python(LEAVES, str(home_of(groups) / "cgroup.procs"), how))
    line_of(process)

    assert 380 * MS <= process.cpu_ns() < 5_000 * MS
    assert not process.has_exact_clock


@pytest.mark.parametrize("groups", ["groups"], indirect=True)
def test_the_cpu_time_of_processes_in_the_group_is_counted_once(
    start: Starter, groups: Groups
) -> None:
    del groups
    burns = """
        import os, time
        def burn():
            while time.process_time() < 0.2: pass
        if os.fork() == 0:
            burn()
            os._exit(0)
        os.wait()
        burn()
        times = os.times()
        print(time.process_time() + times.children_user + times.children_system, flush=True)
        import signal; signal.pause()
    """
    process = start(python(burns))
    said_ns = float(line_of(process)) * 1e9

    assert process.cpu_ns() < said_ns + 150 * MS  # its start, and the ticks of its report


@pytest.mark.parametrize("tier", ["namespaces", "landlock", "limits", "none"])
def test_the_clock_is_exact_where_a_bot_cannot_leave_its_group(
    bots: Bots, new_groups: Groups, tier: Tier
) -> None:
    group = new_groups.take()
    process = bots.start(tier, NOBODY, "pass", group)
    bots.close()
    group.remove()

    is_held = tier in ("namespaces", "landlock") or (tier == "limits" and IS_ROOT)
    assert process.has_exact_clock == is_held
