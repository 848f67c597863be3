"""Capabilities of this machine, from trials and the kernel, as this user in this folder."""

import os
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

from arena.bots.installations import hidden_toolchains
from arena.bots.programs import DEBIAN_PACKAGES
from arena.machine.tier_choice import best_tier
from protocol.wording import escaped
from referee.cache import arena_cache
from referee.sandbox import (
    TIERS,
    TierFinding,
    group_cure,
    installations,
    landlock_version,
    limits_in_force,
)
from referee.service.slot import Slot, open_slot

_CLOCK_SOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
_CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")
_GOOD_CLOCKS = frozenset({"tsc", "kvm-clock", "arch_sys_counter"})
_COMPILERS = ("cc", "gcc", "clang")


def report(db: Path) -> str:
    """Return all facts, one per line; `db` is the database of an event."""
    found = best_tier()
    with open_slot() as slot:
        limits = _limits(found, slot)
        rows = [*_isolation(found), *limits, *_machine(), *_disk(db), *_programs()]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:{width}}  {fact}" for name, fact in rows)


def _isolation(found: TierFinding) -> Iterator[tuple[str, str]]:
    yield (
        "isolation",
        TIERS[found.tier].title + (", the strongest tier" if found.is_best else ""),
    )
    for tier, reason in found.refusals.items():
        for place, line in enumerate(reason.splitlines() or [""]):
            yield "", f"no {TIERS[tier].title}: {line}" if place == 0 else line
    if found.refusals:
        yield "cure", found.cure()
    yield "Landlock", f"version {landlock_version()}" if landlock_version() else "none"


def _limits(found: TierFinding, slot: Slot) -> Iterator[tuple[str, str]]:
    for name, fact in limits_in_force(found.tier, slot.groups, slot.users).items():
        if name != "tier":
            yield f"limit {name}" if name not in ("user", "network") else name, fact
    if slot.groups is None:
        lack = "`isolation: require` is refused, a sandboxed bot is one process,"
        yield "control groups", f"not available: {lack} and the CPU time of others is approximate"
        yield "cure", group_cure()
        return
    controllers = sorted(slot.groups.controllers)
    held = f", with {' and '.join(controllers)}" if controllers else ", without controllers"
    yield "control groups", f"exact CPU time, all processes of a bot are killed together{held}"
    if found.uncounted:
        yield "", f"`isolation: require` is refused: {found.shortage()}"
        yield "cure", group_cure()


def _machine() -> Iterator[tuple[str, str]]:
    mine = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    yield "cores", f"{mine} of {os.cpu_count()}, as many slots; load {load:.1f}"
    source = _content_of(_CLOCK_SOURCE).strip() or "unknown"
    slow = "" if source in _GOOD_CLOCKS else ", slow to read"
    yield "clock source", source + slow
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield from _core_dumps(_content_of(_CORE_PATTERN).strip())
    yield "open files", f"{soft}, can be raised to {hard}"


def _core_dumps(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield what a crash starts: a program of the host, which runs as root and outside limits."""
    if pattern.startswith(("|", "@")):
        yield "core dumps", f"go to a program of this machine: {escaped(pattern)}"
        yield "", "bots cannot start it in namespaces and landlock; in limits and none they can"
        yield "cure", "sysctl -w kernel.core_pattern=core"


def _disk(db: Path) -> Iterator[tuple[str, str]]:
    folder = db.resolve().parent
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        yield "disk", f"{folder}: {error.strerror}"
        return
    note = "" if os.access(folder, os.W_OK) else ", not writable"
    yield "disk", f"{free >> 20} MB free in {folder}{note}"


def _programs() -> Iterator[tuple[str, str]]:
    compiler = next((path for name in _COMPILERS if (path := shutil.which(name))), None)
    yield "C compiler", compiler or f"none: apt-get install {DEBIAN_PACKAGES['cc']}"
    there = [
        name for name in sorted(DEBIAN_PACKAGES) if name not in _COMPILERS and shutil.which(name)
    ]
    yield "toolchains", ", ".join(there) or "none"
    for place, folder in enumerate(installations(arena_cache())):
        yield "shown to bots" if place == 0 else "", str(folder)
    for name, detail in hidden_toolchains():
        yield f"{name} hidden", detail


def _content_of(path: Path) -> str:
    """Return the text of a file of the system, or nothing if it cannot be read."""
    try:
        return path.read_text()
    except OSError:
        return ""
