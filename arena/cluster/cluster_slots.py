"""Slots on the workers of a cluster.

The director decides which worker plays a match and has never more than a few waiting on a worker
(`Member.window`), so that a lost worker costs few matches and a new one has work at once.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from arena.cluster import tasks
from arena.cluster.answers import read_answer
from arena.cluster.cluster import GONE_S, Cluster
from arena.cluster.deliveries import Deliveries
from arena.cluster.link import TaskDone
from arena.cluster.live_reports import LiveReports
from arena.cluster.members import MatchGroups, Member, Task
from arena.cluster.orders import Batch, MatchOrder, WorkerAnswer, cast_key, dump
from arena.cluster.scaling import scaled
from arena.cluster.worker_slots import MARGIN_S, longest_s
from arena.errors import EventError, MachineError
from arena.event.play.preflight import is_trial
from referee.job import Job
from referee.records.match_end import MatchEnd, Worker

_SUSPICIOUS = 2
"""Number of workers lost with a match before the match is played alone on a worker."""
_LONG = 2
"""Matches of a batch that may take long: the one after which it ends, and one begun meanwhile."""
MOST_HELD = 64
"""Limit of matches that wait for the worker of their group before an idle one takes them."""


@dataclass(frozen=True)
class MatchesBehind:
    """A running match, and the matches that wait behind it."""

    jobs: Sequence[Job]
    take_back: Callable[[], None]


class ClusterSlots:
    """The slots of all workers, and a place on one of them: whichever suits a match best."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._reports = LiveReports(cluster)
        self._groups = MatchGroups()
        self._homeless: list[Job] = []
        """Matches without a worker that can play them now."""
        self._held: list[Job] = []
        """Matches that wait until the worker of their group, or any other, has a place."""
        self._is_supplied = False
        """Whether matches were submitted since the last `wait`."""
        self._losses: Counter[str] = Counter()
        """Number of workers lost with a match, by its key."""
        self._ends: list[MatchEnd] = []
        self._deliveries = Deliveries(cluster)
        self._alone_since_s: float | None = None
        self._has_played = False

    @property
    def is_full(self) -> bool:
        """Whether as many matches wait for their workers as may; others stay on the agenda."""
        return len(self._held) >= MOST_HELD

    def free(self) -> list["ClusterSlots"]:
        """Return the places for matches to begin at once."""
        if self.is_full:
            return []
        free = sum(member.free for member in self._members())
        return [self] * max(0, free - len(self._homeless))

    def ahead(self) -> list["ClusterSlots"]:
        """Return the places for the next matches: more of them, the shorter they are."""
        return [] if self.is_full else [self] * sum(member.ahead for member in self._members())

    def queues(self) -> list[MatchesBehind]:
        """Return the matches not begun yet, those of each worker behind its last begun one."""
        queues = []
        for member in self._members():
            behind = [job for task in member.behind() for job in task.jobs]
            if waiting := [*behind, *member.outbox]:
                first = [task.jobs[0] for task in member.running()[-1:]]
                queues.append(
                    MatchesBehind([*first, *waiting], partial(self._take_back_from, member))
                )
        if self._held:
            queues.append(MatchesBehind([*self.running()[:1], *self._held], self._take_back_held))
        return queues

    def running(self) -> list[Job]:
        """Return a match for each busy slot: the first of a batch."""
        jobs: list[Job] = []
        for member in self._members():
            tasks = member.running()
            jobs += [task.jobs[0] for task in tasks]
            jobs += member.outbox[: max(0, member.slots - len(tasks))]
        return [*jobs, *self._homeless]

    def submit(self, job: Job) -> None:
        """Give a match to its group's worker or a free one; short ones go with the next `wait`."""
        self._is_supplied = True
        self._place(job)

    def wait(self, seconds: float) -> list[MatchEnd]:
        """Return the ends that are known, after waiting at most `seconds` for the first."""
        for member in self._members():
            self._flush(member)
        if not self._ends:
            for event in self._cluster.next_events(seconds):
                if isinstance(event, TaskDone):
                    self._end(event)
                elif event.has_scheduler:
                    self._lose(event.member, f"worker {event.member.name} was lost")
                else:
                    self._take_all_back(event.member)
            self._look_for_hung()
            self._place_homeless()
            self._place_held()
        ends, self._ends = self._ends, []
        self._has_played |= any(end.match and not is_trial(end.job) for end in ends)
        return ends

    def report_to(self, audience: int) -> None:
        """Have the running matches reported to a new audience; 0 is nobody."""
        self._reports.report_to(audience)

    def reports(self) -> list[bytes]:
        """Return the reports of running matches that have arrived."""
        return self._reports.arrived()

    def notices(self) -> list[str]:
        """Return the news of the workers."""
        return self._cluster.notices()

    def close(self) -> None:
        """Forget all matches; their workers end them."""
        for member in self._members():
            for task in member.tasks.values():
                self._forget(task)
            member.tasks.clear()
            member.outbox.clear()
        self._homeless.clear()
        self._held.clear()

    def _place(self, job: Job) -> None:
        """Give a match to a worker, or keep it until one has a place for it or can play it."""
        able = [member for member in self._members() if member.can_play(self._bundles(job))]
        usable = [member for member in able if not member.is_reserved]
        if self._losses[job.key] >= _SUSPICIOUS:
            member = self._reserve(able)
        else:
            member = self._groups.member(job)
            if member not in usable:
                member = min(usable, key=lambda one: (not one.has_place, one.load), default=None)
            if member is not None and not member.has_place:
                self._held.append(job)
                return
        if member is None:
            self._homeless.append(job)
        else:
            self._give(job, member)

    def _give(self, job: Job, member: Member) -> None:
        self._groups.put(job, member)
        member.outbox.append(job)
        if member.batch == 1 or self._losses[job.key]:
            self._flush(member)

    def _place_held(self) -> None:
        """Send held matches to workers with a place; share them if no others are submitted."""
        held, self._held = self._held, []
        for job in held:
            self._place(job)
        if not self._is_supplied:
            self._share_held()
        self._is_supplied = False

    def _share_held(self) -> None:
        """Give workers with a free slot the held matches that other workers have too many of."""
        for member in self._members():
            for _ in range(member.free):
                surplus = self._groups.surplus(self._held)
                playable = (job for job in surplus if member.can_play(self._bundles(job)))
                if (job := next(playable, None)) is None:
                    break
                self._held.remove(job)
                self._give(job, member)

    def _take_back_from(self, member: Member) -> None:
        """Take back the matches of a worker not begun yet."""
        for task in member.behind():
            del member.tasks[task.key]
            self._forget(task)
            self._return(task.jobs)
        self._return(member.outbox)
        member.outbox = []

    def _take_back_held(self) -> None:
        self._return(self._held)
        self._held = []

    def _reserve(self, able: Sequence[Member]) -> Member | None:
        """Return an idle worker for a suspicious match alone; otherwise reserve one."""
        if member := next((one for one in able if one.is_idle), None):
            member.is_reserved = True
            return member
        if able and not any(one.is_reserved for one in able):
            min(able, key=lambda one: one.load).is_reserved = True
        return None

    def _flush(self, member: Member) -> None:
        """Send a worker the matches in its outbox."""
        alone = [job for job in member.outbox if self._losses[job.key]]
        member.outbox = [job for job in member.outbox if job not in alone]
        for jobs in (*([job] for job in alone), *member.batches()):
            key = self._cluster.new_key(jobs[0].key)
            task = Task(jobs, key, begun_under=member.slots)
            member.tasks[task.key] = task
            self._send(member, task)

    def _return(self, jobs: Iterable[Job]) -> None:
        self._ends += [MatchEnd(job, is_returned=True) for job in jobs]

    def _members(self) -> list[Member]:
        return list(self._cluster.members.values())

    def _bundles(self, *jobs: Job) -> set[str]:
        casts = self._cluster.casts
        keys = [cast_key(one) for job in jobs for one in job.programs()]
        return {casts[key].bundle for key in keys if key in casts}

    def _send(self, member: Member, task: Task) -> None:
        casts = self._cluster.casts
        orders = (
            MatchOrder(
                job=job,
                casts=tuple(casts.get(cast_key(one)) for one in job.programs()),
                event=self._cluster.name,
                is_scaled=self._cluster.is_scaled,
            )
            for job in task.jobs
        )
        batch = dump(Batch(orders=tuple(orders)))
        task.future = self._cluster.link.submit(task.key, member.address, tasks.play, batch)

    def _forget(self, task: Task) -> None:
        if task.future is not None:
            self._cluster.link.cancel(task.future)

    def _end(self, done: TaskDone) -> None:
        """Take in the end of a task, unless the task was given up."""
        if done.key in self._deliveries:
            self._end_delivery(done)
            return
        for member in self._members():
            if (task := member.tasks.get(done.key)) is not None:
                break
        else:
            return
        if done.is_lost and not self._cluster.link.is_up():
            return  # the loss of the scheduler arrives by itself
        if done.is_lost:
            self._cluster.drop(member, "is lost")
            self._lose(member, f"worker {member.name} was lost")
        elif done.error:
            self._finish(member, task)
            void = f"worker {member.name}: {done.error}"
            self._ends.append(MatchEnd(task.jobs[0], void=void))
            self._return(task.jobs[1:])
        else:
            self._take(member, task, done.data)

    def _take(self, member: Member, task: Task, data: bytes) -> None:
        """Take in the answer of a worker; one that sends none of an answer counts as lost."""
        worker = Worker(member.name, member.description.speed)
        try:
            answer = read_answer(data, task.jobs, worker, self._bundles(*task.jobs))
        except ValueError as error:
            what = str(error).partition("\n")[0]
            self._cluster.drop(member, f"is used no more: its answer is none: {what}")
            self._lose(member, f"worker {member.name} sent a wrong answer")
            return
        if isinstance(answer, WorkerAnswer):
            self._supply(member, task, answer)
            return
        self._finish(member, task)
        member.average_s = answer.average_s
        self._ends += [member.after(end, task) for end in answer.ends]

    def _finish(self, member: Member, task: Task) -> None:
        del member.tasks[task.key]
        member.is_reserved &= not member.is_idle

    def _supply(self, member: Member, task: Task, answer: WorkerAnswer) -> None:
        """Send a worker its missing bundles, or its unplayable matches elsewhere."""
        task.future = None
        member.unable |= answer.unable
        if answer.unable:
            self._move_unable(member)
        for bundle in answer.missing:
            self._deliveries.send(member, task, bundle)

    def _end_delivery(self, done: TaskDone) -> None:
        if (delivered := self._deliveries.end(done)) is None:
            return
        member, bundle = delivered
        self._move_unable(member)
        for task in member.tasks.values():
            if bundle in task.lacks:
                task.lacks.discard(bundle)
                if not task.lacks:
                    self._send(member, task)

    def _move_unable(self, member: Member) -> None:
        """Send the unplayable matches of a worker elsewhere."""
        for task in list(member.tasks.values()):
            if not all(member.can_play(self._bundles(job)) for job in task.jobs):
                self._finish(member, task)
                self._forget(task)
                for job in task.jobs:
                    self.submit(job)

    def _lose(self, member: Member, why: str) -> None:
        """Make the running matches of a lost worker void, and take back the others."""
        alone = len(member.tasks) == 1 or member.slots == 1
        for task in member.running():
            if not task.lacks:
                self._losses.update(job.key for job in task.jobs)
                if len(task.jobs) == 1:  # of several, it is not known which one was running
                    job = task.jobs.pop()
                    self._ends.append(MatchEnd(job, void=why, is_lost=True, is_alone=alone))
        self._take_all_back(member)

    def _take_all_back(self, member: Member) -> None:
        """Take back all matches of a worker after its loss, or its scheduler's."""
        for task in member.tasks.values():
            self._forget(task)
            self._return(task.jobs)
        self._return(member.outbox)
        member.tasks.clear()
        member.outbox.clear()
        self._groups.forget(member)

    def _look_for_hung(self) -> None:
        """Give up a worker whose match has not ended long after its limit."""
        now_s = time.monotonic()
        for member in self._members():
            for task in member.running():
                task.since_s = now_s if task.since_s is None else task.since_s
                jobs = task.jobs
                if self._cluster.is_scaled:
                    jobs = [scaled(job, member.description.speed) for job in jobs]
                limits_s = sorted(map(longest_s, jobs))
                limit_s = sum(limits_s[-_LONG:]) + MARGIN_S
                if now_s - task.since_s > limit_s:
                    self._cluster.drop(member, "does not answer and gets no more matches")
                    self._lose(member, f"worker {member.name} has not answered for {limit_s:.0f} s")
                    break

    def _place_homeless(self) -> None:
        """Send waiting matches to workers; raise an error if no worker will do."""
        homeless, self._homeless = self._homeless, []
        for job in homeless:
            self.submit(job)
        if members := self._members():
            self._alone_since_s = None
            if self._homeless and not any(member.is_reserved for member in members):
                self._refuse(self._homeless[0])
            return
        now_s = time.monotonic()
        self._alone_since_s = now_s if self._alone_since_s is None else self._alone_since_s
        if now_s - self._alone_since_s > GONE_S:
            raise MachineError(
                f"all workers are lost, for more than {GONE_S:.0f} s; start them again"
            )

    def _refuse(self, job: Job) -> None:
        bundles = self._bundles(job)
        reasons = [
            f"worker {member.name}: {reason}"
            for member in self._members()
            for bundle, reason in member.unable.items()
            if bundle in bundles
        ]
        error = MachineError if self._has_played else EventError
        cure = "install it on a worker, or leave the bot out"
        raise error("\n".join([f"no worker can play match {job.key}; {cure}", *reasons]))


class WorkerMachines(Cluster):
    """The workers of a scheduler as the machines of an event."""

    def open(self) -> ClusterSlots:
        """Return slots on the workers."""
        return ClusterSlots(self)
