"""How schedulers and workers end by a signal."""

import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, os, signal, sys
from arena.cluster.engine import run_until_signalled

async def serve():
    os.kill(os.getpid(), getattr(signal, sys.argv[1]))
    await asyncio.Event().wait()

run_until_signalled(serve())
os.kill(os.getpid(), getattr(signal, sys.argv[1]))
print("ended")
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_second_signal_does_not_disturb_the_end(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, name], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")
