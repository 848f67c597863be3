"""A hostile bot and its expected verdict: a row of the table of faults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from referee.job import MILLISECOND_NS, SECOND_NS, TimeControl
from referee.sandbox import Tier

LONG_NS = 100 * SECOND_NS
"""A limit that is never reached: the fault is detected at once."""
SHORT_NS = 500 * MILLISECOND_NS
SHORT_CPU_NS = 20 * MILLISECOND_NS
"""Limit by the CPU clock, small enough for a busy machine to grant within a second."""
START_NS = 1_500 * MILLISECOND_NS
THREE_BY_THREE = {"dimension": 3, "board": ("111", "111", "111"), "objectives": "normal"}
"""A board small enough for a short match and large enough for two moves of a bot."""
FACTS = {
    "strays": "strays: {}",
    "charged_ns": "{} ns charged or more",
    "warning": "warning \u201c{}\u201d",
    "exit": "{}",
    "output_tail": "output \u201c{}\u201d",
    "output_bytes": "output of {} bytes, cut",
}
"""Texts of the page for the fields of a seat's report."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """One hostile bot, in seat 0, and its verdict."""

    row: int
    """Number of the tested promise; the page groups rows by it."""
    bot: str
    """The function of the hostile programs, or the argument of `program`."""
    does: str
    ends: str = "normal"
    """The termination of the match."""
    call: str | None = None
    """Call of the fault."""
    says: str = ""
    """Stands in the text of the fault."""
    seat: Mapping[str, Any] = field(default_factory=dict)
    """Expected fields of the seat's report: minimum numbers, and contained texts."""
    stands: int = 0
    """How many of its moves are kept."""
    short: str | None = None
    """The limit that this bot runs into: the only short one."""
    wall_bank_ns: int | None = None
    """Limit of the wall time of all calls, if the bot reaches it."""
    clock: Literal["cpu", "wall"] = "wall"
    event_seed: int | None = None
    """Seed of the match's event; None if the match has its own seed."""
    program: str = "python"
    """The program: `python`, `fatal`, a file made by the test, or a shell by that path
    that reads the rival's file before it becomes the bot."""
    rival: str = "honest"
    """The opponent: a good bot, its namesake, the same hostile bot again, or none; or the
    name of a program that does no harm, but what hostile bots may keep it from."""
    game: str = "matchsticks"
    limits: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=lambda: THREE_BY_THREE)
    tier: Tier = "none"
    """Tier of the bot."""
    counted: bool | None = None
    """Whether a control group counts the memory of all its processes; None: it is all one."""
    is_slow_to_clear: bool = False
    """Whether removing its sandbox directory may take longer than a match waits for it."""

    @property
    def name(self) -> str:
        """Return a unique name of the case."""
        counted = {True: "-counted", False: "-uncounted", None: ""}[self.counted]
        seeded = "" if self.event_seed is None else f"-{self.event_seed.bit_length()}_bits"
        return f"{self.row}-{self.bot}-{self.rival}-{self.clock}-{self.tier}{counted}{seeded}"

    @property
    def is_fault(self) -> bool:
        """Whether the bot loses."""
        return self.call is not None

    @property
    def verdict(self) -> str:
        """Say in words how the match ends and at which call."""
        return f"`{self.ends}` at {self.call}" if self.is_fault else f"`{self.ends}`"

    @property
    def behaviour(self) -> str:
        """Describe the bot, with its call if it matters."""
        where = "" if self.tier == "none" else f", in tier {self.tier}"
        counted = {True: ", held by a control group", False: ", held by rlimits", None: ""}
        return f"{self.does}{where}{counted[self.counted]}"

    @property
    def recorded(self) -> str:
        """Describe the fault or warning in the record."""
        parts = [f"\u201c{self.says}\u201d"] if self.says else []
        for name, fact in self.seat.items():
            words = FACTS[name]
            parts.append(words.format(fact))
        return "; ".join(parts) or "nothing more"

    @property
    def survives(self) -> str:
        """Describe the rest of the match."""
        if self.rival == "nobody":
            return "the moves before it"
        if self.rival == "hostile":
            return "nothing: nobody scores"
        if not self.is_fault:
            return (
                "the other seat wins" if self.ends == "resignation" else "the match, by the rules"
            )
        moves = f"{self.stands} move{'s' * (self.stands > 1)}; " if self.stands else ""
        return f"{moves}the other seat wins"

    def time(self) -> TimeControl:
        """Return long limits, except for the one reached by the bot."""
        names = ("start", "init", "per_move", "display", "term")
        limits: dict[str, Any] = dict.fromkeys((f"{name}_ns" for name in names), LONG_NS)
        if self.short is not None:
            limits[f"{self.short}_ns"] = START_NS if self.short == "start" else self._short_ns
        if self.clock == "cpu":
            limits["grace_ns"] = 0
        return TimeControl(clock=self.clock, wall_bank_ns=self.wall_bank_ns, **limits)

    @property
    def _short_ns(self) -> int:
        return SHORT_CPU_NS if self.clock == "cpu" else SHORT_NS

    def deadline_s(self) -> float:
        """Return the wall-clock time for which the bot may delay the match."""
        if self.wall_bank_ns is not None:
            return self.wall_bank_ns / SECOND_NS
        if self.short is None:
            return 0.0
        if self.short == "start":
            return START_NS / SECOND_NS
        control = self.time()
        if self.clock == "wall":
            return (SHORT_NS + control.grace_ns) / SECOND_NS
        return 2 * SHORT_CPU_NS / SECOND_NS + 1
