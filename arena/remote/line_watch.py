"""Whether the line to an entrant works: beats that `arena join` returns at once, in order.

The kernel notices a dead line after 10 s only, and a stopped `arena join` never. So the door sends
a beat each second, and one more for each bot that is late. A bot's reply is sent before the answer
to a later beat. So a bot without a reply at its deadline is late if the beat sent then is answered
in time, and out of reach otherwise.
"""

import time
from collections import deque
from collections.abc import Callable

BEAT_S = 1.0
"""Seconds between two beats."""
SILENT_S = 1.0
"""Seconds without an answer to a beat after which a line is silent."""
_MAX_SILENCES = 64


class LineWatch:
    """Sends beats to one entrant, and keeps the times in which its line was silent."""

    def __init__(
        self, send: Callable[[int], None], now_s: Callable[[], float] = time.monotonic
    ) -> None:
        """Call `send` with the number of each beat."""
        self._send, self._now_s = send, now_s
        self._number = 0
        self._sent: dict[int, float] = {}
        """Times at which the unanswered beats were sent, by number."""
        self._silences: deque[float] = deque(maxlen=_MAX_SILENCES)
        """Ends of the times in which the line was silent."""
        self._next_s = now_s()

    def look(self) -> None:
        """Send a beat if the last one is answered and a second is over."""
        if not self._sent and self._now_s() >= self._next_s:
            self.beat()

    def beat(self) -> int:
        """Send a beat now, and return its number."""
        self._number += 1
        self._sent[self._number] = self._now_s()
        self._next_s = self._now_s() + BEAT_S
        self._send(self._number)
        return self._number

    def answer(self, number: object) -> bool:
        """Take in the answer to a beat and those before; return whether it was expected."""
        if type(number) is not int or number not in self._sent:
            return False
        now_s = self._now_s()
        if now_s - self._sent[number] > SILENT_S:
            self._silences.append(now_s)
        self._sent = {beat: sent_s for beat, sent_s in self._sent.items() if beat > number}
        return True

    def is_silent(self) -> bool:
        """Whether a beat has had no answer for too long."""
        return any(self._now_s() - sent_s > SILENT_S for sent_s in self._sent.values())

    def has_held(self, since_s: float) -> bool:
        """Whether the line was not silent since a time of the monotonic clock."""
        return not self.is_silent() and all(end_s < since_s for end_s in self._silences)
