"""Shared by all tests: two workers for the whole suite, and the same process state everywhere."""

import os
import signal
from collections.abc import Iterator

import pytest

WORKERS = 2
"""Some tests load a core each; with more of them the machine would be slower, not faster."""
FIRST = ("tests/e2e/", "tests/bots/")
"""Hold the slowest tests: started first, so that no worker is left alone with one at the end."""

for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(name, None)  # in CI, what the tests play is no result of the job


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run the whole suite in workers, and tests that are named on the command line in place."""
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    return min(WORKERS, os.cpu_count() or 1) if is_whole else 0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file in one worker, as they share fixtures, and begin with the slowest.

    No test depends on this order: `pytest -p no:randomly FILE` in any order must pass.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


@pytest.fixture(autouse=True, scope="session")
def default_signals() -> Iterator[None]:
    """Receive every signal, whatever the parent has ignored (`nohup`, jobs in the background)."""
    handlers = {signal.SIGINT: signal.default_int_handler}
    names = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    before = {number: signal.getsignal(number) for number in names}
    mask = signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in names:
        signal.signal(number, handlers.get(number, signal.SIG_DFL))
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for number, handler in before.items():
        signal.signal(number, handler)
