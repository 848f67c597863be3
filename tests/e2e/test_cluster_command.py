"""`arena tournament --cluster` on workers of this machine."""

import os
import shutil
from pathlib import Path

import pytest
from directing import kept, results_of, run, write_event

pytestmark = pytest.mark.skipif(
    not shutil.which("cc") and not os.environ.get("CI"), reason="no C compiler on this machine"
)


def test_workers_play_the_same_event_as_this_machine(tmp_path: Path) -> None:
    write_event(tmp_path, "starter/c", "starter/c", "random")
    code, here, _ = run(tmp_path)
    keys = kept(tmp_path)

    there_code, there, lines = run(tmp_path, "--new", "--cluster", "local:2")

    assert (code, there_code) == (0, 0), lines
    assert results_of(there) == results_of(here)
    assert kept(tmp_path) == sorted(keys * 2)
    assert sum(line.startswith("worker local-") and "speed" in line for line in lines) == 2
