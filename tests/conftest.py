"""Shared by all tests: four workers for the whole suite, the same process state everywhere."""

import gc
import os
import signal
import socket
from collections.abc import Generator, Iterator
from pathlib import Path

import pure
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from ordering import files_in_turn
from preloaded import ADDRESS, server, start_server
from waiting import patience_s

from referee import catalog

SMALL_GAMES = Path(__file__).parent / "small_games"
"""A package with games of tests: `liars`, `phantom`, `pig`, `roshambo` and broken ones."""
WORKERS = 4
"""Many tests wait for processes: four workers keep two cores busy, and each collects all tests."""
TESTS = Path(__file__).parent
WORTH_REPORTING_S = 0.1
SERVER = pytest.StashKey[socket.socket]()
FIRST = (f"{TESTS}/e2e/", f"{TESTS}/bots/")
LATER_S = 20
"""A wait that is too long fails before the test does, with a sentence of its own."""
LONGEST_ID = 40
"""Limit of the bytes of an argument that are a part of the name of its test."""

EXPLAINED = (
    "no control group can be made here",
    "this machine lets nobody make a version 2 control group",
    "no control group here counts the memory of several processes",
    "this kernel cannot close the network",
    "is refused here",
    "bubblewrap",
    "Landlock",
    "namespace",
    "only root",
    "only of root",
    "root writes everywhere",
    "nothing refuses calls in this tier",
    "two slots need two cores",
)
"""Allowed reasons to skip a test in CI: refusals of the kernel, the user or the machine."""

for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(name, None)  # in CI, what the tests play is no result of the job


# A deadline by the wall clock, or a measure of slowness, would depend on the load of the machine.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", settings.get_profile("suite"), max_examples=2_500)
settings.load_profile("suite")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run the whole suite in workers, and tests named on the command line in this process."""
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    return WORKERS if is_whole else 0


def pytest_configure(config: pytest.Config) -> None:
    """Start one server for all workers, and collect the whole suite in another order in each."""
    own = getattr(config, "workerinput", None)
    if own is None and config.getoption("tx"):
        os.environ[ADDRESS], config.stash[SERVER] = start_server()
    if own and [Path(argument).resolve() for argument in config.args] == [TESTS]:
        worker = int(own["workerid"].removeprefix("gw"))
        ignored = config.getoption("ignore") or ()
        config.args = files_in_turn(worker, own["workercount"], ignored)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude the million lasting objects from all later garbage collections."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name long data after the argument: a zip has the time in it, other in each worker."""
    return argname if isinstance(val, bytes) and len(val) > LONGEST_ID else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the slowest, so that no worker is left alone with them. No test needs an order.

    A test that starts no program of its own ends a little after the longest wait, unless
    `--timeout` says otherwise.
    """
    items.sort(key=lambda item: (not str(item.path).startswith(FIRST), str(item.path)))
    limit = pytest.mark.timeout(patience_s() + LATER_S)
    for item in items:
        if config.getoption("timeout") is None and not str(item.path).startswith(FIRST):
            item.add_marker(limit)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """In a worker, report a test once, not also its start, its end, and a quick setup or teardown.

    Each message to the controller costs as much as a test that does nothing.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed or report.duration > WORTH_REPORTING_S:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Refuse the machine's programs to a test that shall not need them, and a warden to all.

    A warden forks the process of the tests: the rest would run in its child, and end at any time.
    """
    process = os.getpid()
    try:
        with pure.guard.watching(item.path):
            return (yield)
    finally:
        assert os.getpid() == process, "this test has put a warden before all others"


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Refuse them to its fixtures too, but for those of the whole run."""
    path = TESTS if fixturedef.scope == "session" else request.path
    with pure.guard.watching(path):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI, fail every skipped test without one of the allowed reasons."""
    report = yield
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else "")
        if not any(known in reason for known in EXPLAINED):
            report.outcome, report.longrepr = "failed", f"skipped in CI: {reason}"
    return report


@pytest.fixture(autouse=True, scope="session")
def preloaded_server() -> None:
    """Find the server of preloaded commands before any test is a parent of strangers."""
    server()


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


@pytest.fixture(scope="module")
def small_games() -> Iterator[Path]:
    """Offer the games of tests, as an installed package would; return its folder."""
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(SMALL_GAMES)
        patched.setenv("PYTHONPATH", str(SMALL_GAMES))
        for known in (catalog.game_entries, catalog.game_class):
            known.cache_clear()
        yield SMALL_GAMES
    for known in (catalog.game_entries, catalog.game_class):
        known.cache_clear()
