"""The best tier of this machine, with the reasons against better ones and what nothing counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.sandbox import probe
from referee.sandbox.cgroup import Groups
from referee.sandbox.cures import cure
from referee.sandbox.isolation import Access
from referee.sandbox.limits import Limits, Tier
from referee.sandbox.program import Program
from referee.sandbox.tiers import BEST, TIERS
from referee.sandbox.unprivileged import NOBODY, is_root
from referee.sandbox.users import Users


@dataclass(frozen=True, kw_only=True)
class TierFinding:
    """The best tier of this machine, with the reasons against better ones."""

    tier: Tier
    refusals: Mapping[Tier, str]
    uncounted: tuple[str, ...] = ()
    """What no control group of a bot counts: CPU time, memory, processes."""

    @property
    def is_best(self) -> bool:
        """Whether no tier is better."""
        return self.tier == BEST

    @property
    def is_time_counted(self) -> bool:
        """Whether a control group counts the CPU time of a bot."""
        return probe.COUNTS[0] not in self.uncounted

    def is_exact_in(self, tier: Tier) -> bool:
        """Return whether the CPU time of a bot of several processes is exact in this tier."""
        is_held = TIERS[tier].hides_files or (tier == "limits" and is_root())
        return is_held and self.is_time_counted

    def explanation(self) -> str:
        """Return why no better tier is available, with its cure; empty for the best."""
        if not self.refusals:
            return ""
        lines = [f"{TIERS[tier].title}: {reason}" for tier, reason in self.refusals.items()]
        return "\n".join([*lines, f"cure: {self.cure()}"])

    def cure(self) -> str:
        """Return a command or advice that allows the best tier, if it is refused."""
        return cure(self.refusals[BEST])

    def shortage(self) -> str:
        """Return what no control group counts, as a sentence; empty if all is counted."""
        if not self.uncounted:
            return ""
        *others, last = self.uncounted
        counts = f"{', '.join(others)} and {last}" if others else last
        return f"no control group counts the {counts} of a bot"


def find_tier(*, has_tcp: bool = False) -> TierFinding:
    """Return the best tier in which programs start on this machine; raises OSError."""
    tier, refusals = probe.best_tier(has_tcp=has_tcp)
    return TierFinding(tier=tier, refusals=refusals, uncounted=probe.missing_counts())


def limits_in_force(tier: Tier, groups: Groups | None, users: Users | None) -> Mapping[str, str]:
    """Return what enforces each default limit of a program in this tier."""
    limits = Limits()
    folder = Path(__file__).parent  # the current directory may be one that no bot sees, like $HOME
    program = Program(name="", argv=(), folder=str(folder), tier=tier)
    group = groups.take(limits.memory_bytes, limits.processes) if groups else None
    user = users.take() if users else NOBODY
    isolation = TIERS[tier](program, limits, group, Access(directory=folder, user=user))
    isolation.close()
    if isolation.status is not None:
        isolation.status.close()
    if groups is not None and group is not None:
        groups.give_back(group)
    return isolation.in_force
