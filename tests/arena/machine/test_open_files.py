"""The limit of open files: raised where that is allowed, otherwise named before a match waits."""

import resource

import pytest

from arena.errors import MachineError
from arena.machine.open_files import require_open_files
from arena.text import plural

Limit = tuple[int, int]


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[Limit]:
    """The limits of this process, the last one in force."""
    kept = [(1024, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: kept[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, limit: kept.append(limit))
    return kept


@pytest.mark.parametrize(
    ("files", "seats", "least"), [(64, 2, 256), (255, 2, 256), (511, 6, 512), (191, 1, 192)]
)
def test_too_few_files_are_named_at_once(
    limits: list[Limit], files: int, seats: int, least: int
) -> None:
    limits.append((files, files))

    with pytest.raises(MachineError) as refusal:
        require_open_files(seats)

    assert str(refusal.value) == (
        f"this process may open {files} files, too few for matches of"
        f" {plural(seats, 'seat')}: raise `ulimit -n` to at least {least}"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((64, 4096), (1024, 4096)),
        ((64, 300), (300, 300)),
        ((64, resource.RLIM_INFINITY), (1024, resource.RLIM_INFINITY)),
        ((2048, 4096), (2048, 4096)),
        ((resource.RLIM_INFINITY,) * 2, (resource.RLIM_INFINITY,) * 2),
    ],
)
def test_a_low_limit_is_raised_as_far_as_it_may(
    limits: list[Limit], before: Limit, after: Limit
) -> None:
    limits.append(before)

    require_open_files(2)

    assert limits[-1] == after
