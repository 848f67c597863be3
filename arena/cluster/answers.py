"""The answers of workers to the matches sent to them, read before anything is believed."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from arena.cluster.orders import WorkerAnswer, load
from arena.event.slots import Result
from arena.results.workers import Worker
from referee.job import Job
from referee.pipe import JobEnd, JobEndReader


@dataclass(frozen=True, kw_only=True)
class PlayedBatch:
    """The answer of a worker that has played matches."""

    average_s: float
    """Average time of a match in seconds."""
    ends: tuple[JobEnd, ...]

    def results(self, jobs: Mapping[str, Job], worker: Worker) -> list[Result]:
        """Return the results of these matches, by their keys, on a worker."""
        return [
            Result(
                jobs[end.key],
                end.match,
                end.void and f"{end.void} (on worker {worker.name})",
                end.suspect,
                is_exhausted=end.is_exhausted,
                is_short=end.is_short,
                is_returned=end.is_returned,
                worker=worker,
            )
            for end in self.ends
        ]


def read_answer(data: bytes, keys: Collection[str]) -> WorkerAnswer | PlayedBatch:
    """Return the answer to a batch with the matches `keys`; raises ValueError for any other."""
    if data.startswith(b"!"):
        return load(WorkerAnswer, data[1:])
    average, _, text = data.partition(b"\n")
    played = PlayedBatch(average_s=float(average), ends=tuple(JobEndReader().feed(text)))
    if not (math.isfinite(played.average_s) and played.average_s >= 0):
        raise ValueError("a time that is none")
    if sorted(end.key for end in played.ends) != sorted(keys):
        raise ValueError("not one end for each match")
    return played
