"""Workers that a scheduler does not take in."""

import ssl
import time

import pytest

from arena.cluster import worker
from arena.cluster.link import SchedulerLink
from arena.cluster.worker import TAKEN_S, ConnectionFailures, WorkerTerms, run_worker
from arena.config.cluster import Address
from arena.errors import UsageError

HERE = Address("127.0.0.1", 8786)
UNKNOWN = Address("no-such-host.invalid", 8786)
TAKEN = RuntimeError("_Worker failed to start.")
TAKEN.__cause__ = ValueError("Unexpected response from register: {'message': 'name taken, one'}")
STRANGE = TimeoutError()
STRANGE.__context__ = ssl.SSLCertVerificationError(1, "certificate verify failed")


@pytest.fixture
def failures() -> ConnectionFailures:
    return ConnectionFailures(HERE, "one")


@pytest.mark.parametrize("error", [OSError("refused"), TimeoutError()])
def test_a_scheduler_that_does_not_answer_may_come_later(
    failures: ConnectionFailures, error: Exception
) -> None:
    failures.check(error)

    assert failures.taken_since_s is None


def test_certificates_of_another_cluster_are_refused_at_once(failures: ConnectionFailures) -> None:
    with pytest.raises(UsageError, match="do not accept each other's certificates; use folders"):
        failures.check(STRANGE)


def test_a_taken_name_is_waited_for_and_then_refused(
    failures: ConnectionFailures, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    failures.check(TAKEN)
    now_s += TAKEN_S
    failures.check(TAKEN)

    now_s += 1
    with pytest.raises(UsageError, match=r'another worker at .* is named "one"; give each its own'):
        failures.check(TAKEN)

    failures.check(OSError("refused"))
    failures.check(TAKEN)


def test_a_worker_says_at_once_where_it_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine is measured and a connection tried for many seconds before anything is known."""
    said: list[str] = []

    class MeasuredError(Exception):
        """The first thing that takes long."""

    def measure(*_: object) -> None:
        raise MeasuredError

    monkeypatch.setattr(worker, "settle", lambda: None)
    monkeypatch.setattr(worker, "become_subreaper", lambda: None)
    monkeypatch.setattr(worker, "measure_speed", measure)
    with pytest.raises(MeasuredError):
        run_worker(WorkerTerms(scheduler=HERE, slots=1, is_pinned=False, tell=said.append))

    assert said == ["connecting to 127.0.0.1:8786; Ctrl-C ends it"]


def test_an_unknown_host_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be found"):
        run_worker(WorkerTerms(scheduler=UNKNOWN))
    with pytest.raises(UsageError, match="cannot be found"):
        SchedulerLink(UNKNOWN, None)


def test_the_name_of_the_directors_machine_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="--name Director is that of the director's own machine"):
        run_worker(WorkerTerms(scheduler=HERE, name="Director"))
