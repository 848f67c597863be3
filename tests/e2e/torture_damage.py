"""What the torture counts: its kills, and what was lost, doubled, changed or left by them."""

import os
from collections import Counter
from dataclasses import dataclass, field

PROMISED_S = 1.0
"""How long anything may outlive its referee, on a machine with free cores."""


@dataclass
class Damage:
    """Counts of actions and of detected errors."""

    kills: Counter[str] = field(default_factory=Counter)
    events: int = 0
    matches: int = 0
    receipts: int = 0
    """Hand-ins whose receipt somebody has got."""
    voids: int = 0
    again: int = 0
    """Matches whose attempt is not the first: they were void, or in flight when all was killed."""
    checks: int = 0
    """Times that the database has passed or failed its own check."""
    lost: int = 0
    """Matches reported as finished but missing."""
    doubled: int = 0
    changed: int = 0
    """Matches that changed since the last check."""
    unsound: int = 0
    """Failed integrity checks of the database."""
    tables: int = 0
    """Final tables different from that of the undisturbed event."""
    leftovers: int = 0
    """Processes some time after the kill; directories and control groups after the next run."""
    unexpected: list[str] = field(default_factory=list)
    """Exits without a kill."""
    slowest_s: float = 0
    late: int = 0
    """Kills after which some process lived for more than `PROMISED_S`.

    No error by itself: on a busy machine a killed process may wait longer for a core.
    """

    def add_end(self, after_s: float) -> None:
        """Count the time from a kill to the end of the last process."""
        self.slowest_s = max(self.slowest_s, after_s)
        self.late += after_s > PROMISED_S

    def is_none(self) -> bool:
        """Whether nothing is wrong."""
        wrong = (self.lost, self.doubled, self.changed, self.unsound, self.tables, self.leftovers)
        return not any(wrong) and not self.unexpected

    def add(self, other: "Damage") -> None:
        """Add the counts of another chamber."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            setattr(self, name, max(mine, value) if name == "slowest_s" else mine + value)

    def __str__(self) -> str:
        kills = ", ".join(f"{count} of {what}" for what, count in sorted(self.kills.items()))
        equal = self.events - self.tables
        events = f"{self.events} complete, {self.matches} matches, {self.voids} void"
        return "\n".join(
            [
                f"kills      {self.kills.total()} ({kills})",
                f"events     {events}; {self.again} matches at a later attempt",
                *([f"receipts   {self.receipts}"] if self.receipts else []),
                f"lost       {self.lost}",
                f"doubled    {self.doubled}",
                f"changed    {self.changed}",
                f"tables     {equal} of {self.events} equal to that of the undisturbed event",
                f"integrity  {self.checks - self.unsound} of {self.checks} checks ok",
                f"leftovers  {self.leftovers}; {self.late} ended after more than {PROMISED_S:g} s",
                f"slowest    {self.slowest_s:.2f} s; load {os.getloadavg()[0]:.0f}",
                *(f"unexpected {what}" for what in self.unexpected),
            ]
        )
