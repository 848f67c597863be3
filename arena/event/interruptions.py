"""Counts the user's wishes to stop: the first ends an event in good order, the second at once."""

import signal
from types import FrameType, TracebackType
from typing import Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruptions:
    """While it is entered, SIGINT, SIGTERM and SIGHUP are counted instead of ending the process.

    A terminal that closes is one interruption however many SIGHUPs tell of it, since shell and
    kernel may both do: nobody has asked for the running matches to be thrown away. A signal that
    was ignored before stays ignored, so that under `nohup` an event outlives its terminal.
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, error, trace
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]  # what signal() itself returned
        self._before.clear()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del frame
        if number == signal.SIGHUP and self._is_hung_up:
            return
        self._is_hung_up |= number == signal.SIGHUP
        self.count += 1
