"""The best tier of a machine, and what no control group counts."""

import errno
import os

import pytest

from referee.sandbox import finding, probe
from referee.sandbox.cgroup import Groups
from referee.sandbox.controllers import KINDS
from referee.sandbox.finding import TierFinding, find_tier, limits_in_force
from referee.sandbox.limits import Tier
from referee.sandbox.tiers import TIERS

REFUSED = "bwrap: No permissions to create new namespace"


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> dict[Tier, str]:
    """Yield the refusals of the machine, to be filled in."""
    refused: dict[Tier, str] = {}

    def refusal(tier: Tier, *, has_tcp: bool) -> str | None:
        del has_tcp
        return refused.get(tier)

    monkeypatch.setattr(probe, "refusal", refusal)
    monkeypatch.setattr(probe, "missing_counts", lambda: ())
    return refused


def test_the_best_tier_is_the_first_that_is_not_refused(machine: dict[Tier, str]) -> None:
    assert find_tier().tier == "namespaces"
    machine["namespaces"] = REFUSED
    assert find_tier().tier == "landlock"
    machine["landlock"] = "no"
    assert find_tier().tier == "limits"
    machine["limits"] = "no"
    assert find_tier().tier == "none"
    assert list(find_tier().refusals) == ["namespaces", "landlock", "limits"]


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_a_lack_of_resources_is_no_reason_for_a_weaker_tier(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def start(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(probe, "start_probe", start)
    for tier in TIERS.values():
        monkeypatch.setattr(tier, "missing", lambda: None)

    with pytest.raises(OSError, match=os.strerror(number)):
        find_tier()


def test_what_a_group_counts_here_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    class Few:
        controllers = frozenset({KINDS[0]})

        def close(self) -> None:
            pass

    monkeypatch.setattr(Groups, "probe", lambda: None)
    assert probe.missing_counts() == probe.COUNTS
    monkeypatch.setattr(Groups, "probe", Few)
    assert probe.missing_counts() == ("processes",)
    assert find_tier().uncounted == ("processes",)


@pytest.mark.parametrize(
    ("tier", "is_root", "is_exact"),
    [
        ("namespaces", False, True),
        ("landlock", False, True),
        ("limits", False, False),
        ("limits", True, True),
        ("none", True, False),
    ],
)
def test_cpu_time_is_exact_where_no_program_can_leave_its_group(
    monkeypatch: pytest.MonkeyPatch, tier: Tier, *, is_root: bool, is_exact: bool
) -> None:
    monkeypatch.setattr(finding, "is_root", lambda: is_root)
    counted = TierFinding(tier=tier, refusals={})
    uncounted = TierFinding(tier=tier, refusals={}, uncounted=probe.COUNTS)

    assert counted.is_exact_in(tier) == is_exact
    assert not uncounted.is_exact_in(tier)


def test_what_enforces_each_limit_is_found_without_a_start() -> None:
    found = limits_in_force("limits", None, None)

    assert found["tier"] == "limits"
    assert found["processes"] == "none"
    assert found["memory"] == "each process by RLIMIT_DATA"
