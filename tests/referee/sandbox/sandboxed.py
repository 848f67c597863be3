"""The tiers that tests of the sandbox run in, and the limits of their programs."""

import functools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import Running

from referee.sandbox.limits import Limits, Tier
from referee.sandbox.probe import refusal

INTRUDER = Path(__file__).with_name("intruder.py")
MB = 1 << 20
LIMITS = Limits(
    memory_bytes=300 * MB, processes=20, files=40, disk_bytes=8 * MB, scratch_bytes=2 * MB
)
TIERS: tuple[Tier, ...] = ("namespaces", "landlock", "limits")
IS_ROOT = os.geteuid() == 0
Starter = Callable[..., Running]
"""Start Python in a tier with these arguments."""


def check_allowed(tier: Tier) -> None:
    """Skip a test of a tier that this machine refuses."""
    if (reason := _refusal(tier)) is not None:
        pytest.skip(f"{tier} is refused here: {reason}")


_refusal = functools.cache(refusal)


def of_tiers(*tiers: Tier) -> pytest.MarkDecorator:
    """Return what has a test tried in these tiers alone."""
    return pytest.mark.parametrize("tier", tiers, indirect=True)
