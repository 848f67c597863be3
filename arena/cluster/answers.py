"""The answers of workers to the matches sent to them, read before anything is believed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.cluster.orders import WorkerAnswer, load
from referee.job import Job
from referee.match_end import MatchEnd, Worker
from referee.pipe import EndSplitter, read_end


@dataclass(frozen=True, kw_only=True)
class PlayedBatch:
    """The answer of a worker that has played matches."""

    average_s: float
    """Average time of a match in seconds."""
    ends: tuple[MatchEnd, ...]


def read_answer(data: bytes, jobs: Sequence[Job], worker: Worker) -> WorkerAnswer | PlayedBatch:
    """Return the answer to a batch with these matches; raises ValueError for any other."""
    if data.startswith(b"!"):
        return load(WorkerAnswer, data[1:])
    average, _, text = data.partition(b"\n")
    average_s = float(average)
    if not (math.isfinite(average_s) and average_s >= 0):
        raise ValueError("a time that is none")
    splitter = EndSplitter()
    ends = list(splitter.feed(text))
    if len(ends) != len(jobs) or not splitter.is_empty:
        raise ValueError("not one end for each match")
    read = (read_end(end, job) for end, job in zip(ends, jobs, strict=True))
    return PlayedBatch(average_s=average_s, ends=tuple(_on_worker(end, worker) for end in read))


def _on_worker(end: MatchEnd, worker: Worker) -> MatchEnd:
    """Return an end with its worker, where no remote bots play that could be out of reach."""
    void = end.void and f"{end.void} (on worker {worker.name})"
    return replace(end, void=void, is_absent=False, worker=worker)
