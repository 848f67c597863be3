"""What a hostile bot does and what must come of it: a row of the table of faults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from referee.job import MILLISECOND_NS, SECOND_NS, Tier, TimeControl

LONG_NS = 20 * SECOND_NS
"""A limit that nothing comes near: what ends such a match was seen at once."""
SHORT_NS = 500 * MILLISECOND_NS
SHORT_CPU_NS = 20 * MILLISECOND_NS
"""By the CPU clock: so little of the second by the wall that even a busy machine has it to give."""
START_NS = 1_500 * MILLISECOND_NS
THREE_BY_THREE = {"dimension": 3, "board": ("111", "111", "111"), "objectives": "normal"}
"""A board so small that a match is soon over, so large that a bot moves twice."""
FACTS = {
    "strays": "strays: {}",
    "charged_ns": "{} ns charged or more",
    "warning": "warning \u201c{}\u201d",
    "exit": "{}",
    "output_tail": "output \u201c{}\u201d",
    "output_bytes": "output of {} bytes, cut",
}
"""How the page tells what a seat's report holds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """One hostile bot, in seat 0, and its verdict."""

    row: int
    """Which promise it tests; rows stand together in the page that lists them."""
    bot: str
    """The function of the hostile programs, or the argument of `program`."""
    does: str
    ends: str = "normal"
    """The termination of the match."""
    call: str | None = None
    """The call at which the bot is at fault."""
    says: str = ""
    """Stands in the text of the fault."""
    seat: Mapping[str, Any] = field(default_factory=dict)
    """What the seat's report must hold: numbers at least so large, texts that stand in it."""
    stands: int = 0
    """How many of its moves are kept."""
    short: str | None = None
    """The limit that this bot runs into: the only short one."""
    wall_bank_ns: int | None = None
    """The limit of the wall time of all calls, where that is what the bot runs into."""
    clock: Literal["cpu", "wall"] = "wall"
    event_seed: int | None = None
    """Of the event that the match is one of; None: the match has a seed of its own."""
    program: str = "python"
    """What is started: `python`, `fatal`, a file that the test has made, or a shell by that path,
    which reads the rival's file before it becomes the bot."""
    rival: str = "honest"
    """Who sits opposite: a good bot, its namesake, the same hostile bot again, or nobody; or the
    name of a program that does no harm, but what hostile bots may keep it from."""
    game: str = "matchsticks"
    limits: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=lambda: THREE_BY_THREE)
    tier: Tier = "none"
    """How it is shut in."""
    counted: bool | None = None
    """Whether a control group counts the memory of all its processes; None: it is all one."""
    is_slow_to_clear: bool = False
    """Whether its room may take longer to remove than a match is held up for it."""

    @property
    def name(self) -> str:
        """Return what no other case is called."""
        counted = {True: "-counted", False: "-uncounted", None: ""}[self.counted]
        seeded = "" if self.event_seed is None else f"-{self.event_seed.bit_length()}_bits"
        return f"{self.row}-{self.bot}-{self.rival}-{self.clock}-{self.tier}{counted}{seeded}"

    @property
    def is_fault(self) -> bool:
        """Whether the bot loses by it."""
        return self.call is not None

    @property
    def verdict(self) -> str:
        """Say in words how the match ends and at which call."""
        return f"`{self.ends}` at {self.call}" if self.is_fault else f"`{self.ends}`"

    @property
    def behaviour(self) -> str:
        """Say in words what the bot does, and where, if that matters."""
        where = "" if self.tier == "none" else f", in tier {self.tier}"
        counted = {True: ", held by a control group", False: ", held by rlimits", None: ""}
        return f"{self.does}{where}{counted[self.counted]}"

    @property
    def recorded(self) -> str:
        """Say in words what the record holds beside the usual: the fault, or what was noticed."""
        parts = [f"\u201c{self.says}\u201d"] if self.says else []
        for name, fact in self.seat.items():
            words = FACTS[name]
            parts.append(words.format(fact))
        return "; ".join(parts) or "nothing more"

    @property
    def survives(self) -> str:
        """Say in words what is left of the match."""
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
        """Return limits that are long, but for the one that the bot runs into."""
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
        """Return how long by the wall the limit lets the bot hold the match up."""
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
