"""The command as the first process of a container: it reaps, hears signals, leaves no zombies."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from directing import command_of, write_event
from waiting import becomes

from referee.sandbox import descendants, refusal

CONTAINER = (
    *("bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--as-pid-1", "--proc", "/proc"),
    # its own, as in a container: referees are named by their pids, which are others' here
    *("--tmpfs", "/sys/fs/cgroup"),
)

pytestmark = pytest.mark.skipif(
    refusal("namespaces") is not None,
    reason=f"no namespaces for a container here: {refusal('namespaces')}",
)


@pytest.fixture
def event(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Yield a long event in a container."""
    write_event(tmp_path, "starter/c", "starter/c", repeat=10_000, isolation="none")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    event = subprocess.Popen(
        [*CONTAINER, sys.executable, "-m", "arena", "tournament", "event.yaml", "--no-preflight"],
        cwd=tmp_path,
        env={
            **os.environ,
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "TMPDIR": str(temporary),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with event:
        try:
            yield event
        finally:
            event.kill()  # and the container ends with its first process's parent
            for pid in descendants(event.pid):
                os.kill(pid, signal.SIGKILL)


def director_of(event: subprocess.Popen[str]) -> int:
    """Return the pid, as seen from here, of the first process of the container."""
    (director,) = (pid for pid in descendants(event.pid)[:1])
    assert "arena tournament" in command_of(director)
    return director


def wait_for(event: subprocess.Popen[str], text: str) -> None:
    assert event.stderr is not None
    said = []
    for line in event.stderr:
        said.append(line)
        if text in line:
            return
    raise AssertionError(f"it never said {text!r} but {said}")


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def test_as_process_1_the_command_reaps_orphans_and_handles_signals(
    event: subprocess.Popen[str],
) -> None:
    wait_for(event, "[ ")
    director = director_of(event)
    referees = [pid for pid in descendants(director) if "-m referee" in command_of(pid)]

    os.kill(referees[0], signal.SIGKILL)
    wait_for(event, "is void")
    wait_for(event, "]  match")
    assert becomes(lambda: not any(map(is_zombie, descendants(director))))

    os.kill(director, signal.SIGTERM)
    wait_for(event, "stopping after the running matches")
    wait_for(event, "resume with: arena tournament")
    assert event.wait() == 130
