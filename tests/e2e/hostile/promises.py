"""The promise for each fault, and its evidence: hostile bots and other tests."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hostile_case import Case

TESTS = Path(__file__).parents[2]
_TEXT = Path(__file__).with_name("promises.txt")


@dataclass(frozen=True)
class Promise:
    """One numbered fault."""

    number: int
    what: str
    """The event and its consequence."""
    tests: tuple[str, ...]
    """Further tests of the promise, as module::name."""
    reason: str
    """Reason for missing evidence, if any."""

    def shown_by(self, bots: int) -> str:
        """Describe the evidence; `bots` are the hostile bots of this number."""
        parts = [f"{bots} hostile bot{'s' * (bots > 1)}"] if bots else []
        parts += [_said(test) for test in self.tests]
        return "; ".join(parts) or self.reason


def promises() -> list[Promise]:
    """Return all promises in order."""
    lines = _TEXT.read_text(encoding="utf-8").splitlines()
    return [_read(line) for line in lines if not line.startswith("#")]


def table_of(cases: Sequence[Case]) -> str:
    """Return the table of all promises, a line each."""
    bots = Counter(case.row for case in cases)
    lines = [
        f"| {promise.number} | {promise.what} | {promise.shown_by(bots[promise.number])} |\n"
        for promise in promises()
    ]
    return "| | what happens: what comes of it | shown by |\n|---:|---|---|\n" + "".join(lines)


def is_there(test: str) -> bool:
    """Whether the test exists."""
    module, _, name = test.partition("::")
    files = list(TESTS.rglob(f"{module}.py"))
    return any(f"def {name}(" in file.read_text(encoding="utf-8") for file in files)


def _read(line: str) -> Promise:
    number, what, rest = (part.strip() for part in line.split("|"))
    is_reason = not rest.startswith("test_")
    tests = () if is_reason else tuple(rest.split())
    return Promise(int(number), what, tests, rest if is_reason else "")


def _said(test: str) -> str:
    module, _, name = test.partition("::")
    return f"{name.removeprefix('test_').replace('_', ' ')} (`{module}`)"
