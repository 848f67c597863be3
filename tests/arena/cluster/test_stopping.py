"""How schedulers and workers end by a signal."""

import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, os, signal, sys
from arena.cluster.dask_settings import run_until_signalled

async def serve():
    os.kill(os.getpid(), getattr(signal, sys.argv[1]))
    await asyncio.Event().wait()

run_until_signalled(serve())
os.kill(os.getpid(), getattr(signal, sys.argv[1]))
print("ended")
"""

STUBBORN = """
import asyncio, contextlib, os, signal, sys
from arena.cluster.dask_settings import run_until_signalled

async def ignore():
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)

async def serve():
    serve.task = asyncio.ensure_future(ignore())
    await asyncio.sleep(0)
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.Event().wait()

run_until_signalled(serve())
print("ended", flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_second_signal_does_not_disturb_the_end(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, name], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")


def test_a_task_that_ignores_its_end_does_not_delay_it_for_ever() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STUBBORN], capture_output=True, text=True, check=False, timeout=60
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")
