"""The watchdog of a referee, beside what ends the referee. The rest: `test_referee_main.py`."""

import signal
from types import FrameType

from referee.service.watchdog import Watchdog


def _leave(number: int, frame: FrameType | None) -> None:
    del number, frame


def test_a_watchdog_leaves_the_timer_of_a_referee_that_must_end() -> None:
    before = signal.signal(signal.SIGALRM, _leave)
    try:
        Watchdog().start()

        assert signal.getsignal(signal.SIGALRM) is _leave
        assert signal.getitimer(signal.ITIMER_REAL)[1] == 0  # it does not repeat
        assert signal.SIGTERM not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    finally:
        signal.signal(signal.SIGALRM, before)
