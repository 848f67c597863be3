"""Messages for the organiser, with a limit for each entrant and address."""

import time
from collections.abc import Callable

LINES = 20
"""Default limit of the lines about one subject in a minute."""
_MINUTE_S = 60.0
_SUBJECTS = 1000


class Limited:
    """Passes lines on, up to a limit for each subject."""

    def __init__(self, say: Callable[[str], None], most: int = LINES) -> None:
        self._say, self._most = say, most
        self._counts: dict[str, tuple[float, int]] = {}
        """Begin of the minute and number of lines, by subject."""

    def say(self, subject: str, line: str) -> None:
        """Say a line about a subject, unless the last minute had too many."""
        now_s = time.monotonic()
        began_s, count = self._counts.get(subject, (now_s, 0))
        if now_s - began_s > _MINUTE_S:
            began_s, count = now_s, 0
        if subject not in self._counts and len(self._counts) >= _SUBJECTS:
            self._counts.clear()
        self._counts[subject] = (began_s, count + 1)
        if count < self._most:
            self._say(line)
        elif count == self._most:
            self._say(f"{subject}: more lines are left out for a minute")
