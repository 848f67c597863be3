"""Interruptions by the user: the first ends an event in good order, the second at once."""

import signal
from types import FrameType
from typing import Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruptions:
    """Context manager to count SIGINT, SIGTERM and SIGHUP instead of ending the process.

    A closed terminal is one interruption: the shell and the kernel may each send SIGHUP, but the
    user did not ask to discard the running matches. A signal ignored before stays ignored, so that
    an event under `nohup` survives its terminal.
    """

    def __init__(self) -> None:
        self.count = 0
        self._is_hung_up = False
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]  # returned by signal()
        self._before.clear()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP and self._is_hung_up:
            return
        self._is_hung_up |= number == signal.SIGHUP
        self.count += 1
