"""The warden: ends with the process below it, and ends what does not end by itself."""

import signal
import subprocess
import sys

PATIENCE_S = 60.0
STUBBORN = """
import signal, sys
from referee.sandbox import warden

warden.END_S = float(sys.argv[1])
warden.start_warden(signal.SIGTERM)
signal.signal(signal.SIGTERM, lambda *_: print("refused", flush=True))
print("running", flush=True)
while True:
    signal.pause()
"""


def test_a_child_that_still_runs_after_sigterm_is_killed() -> None:
    program = [sys.executable, "-c", STUBBORN, "0.2"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as warden:
        assert warden.stdout is not None
        assert warden.stdout.readline() == "running\n"
        warden.terminate()

        said, _ = warden.communicate(timeout=PATIENCE_S)

    assert (said, warden.returncode) == ("refused\n", -signal.SIGKILL)
