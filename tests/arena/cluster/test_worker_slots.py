"""A worker's machine, with pipes instead of referees."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from events import job_of
from fakes import FIRST, RESIGN, FakeBot, Say, played
from referees import REFEREES, Referee

from arena.bots import prepare
from arena.bots.manifest import Manifest, find_bot
from arena.cluster import worker_slots as subject
from arena.cluster.bundle import pack
from arena.cluster.orders import Batch, Cast, Delivery, MatchOrder, WorkerAnswer, dump, load
from arena.cluster.worker_slots import WorkerSlots, longest_s
from arena.event.slots import local_slots
from protocol.vocabulary import Termination
from referee.job import SECOND_NS, Job, TimeControl
from referee.records.match_end import MatchEnd
from referee.seats.deadline import MAX_EXTENSION
from referee.service.pipe import GO_ON_LINE, EndSplitter, read_end, take_back_line

JOB = job_of("ann", "bob")
MATCH = played(JOB, [FakeBot(), FakeBot(RESIGN)]).record.finished()


def batch(*jobs: Job, cast: Cast | None = None) -> bytes:
    orders = (MatchOrder(job=job, casts=(cast, None), event="cup") for job in jobs)
    return dump(Batch(orders=tuple(orders)))


ORDER = batch(JOB)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerSlots]:
    REFEREES.clear()
    monkeypatch.setattr(subprocess, "Popen", Referee)
    for module in (local_slots, subject):
        monkeypatch.setattr(module, "sweep", lambda spare: spare)
        monkeypatch.setattr(module, "remove_leftovers", lambda: None)
    opened = WorkerSlots([()], tmp_path, 1.0)
    yield opened
    opened.close()
    for referee in REFEREES:
        for pipe in (referee.stdin, referee.stdout, referee.heard, referee.said):
            pipe.close()
    REFEREES.clear()


def all_ends(data: bytes, *jobs: Job) -> list[MatchEnd]:
    average, _, text = data.partition(b"\n")
    assert float(average) >= 0
    return [read_end(end, job) for end, job in zip(EndSplitter().feed(text), jobs, strict=True)]


def ends(data: bytes) -> MatchEnd:
    (end,) = all_ends(data, JOB)
    return end


def test_a_match_is_played_by_a_referee_that_stays(machine: WorkerSlots) -> None:
    for number in (1, 2):
        REFEREES[0].says(MatchEnd(JOB, MATCH))
        assert ends(machine.play(f"task {number}", ORDER)).match == MATCH

    machine.end_idle(0)
    assert len(REFEREES) == 1


def test_referees_report_until_nobody_has_asked_for_long(
    machine: WorkerSlots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_slots.Slot, "reports", lambda _: [b"{}"])
    audience = int(REFEREES[0].command[-1].split(",")[0])

    assert machine.reports(7) == [b"{}"]
    machine.end_idle(3600)
    assert os.pread(audience, 1, 0) == b"\7"
    machine.end_idle(-1)
    assert os.pread(audience, 1, 0) == b"\0"


def test_a_dead_referee_makes_its_match_void_and_is_replaced(machine: WorkerSlots) -> None:
    REFEREES[0].dies(-9)

    assert ends(machine.play("task", ORDER)).void == "the referee ended: signal SIGKILL"

    REFEREES[1].says(MatchEnd(JOB, MATCH))
    assert ends(machine.play("again", ORDER)).match == MATCH


def test_a_released_task_does_not_play(machine: WorkerSlots) -> None:
    machine.stop("task")

    assert ends(machine.play("task", ORDER)).is_returned


def test_a_hung_referee_is_ended_at_the_limit_of_the_match(
    machine: WorkerSlots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "longest_s", lambda _: 0.0)

    assert "within its limit of 0 s" in (ends(machine.play("task", ORDER)).void or "")
    assert len(REFEREES) == 2


@pytest.mark.parametrize(
    "control",
    [
        {"wall_bank_ns": 60 * SECOND_NS},
        {"bank_ns": SECOND_NS, "bank_moves": 500, "increment_ns": 20_000_000},
        {"init_ns": 20 * SECOND_NS, "bank_ns": SECOND_NS},
    ],
)
def test_a_match_between_bots_that_wait_for_their_cores_keeps_within_its_limit(
    control: Any,
) -> None:
    job = replace(JOB, time=replace(TimeControl(), **control), max_plies=200)
    waiting = Say(FIRST, wall_ms=12_000, cpu_ms=0, queued={1: 1.0})

    match = played(job, [FakeBot(*[waiting] * 100) for _ in job.players])

    spent_ns = sum(call.wall_ns for call in match.record.calls)
    assert match.verdict.termination is Termination.TIMEOUT  # the bank of a seat is empty
    idle_ns = (1 + MAX_EXTENSION) * 2 * job.time.wall_allowed_ns
    assert idle_ns * 0.9 < spent_ns < longest_s(job) * SECOND_NS


def test_bots_kept_for_a_next_match_end_when_none_comes(machine: WorkerSlots) -> None:
    REFEREES[0].says(MatchEnd(JOB, MATCH))
    machine.play("task", batch(replace(JOB, restart="never")))

    machine.end_idle(3600)
    assert len(REFEREES) == 1
    machine.end_idle(0)
    assert len(REFEREES) == 2


def test_a_worker_says_which_bundles_it_lacks(machine: WorkerSlots) -> None:
    cast = Cast(bundle="b" * 64, content="c" * 64)

    said = machine.play("task", batch(JOB, cast=cast))

    assert load(WorkerAnswer, said.removeprefix(b"!")) == WorkerAnswer(missing=(cast.bundle,))


def fake_build(
    manifest: Manifest, command: list[str], files: Mapping[str, Path], place: Path, *_: object
) -> Path:
    """Give what a build leaves that changes nothing, without a process."""
    del manifest, command
    place.mkdir(exist_ok=True)
    result = place / "result"
    result.mkdir()
    for name, path in files.items():
        shutil.copy(path, result / name)
    return result


def emptied(folder: Path) -> None:
    shutil.rmtree(folder)


def replaced(folder: Path) -> None:
    (folder / "main").unlink()
    (folder / "main").write_text("#!/bin/sh\nexit\n")
    (folder / "main").chmod(0o755)


def written(folder: Path) -> None:
    before = (folder / "main").stat()
    (folder / "main").write_text("#!/bin/no\n")
    os.utime(folder / "main", ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("build", ["", "build: ['true']\n"])
@pytest.mark.parametrize("change", [emptied, replaced, written])
def test_a_bot_is_sent_again_to_a_worker_whose_copy_is_gone_or_changed(
    machine: WorkerSlots,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
    build: str,
) -> None:
    """In tier `none` a bot may change its own files, and with them its matches to come."""
    monkeypatch.setattr(prepare, "build", fake_build)
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "main").write_text("#!/bin/sh\n")
    (tmp_path / "ann" / "main").chmod(0o755)
    (tmp_path / "ann" / "bot.yaml").write_text(f"run: [./main]\n{build}")
    bundle = pack(find_bot("ann", tmp_path), ())
    cast = Cast(bundle=bundle.name, content=bundle.content, isolation="none")
    order = batch(JOB, cast=cast)
    delivery = dump(
        Delivery(
            bundle=bundle.name,
            content=bundle.content,
            isolation="none",
            network="deny",
            installations=(),
        )
    )
    for _ in range(2):
        said = machine.play("task", order)
        assert load(WorkerAnswer, said.removeprefix(b"!")).missing == (bundle.name,)
        assert load(WorkerAnswer, machine.deliver(delivery, bundle.data)) == WorkerAnswer()

        REFEREES[0].says(MatchEnd(JOB, MATCH))
        assert ends(machine.play("task", order)).match == MATCH
        (prepared,) = tmp_path.glob("*/ann-*")
        assert (prepared / "main").read_text() == "#!/bin/sh\n"
        (prepared / "__pycache__").mkdir()
        (prepared / "__pycache__" / "new").touch()
        change(prepared)


THREE = [replace(JOB, key=f"ann,bob/b{number}/0") for number in range(3)]


def finished(job: Job) -> MatchEnd:
    return MatchEnd(job, replace(MATCH, key=job.key))


def test_matches_sent_together_are_played_in_order_by_one_referee(machine: WorkerSlots) -> None:
    two = THREE[:2]
    REFEREES[0].says(*map(finished, two))

    assert all_ends(machine.play("task", batch(*two)), *two) == [finished(job) for job in two]
    assert len(REFEREES) == 1


def test_after_a_void_match_the_others_are_returned(machine: WorkerSlots) -> None:
    REFEREES[0].says(finished(THREE[0]))
    REFEREES[0].dies(-9)

    first, void, returned = all_ends(machine.play("task", batch(*THREE)), *THREE)

    assert first == finished(THREE[0])
    assert void.void == "the referee ended: signal SIGKILL"
    assert returned == MatchEnd(THREE[2], is_returned=True)


def test_after_a_fault_the_others_are_returned(machine: WorkerSlots) -> None:
    fault = replace(MATCH, seats=tuple(seat._replace(fault="crash") for seat in MATCH.seats))
    fault_end = MatchEnd(THREE[0], replace(fault, key=THREE[0].key))
    REFEREES[0].says(fault_end, *(MatchEnd(job, is_returned=True) for job in THREE[1:]))

    first, *others = all_ends(machine.play("task", batch(*THREE)), *THREE)

    assert first == fault_end
    assert others == [MatchEnd(job, is_returned=True) for job in THREE[1:]]
    heard = os.read(REFEREES[0].heard.fileno(), 1 << 20)
    assert heard.count(GO_ON_LINE) == 1  # no match behind the fault may begin


def test_matches_that_turn_out_long_are_returned(
    machine: WorkerSlots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "BATCH_S", -1.0)
    returned = [MatchEnd(job, is_returned=True) for job in THREE[1:]]
    REFEREES[0].says(finished(THREE[0]), *returned)

    first, *others = all_ends(machine.play("task", batch(*THREE)), *THREE)

    assert (first, others) == (finished(THREE[0]), returned)
    heard = os.read(REFEREES[0].heard.fileno(), 1 << 20)
    assert heard.endswith(b"".join(take_back_line(job.key) for job in THREE[1:]))


def test_matches_are_taken_back_while_a_long_one_runs(
    machine: WorkerSlots, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not after it: its referee would have begun the next one."""
    monkeypatch.setattr(subject, "BATCH_S", 0.0)
    returned = [MatchEnd(job, is_returned=True) for job in THREE[1:]]
    taken_back: list[int] = []

    def take_back(slot: local_slots.Slot) -> None:
        taken_back.append(len(slot.jobs))
        if len(taken_back) == 1:
            REFEREES[0].says(finished(THREE[0]), *returned)

    monkeypatch.setattr(local_slots.Slot, "take_back", take_back)

    assert all_ends(machine.play("task", batch(*THREE)), *THREE)[1:] == returned
    assert taken_back == [3]


def test_the_ends_of_a_referee_are_passed_on_unread(machine: WorkerSlots) -> None:
    said = b'2 what a later version says\nok0 {"key": "of another match"}\n'
    REFEREES[0].said.write(said)

    assert machine.play("task", batch(*THREE[:2])).partition(b"\n")[2] == said
    assert len(REFEREES) == 1


def test_a_referee_without_ends_is_not_passed_on(machine: WorkerSlots) -> None:
    REFEREES[0].said.write(b"hello\n")

    assert ends(machine.play("task", ORDER)).void == "the referee sent b'hello'"
    assert len(REFEREES) == 2


def test_no_start_is_too_long_for_a_match_that_has_waited_for_its_core() -> None:
    job = replace(JOB, time=TimeControl(start_ns=100 * SECOND_NS, wall_bank_ns=SECOND_NS))
    most_ns = (1 + MAX_EXTENSION) * len(job.players) * job.time.start_ns

    assert longest_s(job) * SECOND_NS > most_ns
