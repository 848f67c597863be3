"""A referee ends on request, even if the first signal is lost."""

import subprocess
import sys

from waiting import PATIENCE_S

UNHEARD = """
import os, signal, sys
from referee.__main__ import _leave, _stay

class Careless:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(1000):  # the signal is heard here, and what it raises is lost
            pass

for number in (signal.SIGTERM, signal.SIGALRM):
    signal.signal(number, _leave)
try:
    Careless()
    print("goes on", flush=True)
    while True:
        signal.pause()
finally:
    _stay()
    os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    print("clears up", flush=True)
"""


def test_a_lost_request_to_end_is_repeated_until_the_cleanup_begins() -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNHEARD],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "goes on\nclears up\n")
    assert "Exception ignored in" in done.stderr


AT_ONCE = """
import os, signal
from referee.__main__ import _leave, _stay

install = signal.signal

def interrupted(number, handler):
    signal.signal = install
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(1000):  # the signal is heard here
        pass
    return install(number, handler)

for number in (signal.SIGTERM, signal.SIGALRM):
    signal.signal(number, _leave)
signal.signal = interrupted
_stay()
os.kill(os.getpid(), signal.SIGTERM)
assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
print("clears up", flush=True)
"""


def test_a_signal_that_comes_as_the_cleanup_begins_does_not_end_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "clears up\n", "")
