"""Find the tiers of isolation that this machine allows, by starting a program in each.

An installed program or a kernel feature proves nothing: containers, kernel settings and security
modules refuse namespaces in many ways.
"""

import contextlib
import errno
import os
import sys

from referee.sandbox.cgroup import Groups
from referee.sandbox.controllers import KINDS
from referee.sandbox.directory import private_directory
from referee.sandbox.errors import NoStartError, SandboxError
from referee.sandbox.isolation import Access
from referee.sandbox.limits import Limits, Tier
from referee.sandbox.process import Process, environment
from referee.sandbox.program import Program
from referee.sandbox.tiers import TIERS

COUNTS = ("CPU time", "memory", "processes")
"""What a control group counts; the last two in the order of its controllers, `KINDS`."""
PATIENCE_NS = 10_000_000_000
_ANY_PORT = 1
_PASSING = (errno.ENFILE, errno.EMFILE, errno.ENOMEM)
"""Errors that say nothing about a tier; ENOSPC is also that of a limit of namespaces."""


def refusal(tier: Tier, *, has_tcp: bool = False) -> str | None:
    """Return the reason why this machine refuses bots in this tier, or None.

    Raises OSError if the machine lacks resources to find out: strangers that use
    them up must not get bots a weaker tier.
    """
    if (reason := TIERS[tier].missing()) is not None:
        return reason
    with private_directory() as directory:
        try:
            return start_probe(
                tier, Access(directory=directory, port=_ANY_PORT if has_tcp else None)
            )
        except (OSError, NoStartError, SandboxError) as error:
            for number in _PASSING:
                if os.strerror(number) in str(error):
                    raise OSError(number, os.strerror(number)) from error
            return str(error)


def best_tier(*, has_tcp: bool = False) -> tuple[Tier, dict[Tier, str]]:
    """Return the best tier that this machine allows, and the refusals of the better ones."""
    refusals: dict[Tier, str] = {}
    *tried, last = TIERS
    for tier in tried:
        if (reason := refusal(tier, has_tcp=has_tcp)) is None:
            return tier, refusals
        refusals[tier] = reason
    return last, refusals


def missing_counts() -> tuple[str, ...]:
    """Return what no control group of a bot counts here, of CPU time, memory and processes."""
    groups = Groups.probe()
    if groups is None:
        return COUNTS
    try:
        controllers = groups.controllers
    finally:
        groups.close()
    return tuple(COUNTS[1 + place] for place, kind in enumerate(KINDS) if kind not in controllers)


def start_probe(tier: Tier, access: Access) -> str | None:
    """Start a program in the tier; return its error, or None."""
    argv = (sys.executable, "-I", "-S", "-c", "pass")
    program = Program(name="probe", argv=argv, folder=str(access.directory), tier=tier)
    environ = environment(program, access)
    process = Process(program, Limits(), environ, None, access)
    try:
        process.confirm()
        ended = process.wait_end(PATIENCE_NS)
        output = process.tail().strip()
    finally:
        with contextlib.suppress(OSError):
            process.stop()
    if ended == "exit code 0":
        return None
    return output or f"a test program fails in it: {ended}"
