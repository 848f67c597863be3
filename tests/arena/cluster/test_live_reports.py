"""Running matches on workers are reported while somebody watches, and never waited for."""

from concurrent.futures import Future

from links import FakeLink
from on_workers import new_cluster, settle

from arena.cluster.cluster_slots import ClusterSlots
from arena.cluster.live_reports import PAUSE_S, LiveReports


class Watched:
    """Two workers and a clock that the test moves."""

    def __init__(self) -> None:
        self.link = FakeLink()
        self.link.join("one")
        self.link.join("two")
        cluster = new_cluster(self.link)
        settle(ClusterSlots(cluster))
        self.now_s = 100.0
        self.reports = LiveReports(cluster, now_s=lambda: self.now_s)

    def answer(self, number: int, *reports: bytes) -> None:
        self.link.asked[number][2].set_result(list(reports))

    def asked(self) -> list[tuple[str, int]]:
        return [(worker, audience) for worker, audience, _ in self.link.asked]


def test_workers_are_asked_only_while_somebody_watches() -> None:
    watched = Watched()
    assert watched.reports.arrived() == []
    assert watched.asked() == []

    watched.reports.report_to(3)
    assert watched.reports.arrived() == []
    assert watched.asked() == [("one", 3), ("two", 3)]

    watched.reports.report_to(0)
    assert watched.asked()[2:] == [("one", 0), ("two", 0)]
    watched.now_s += 10
    watched.reports.arrived()
    assert len(watched.asked()) == 4


def test_a_worker_is_asked_again_after_its_answer_and_a_pause() -> None:
    watched = Watched()
    watched.reports.report_to(1)
    watched.reports.arrived()

    watched.now_s += PAUSE_S / 2
    watched.answer(0, b"{}", b"[]")
    assert watched.reports.arrived() == [b"{}", b"[]"]
    assert len(watched.asked()) == 2

    watched.now_s += PAUSE_S
    assert watched.reports.arrived() == []
    assert watched.asked()[2:] == [("one", 1)]  # the other has not answered


def test_an_answer_that_was_given_up_is_no_report() -> None:
    watched = Watched()
    watched.reports.report_to(1)
    watched.reports.arrived()
    future: Future[list[bytes]] = watched.link.asked[0][2]
    future.cancel()

    assert watched.reports.arrived() == []


def test_nothing_is_asked_without_a_scheduler() -> None:
    watched = Watched()
    watched.link.is_connected = False
    watched.reports.report_to(1)
    watched.reports.arrived()
    watched.reports.report_to(0)

    assert watched.asked() == []
