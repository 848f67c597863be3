"""The breaker: parks a version that makes too many faults, and lets a house bot test it later.

A version with FAULTS faults among its last WINDOW matches is parked: it plays no rated matches, so
that a crasher cannot take the matches of others. After a wait it meets a house bot, unrated.
Without a fault it is active again and starts a new window; with one it waits twice as long. Any new
hand-in of the bot is another version, with a breaker of its own.

    breaker = breaker.after_match(is_fault=True, now=now)
    if breaker.is_test_due(now):
        breaker = breaker.after_test(is_fault=False, now=now)
"""

from dataclasses import dataclass, replace

WINDOW = 10
"""Number of matches that count."""
FAULTS = 5
"""Number of faults among them that parks a version."""
FIRST_WAIT_S = 600.0
LONGEST_WAIT_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Breaker:
    """State of a version: active until it is parked."""

    recent: tuple[bool, ...] = ()
    """Whether each of the last matches ended with a fault of the version, the latest last."""
    parked_at: float | None = None
    """Time of parking or of the last test, in seconds; None while it is active."""
    wait_s: float = FIRST_WAIT_S
    """Time until the next test."""

    @property
    def is_parked(self) -> bool:
        """Whether it plays no rated matches."""
        return self.parked_at is not None

    def after_match(self, *, is_fault: bool, now: float) -> "Breaker":
        """Return the state after a rated match; a void match is none.

        Matches that were running when the version was parked change nothing.
        """
        if self.is_parked:
            return self
        recent = (*self.recent, is_fault)[-WINDOW:]
        wait_s = self.wait_s
        if len(recent) == WINDOW and not any(recent):
            wait_s = FIRST_WAIT_S
        if sum(recent) >= FAULTS:
            return Breaker(parked_at=now, wait_s=wait_s)
        return Breaker(recent, wait_s=wait_s)

    def is_test_due(self, now: float) -> bool:
        """Return whether a house bot should test it now."""
        return self.parked_at is not None and now >= self.parked_at + self.wait_s

    def after_test(self, *, is_fault: bool, now: float) -> "Breaker":
        """Return the state after a test; a void one is repeated."""
        if not self.is_parked:
            return self
        longer = min(2 * self.wait_s, LONGEST_WAIT_S)
        return replace(self, parked_at=now if is_fault else None, recent=(), wait_s=longer)
