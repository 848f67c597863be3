"""What a machine lacked for a running bot below its own limits, and which bot has filled it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from referee.sandbox.limits import Limits
from referee.sandbox.surroundings import MB

TOO_FEW_PROCESSES = "too few processes"
"""Begin of the text where a limit around a program refused it a process or thread."""
FULL_DISK = "too little disk"
"""The same: the disk of its files had no space for them."""
Lack = Literal["memory", "pids", "disk"]
"""What a machine may have too little of."""
NEAR = 0.9
"""Part of its share above which a bot may have filled a machine on purpose."""
MUCH = 1.5
"""Multiple of the average use of a match's bots above which one of them has much more."""
REFUSED = re.compile(
    r"resource temporarily unavailable|can't start new thread|cannot fork|\bEAGAIN\b|\berrno 11\b"
    r"|unable to create (new )?native thread|pthread_create|newosproc",
    re.IGNORECASE,
)
"""Messages of shells and languages about a process or thread that cannot be started."""

K = TypeVar("K")


@dataclass(frozen=True)
class Use:
    """The most that a bot has used of the memory, processes or disk around it."""

    amount: int
    limit: int | None
    """Its own limit."""
    total: int
    """What all bots may use together, as far as it was free at the start of this one."""


def filler(uses: Mapping[K, Use]) -> K | None:
    """Return the bot that has filled a machine where no other match ran; None if unknown.

    The share of a bot is its limit or, on a machine too small for the limits, an equal part. There
    half of it is enough, together with much more than the others: they use the rest.
    """
    if not uses:
        return None
    equal = max(1, max(use.total for use in uses.values()) // len(uses))
    shares = {key: min(use.limit or equal, equal) for key, use in uses.items()}
    key = max(uses, key=lambda one: uses[one].amount / shares[one])
    amount, share = uses[key].amount, shares[key]
    if amount > NEAR * share:
        return key
    is_small = any(shares[one] != use.limit for one, use in uses.items())
    has_much = amount * len(uses) > MUCH * sum(use.amount for use in uses.values())
    return key if is_small and has_much and 2 * amount > share else None


def shortage_text(lack: Lack, name: str, limits: Limits, use: Use | None, around: str) -> str:
    """Return in words what a bot has lacked, its use, and what is around it."""
    amount = 0 if use is None else use.amount
    if lack == "memory":
        of_limit = f" of its limit of {limits.memory_bytes // MB} MB" if limits.memory_bytes else ""
        return (
            f"too little memory: the kernel ended a process of {name}, which used"
            f" {amount // MB} MB{of_limit}; {around}"
        )
    if lack == "disk":
        return (
            f"{FULL_DISK}: {name} ended there below its own limit, with files of"
            f" {amount // MB} MB; {around}"
        )
    wanted = f"asked for {amount} of" if amount else "may have"
    return (
        f"{TOO_FEW_PROCESSES}: {name} was refused a process or thread, and {wanted}"
        f" its {limits.processes}; {around}"
    )
