"""A director whose event a test advances step by step, and a server of its pages."""

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from events import keep, new_store
from preloaded import Preloaded

from arena.event.watch.watchers import Watchers
from referee.job import Job
from referee.records.record import Record

STEP_S = 0.05


@dataclass
class Stage:
    """An event in play: the test decides what runs, what is reported and what has ended."""

    folder: Path
    total: int
    running: Sequence[Record] = ()
    coming: Sequence[Job] = ()
    reports: list[bytes] = field(default_factory=list)
    said: dict[str, int] = field(default_factory=dict)
    """Number of the calls reported so far, by key."""
    kept: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def play(self, record: Record, calls: int) -> None:
        """Have the referee of a running match report its first calls."""
        with self.lock:
            self._report(record, self.said.get(record.job.key, 0), calls)
            self.said[record.job.key] = calls

    def begin(self, *records: Record, coming: Sequence[Job] = ()) -> None:
        """Have these matches running."""
        with self.lock:
            self.running, self.coming = records, coming

    def finish(self, record: Record) -> None:
        """Store a match."""
        with closing(new_store(self.folder)) as store:
            keep(store, 1, record)
        self.kept += 1

    def report_to(self, audience: int) -> None:
        """Report to a new audience from the start."""
        self.reports.clear()
        for record in self.running if audience else ():
            self._report(record, 0, self.said.get(record.job.key, 0))

    def take_reports(self) -> list[bytes]:
        found, self.reports = self.reports, []
        return found

    def _report(self, record: Record, first: int, last: int) -> None:
        calls = [asdict(call) for call in record.calls[first:last]]
        report = {"key": record.job.key, "run": 1, "first": first, "calls": calls}
        self.reports.append(json.dumps(report).encode())


class _Slots:
    """The stage as slots."""

    def __init__(self, stage: Stage) -> None:
        self.report_to = stage.report_to
        self.reports = stage.take_reports


@contextmanager
def directing(stage: Stage) -> Iterator[None]:
    """Serve watchers of the stage until the context ends."""
    is_over = threading.Event()
    watchers = Watchers(stage.folder / "arena.db", 1)

    def direct() -> None:
        while not is_over.is_set():
            with stage.lock:
                jobs = [record.job for record in stage.running]
                left = stage.total - stage.kept
                watchers.step(_Slots(stage), jobs, stage.coming, left=left, total=stage.total)
            time.sleep(STEP_S)

    thread = threading.Thread(target=direct)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        watchers.close()


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[str]:
    """Run a server, and yield what it prints at its start."""
    command = ["serve", "--db", "arena.db", *options]
    environment = {**os.environ, "TMPDIR": str(folder)}
    with Preloaded(command, cwd=folder, env=environment, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline()
        finally:
            server.kill()
