"""Shared by all tests: `fakes` beside this file can be imported, and the order they run in."""

import os

import pytest

for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(name, None)  # in CI, what the tests play is no result of the job


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of isolation first.

    They fork bots from this very process, as a referee does, and like a referee it must have few
    descriptors and no threads then; the sockets and contexts of other tests leave some behind.
    """
    items.sort(key=lambda item: "tests/referee/sandbox/test_isolation" not in item.nodeid)
