"""Slots on workers: workers are chosen, lost and refused."""

import time
from dataclasses import replace
from typing import Any

import pytest
from links import FakeLink, Sent
from on_workers import BACK, JOB, MATCH, OTHER, ended, new_cluster, results, settle, two_workers

from arena.cluster import cluster as subject
from arena.cluster import cluster_slots, members
from arena.cluster.cluster_slots import ClusterSlots
from arena.cluster.orders import Cast, WorkerAnswer, dump
from arena.cluster.worker_slots import MARGIN_S, longest_s
from arena.errors import EventError, MachineError, UsageError
from referee.records.match_end import MatchEnd, Worker
from referee.service.pipe import end_bytes


def test_both_seatings_of_players_on_a_board_go_to_one_worker() -> None:
    link, slots = two_workers(one=2, two=2)

    for job in (JOB, OTHER, BACK):
        slots.free()[0].submit(job)

    workers = {sent.keys[0]: sent.worker for sent in link.sent}
    assert workers[JOB.key] == workers[BACK.key] != workers[OTHER.key]


@pytest.mark.parametrize(("slots", "window"), [(1, 2), (4, 5), (8, 10), (64, 80)])
def test_a_quarter_more_than_its_slots_is_sent_to_a_worker(slots: int, window: int) -> None:
    _, opened = two_workers(one=slots)

    assert len(opened.free()) == slots
    assert len(opened.free()) + len(opened.ahead()) == window


def test_a_match_is_recorded_with_its_worker_and_its_speed() -> None:
    link = FakeLink()
    link.join("fast", speed=1.5)
    slots = ClusterSlots(new_cluster(link))
    slots.submit(JOB)

    link.end(link.sent[0], ended(JOB))

    assert results(slots, 1)[0].worker == Worker("fast", 1.5)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nan\n",
        b"!no json",
        b"1.0\nno number",
        b"1.0\n2 {}",
        b"1.0\n",
        b"1.0\n" + end_bytes(ended(OTHER)),
        b"1.0\n" + 2 * end_bytes(ended(JOB)),
        b"one\n" + end_bytes(ended(JOB)),
        b"inf\n" + end_bytes(ended(JOB)),
        b"1.0\n" + end_bytes(ended(JOB)) + b"0 {",
        b"1.0\n" + end_bytes(MatchEnd(JOB, ended(OTHER).match)),
        b"1.0\n2 what a later version says\nok",
        "\ud800\n".encode(errors="surrogatepass"),
        b"!" + dump(WorkerAnswer(missing=("a bundle of no match",))),
        b"!" + dump(WorkerAnswer(unable={"a bundle of no match": "why"})),
    ],
)
def test_a_worker_with_a_wrong_answer_counts_as_lost(data: bytes) -> None:
    link, slots = two_workers()
    slots.submit(JOB)
    first = link.sent[0]

    link.done(first, data)

    (result,) = results(slots, 1)
    assert (result.job, result.is_lost) == (JOB, True)
    assert result.void == f"worker {first.worker} sent a wrong answer"
    assert any("its answer is none" in notice for notice in slots.notices())
    slots.submit(JOB)
    assert link.sent[1].worker != first.worker


@pytest.mark.parametrize("said", [b"5e-324\n", b"1e308\n", b"0\n"])
def test_any_time_of_a_worker_leaves_a_number_of_matches_to_send(said: bytes) -> None:
    link, slots = two_workers(one=1)
    slots.submit(JOB)
    link.done(link.sent[0], said + end_bytes(ended(JOB)))
    assert results(slots, 1)[0].match

    slots.submit(OTHER)
    slots.wait(0.01)

    assert [sent.keys for sent in link.sent] == [[JOB.key], [OTHER.key]]


@pytest.mark.parametrize(
    "facts", [{"slots": 0}, {"slots": -1}, {"slots": 10**12}, {"speed": 0.0}, {"speed": -1.0}]
)
def test_a_worker_with_impossible_numbers_plays_nothing(facts: dict[str, Any]) -> None:
    link = FakeLink()
    link.join("good")
    link.join("bad", **facts)
    slots = ClusterSlots(new_cluster(link))
    settle(slots)

    for job in (JOB, OTHER):
        slots.submit(job)
    slots.wait(0.01)

    assert {sent.worker for sent in link.sent} == {"good"}
    assert len(slots.free()) == 0


def test_a_late_result_of_a_match_that_was_given_up_is_ignored() -> None:
    link, slots = two_workers()
    slots.submit(JOB)
    first = link.sent[0]
    link.lose(first.worker)
    assert results(slots, 1)[0].is_lost
    slots.submit(JOB)

    link.end(first, ended(JOB))
    assert slots.wait(0.05) == []

    link.end(link.sent[1], ended(JOB))
    assert [result.match for result in results(slots, 1)] == [MATCH]


def test_a_worker_that_hangs_with_a_live_connection_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    link, slots = two_workers()
    slots.submit(JOB)
    slots.wait(0)
    later_s = time.monotonic() + longest_s(JOB) + MARGIN_S + 1
    monkeypatch.setattr(cluster_slots, "time", _Clock(later_s))

    (result,) = slots.wait(0)

    assert result.is_lost
    assert "has not answered" in (result.void or "")
    assert len(slots.free()) == 1
    assert link.sent[0].is_forgotten


def test_a_slow_worker_with_longer_limits_is_given_up_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    link = FakeLink()
    link.join("slow", speed=0.5)
    machines = new_cluster(link)
    machines.is_scaled = True
    slots = ClusterSlots(machines)
    slots.submit(JOB)
    slots.wait(0)
    later_s = time.monotonic() + longest_s(JOB) + MARGIN_S + 1
    monkeypatch.setattr(cluster_slots, "time", _Clock(later_s))

    assert slots.wait(0) == []


class _Clock:
    def __init__(self, now_s: float) -> None:
        self._now_s = now_s

    def monotonic(self) -> float:
        return self._now_s


def test_a_lost_scheduler_makes_no_match_void(monkeypatch: pytest.MonkeyPatch) -> None:
    link, slots = two_workers()
    slots.submit(JOB)
    again = FakeLink()
    again.join("three")
    monkeypatch.setattr(slots._cluster, "_connect", lambda *_: again)

    link.is_connected = False

    assert [(r.job, r.is_returned) for r in results(slots, 1)] == [(JOB, True)]
    settle(slots)
    assert len(slots.free()) == 1
    said = "\n".join(slots.notices())
    assert "is lost; waiting for it" in said
    assert "is back" in said


def test_an_event_whose_scheduler_is_lost_runs_on_between_two_tries_to_reach_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It says at once what it waits for, and hears an interruption."""
    link, slots = two_workers()
    tries: list[object] = []

    def refuse(*where: object) -> None:
        tries.append(where)
        raise UsageError("no scheduler answers")

    monkeypatch.setattr(slots._cluster, "_connect", refuse)
    link.is_connected = False

    for number in range(3):
        assert slots.wait(0) == []
        assert len(tries) == number
    assert [text for text in slots.notices() if "waiting for it" in text]
    later_s = time.monotonic() + subject.GONE_S + 1
    monkeypatch.setattr(subject, "time", _Clock(later_s))
    with pytest.raises(MachineError, match="there is no scheduler at"):
        slots.wait(0)


def test_without_workers_for_long_the_event_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    link, slots = two_workers(one=1)
    link.lose("one")
    slots.wait(0.05)
    slots.wait(0)
    later_s = time.monotonic() + subject.GONE_S + 1
    monkeypatch.setattr(cluster_slots, "time", _Clock(later_s))

    with pytest.raises(MachineError, match="all workers are lost"):
        slots.wait(0)


CAST = Cast(bundle="b" * 64, content="c" * 64)


def with_bundle(slots: ClusterSlots) -> None:
    cluster = slots._cluster
    cluster.casts["ann", JOB.players[0].content] = CAST
    cluster._path(CAST.bundle).write_bytes(b"packed")


def test_a_bundle_is_sent_once_to_the_worker_that_lacks_it() -> None:
    link, slots = two_workers(one=2)
    with_bundle(slots)
    slots.submit(JOB)
    slots.submit(OTHER)

    link.lack(link.sent[0], CAST.bundle)
    link.lack(link.sent[1], CAST.bundle)
    slots.wait(0.05)
    slots.wait(0.05)

    assert [delivery.bundle for _, delivery in link.deliveries] == [CAST.bundle]
    assert [sent.keys for sent in link.open_tasks("one")] == [[JOB.key], [OTHER.key]]


def test_a_worker_without_the_toolchain_gets_only_what_it_can_play() -> None:
    link, slots = two_workers()
    link.unable["one"] = 'needs "cargo", which is not installed'
    with_bundle(slots)
    slots.submit(JOB)
    assert link.sent[0].worker == "one"

    link.lack(link.sent[0], CAST.bundle)
    for _ in range(3):
        slots.wait(0.05)
    slots.submit(BACK)

    assert link.open_tasks("one") == []
    assert len(link.open_tasks("two")) == 2


def test_a_bot_that_no_worker_can_start_ends_the_event_with_the_reasons() -> None:
    link, slots = two_workers(one=1)
    link.unable["one"] = 'needs "cargo", which is not installed'
    with_bundle(slots)
    slots.submit(JOB)
    link.lack(link.sent[0], CAST.bundle)

    with pytest.raises(EventError, match=r'install it on a worker.*\nworker one: needs "cargo"'):
        results(slots, 1)


def test_a_preflight_is_no_begun_event() -> None:
    link, slots = two_workers(one=1)
    link.unable["one"] = 'needs "cargo", which is not installed'
    trial = replace(BACK, key="preflight/cid")
    slots.submit(trial)
    link.end(link.sent[0], ended(trial))
    assert results(slots, 1)
    with_bundle(slots)
    slots.submit(JOB)
    link.lack(link.sent[1], CAST.bundle)

    with pytest.raises(EventError, match="no worker can play match"):
        results(slots, 1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"arena": "0.1.0 (00000000)"}, r"Arena 0\.1\.0 \(00000000\) there, .* here; install the"),
        ({"python": "3.9"}, "Python 3.9 there, 3"),
        ({"dask": "2024.1.0"}, "Dask 2024.1.0 there"),
    ],
)
def test_a_worker_with_other_versions_is_refused(changes: dict[str, str], said: str) -> None:
    link = FakeLink()
    link.join("old", **changes)  # type: ignore[arg-type]

    with pytest.raises(UsageError, match=said):
        new_cluster(link)


def test_a_worker_below_half_of_the_fastest_is_refused() -> None:
    link = FakeLink()
    link.join("fast", speed=1.0)
    link.join("slow", speed=0.49)

    cluster = new_cluster(link)

    assert [member.name for member in cluster.members.values()] == ["fast"]
    assert any("slow is refused: its speed 0.49" in line for line in cluster.notices())


@pytest.mark.parametrize("name", ["director", "Director"])
def test_no_worker_has_the_name_of_the_directors_machine(name: str) -> None:
    """Otherwise its results and those of the director's own machine could not be told apart."""
    link = FakeLink()
    link.join("good")
    link.join(name)

    cluster = new_cluster(link)

    assert [member.name for member in cluster.members.values()] == ["good"]
    assert f"worker {name} is refused: this is the name of" in "".join(cluster.notices())


def test_without_a_worker_the_message_has_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "WORKERS_S", 0.0)

    with pytest.raises(UsageError, match=r"no worker .* `arena worker 127.0.0.1:8786`"):
        new_cluster(FakeLink())


def closed(slots: ClusterSlots, link: FakeLink) -> list[Sent]:
    slots.close()
    return [sent for sent in link.sent if not sent.is_forgotten]


def test_closed_slots_forget_their_matches_so_that_workers_end_them() -> None:
    link, slots = two_workers()
    slots.submit(JOB)
    slots.submit(OTHER)

    assert closed(slots, link) == []


def test_a_worker_that_is_short_plays_fewer_matches_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 1000.0
    monkeypatch.setattr("arena.cluster.members.time.monotonic", lambda: now_s)
    link, slots = two_workers(one=2, two=2)
    one = next(each for each in slots._members() if each.name == "one")
    why = MatchEnd(JOB, void="too little memory", is_exhausted=True, is_short=True)
    voids = []
    for _ in range(2):
        slots._give(JOB, one)
        slots._flush(one)
        link.end(link.open_tasks("one")[0], why)
        (result,) = results(slots, 1)
        voids.append((result.is_alone, (result.void or "").partition("; ")[2]))
        sizes = [one.slots, one.window, one.free]

    assert voids == [
        (False, "it plays at most 1 match at once from now on"),
        (True, "it rests for 30 s"),
    ]
    assert sizes == [1, 1, 0]
    assert len(slots.free()) == 2
    now_s += members.REST_S
    assert len(slots.free()) == 3
