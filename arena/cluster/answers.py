"""The answers of workers to the matches sent to them, read before anything is believed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.cluster.orders import WorkerAnswer, load
from referee.job import Job
from referee.records.match_end import MatchEnd, Worker
from referee.service.pipe import EndSplitter, read_end


@dataclass(frozen=True, kw_only=True)
class PlayedBatch:
    """The answer of a worker that has played matches."""

    average_s: float
    """Average time of a match in seconds."""
    ends: tuple[MatchEnd, ...]


def read_answer(
    data: bytes, jobs: Sequence[Job], worker: Worker, bundles: set[str]
) -> WorkerAnswer | PlayedBatch:
    """Return the answer to a batch with these matches; raises ValueError for any other.

    `bundles` are those of the matches: of no others can the worker say that it lacks them.
    """
    if data.startswith(b"!"):
        answer = load(WorkerAnswer, data[1:])
        if not bundles >= {*answer.missing, *answer.unable}:
            raise ValueError("it is about bots of no match of this worker")
        return answer
    spent, _, text = data.partition(b"\n")
    spent_s = float(spent)
    if not (math.isfinite(spent_s) and spent_s >= 0):
        raise ValueError("a time that is none")
    splitter = EndSplitter()
    said = list(splitter.feed(text))
    if len(said) != len(jobs) or not splitter.is_empty:
        raise ValueError("not one end for each match")
    read = (read_end(one, job) for one, job in zip(said, jobs, strict=True))
    ends = tuple(_on_worker(end, worker) for end in read)
    played = sum(not end.is_returned for end in ends)
    return PlayedBatch(average_s=spent_s / max(1, played), ends=ends)


def _on_worker(end: MatchEnd, worker: Worker) -> MatchEnd:
    """Return an end with its worker, where no remote bots play that could be out of reach."""
    void = end.void and f"{end.void} (on worker {worker.name})"
    return replace(end, void=void, is_absent=False, worker=worker)
