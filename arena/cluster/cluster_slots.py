"""Slots on the workers of a cluster.

The director decides which worker plays a match and has never more than a few waiting on a worker
(`Member.window`), so that a lost worker costs few matches and a new one has work at once.
"""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.cluster import tasks
from arena.cluster.cluster import GONE_S, Cluster
from arena.cluster.link import TaskDone
from arena.cluster.live_reports import LiveReports
from arena.cluster.members import MatchGroups, Member, Task
from arena.cluster.orders import Batch, Delivery, MatchOrder, WorkerAnswer, dump, load
from arena.cluster.scaling import scaled
from arena.cluster.worker_slots import AT_ONCE, MARGIN_S, longest_s
from arena.errors import EventError, HostError
from arena.event.preflight import is_trial
from arena.event.slots import Result
from arena.results.workers import Worker
from referee.job import Job
from referee.pipe import JobEndReader

_SUSPICIOUS = 2
"""Number of workers lost with a match before the match is played alone on a worker."""


@dataclass(frozen=True)
class WorkerQueue:
    """The matches of one worker."""

    slots: "ClusterSlots"
    member: Member

    @property
    def jobs(self) -> Sequence[Job]:
        """The last begun match, and the matches behind."""
        first = [task.jobs[0] for task in self.member.running()[-1:]]
        behind = [job for task in self.member.behind() for job in task.jobs]
        return [*first, *behind, *self.member.outbox]

    def take_back(self) -> None:
        """Take back the matches not begun yet."""
        self.slots.take_back(self.member)


class ClusterSlots:
    """The slots of all workers, and a place on one of them: whichever suits a match best."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._reports = LiveReports(cluster)
        self._groups = MatchGroups()
        self._homeless: list[Job] = []
        """Matches without a worker that can play them now."""
        self._losses: Counter[str] = Counter()
        """Number of workers lost with a match, by its key."""
        self._results: list[Result] = []
        self._deliveries: dict[str, tuple[Member, str]] = {}
        self._alone_since_s: float | None = None
        self._has_played = False

    def free(self) -> list["ClusterSlots"]:
        """Return the places for matches to begin at once."""
        free = sum(member.free for member in self._members())
        return [self] * max(0, free - len(self._homeless))

    def ahead(self) -> list["ClusterSlots"]:
        """Return the places for the next matches: more of them, the shorter they are."""
        return [self] * sum(member.ahead for member in self._members())

    def queues(self) -> list[WorkerQueue]:
        """Return the workers with matches not begun yet."""
        members = self._members()
        return [WorkerQueue(self, member) for member in members if member.behind() or member.outbox]

    def running(self) -> list[Job]:
        """Return a match for each busy slot: the first of a batch."""
        jobs: list[Job] = []
        for member in self._members():
            tasks = member.running()
            jobs += [task.jobs[0] for task in tasks]
            jobs += member.outbox[: member.slots - len(tasks)]
        return [*jobs, *self._homeless]

    def submit(self, job: Job) -> None:
        """Give a match to its group's worker or a free one; short ones go with the next `wait`."""
        able = [member for member in self._members() if member.can_play(self._bundles(job))]
        if self._losses[job.key] >= _SUSPICIOUS:
            member = self._reserve(able)
        else:
            member = self._groups.member(job)
            if member not in able or member.is_reserved:
                usable = (one for one in able if not one.is_reserved)
                member = min(usable, key=lambda one: one.load, default=None)
        if member is None:
            self._homeless.append(job)
            return
        self._groups.put(job, member)
        member.outbox.append(job)
        if member.batch == 1 or self._losses[job.key]:
            self._flush(member)

    def take_back(self, member: Member) -> None:
        """Take back the matches of a worker not begun yet."""
        for task in member.behind():
            del member.tasks[task.key]
            self._forget(task)
            self._return(task.jobs)
        self._return(member.outbox)
        member.outbox = []

    def wait(self, seconds: float) -> list[Result]:
        """Return the available results, after waiting at most `seconds` for the first."""
        for member in self._members():
            self._flush(member)
        if not self._results:
            for event in self._cluster.next_events(seconds):
                if isinstance(event, TaskDone):
                    self._end(event)
                elif event.has_scheduler:
                    self._lose(event.member, f"worker {event.member.name} was lost")
                else:
                    self._take_all_back(event.member)
            self._look_for_hung()
            self._place_homeless()
        results, self._results = self._results, []
        self._has_played |= any(result.match and not is_trial(result.job) for result in results)
        return results

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
            task = Task(jobs, self._cluster.new_key(jobs[0].key))
            member.tasks[task.key] = task
            self._send(member, task)

    def _return(self, jobs: Iterable[Job]) -> None:
        self._results += [Result(job, None, is_returned=True) for job in jobs]

    def _members(self) -> list[Member]:
        return list(self._cluster.members.values())

    def _bundles(self, job: Job) -> set[str]:
        casts = self._cluster.casts
        keys = ((player.name, player.content) for player in job.programs())
        return {casts[key].bundle for key in keys if key in casts}

    def _send(self, member: Member, task: Task) -> None:
        casts = self._cluster.casts
        orders = (
            MatchOrder(
                job=job,
                casts=tuple(casts.get((one.name, one.content)) for one in job.programs()),
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
            self._end_delivery(*self._deliveries.pop(done.key), done)
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
            self._results.append(Result(task.jobs[0], None, void))
            self._return(task.jobs[1:])
        elif done.data.startswith(b"!"):
            self._supply(member, task, load(WorkerAnswer, done.data[1:]))
        else:
            self._finish(member, task)
            average, _, ends = done.data.partition(b"\n")
            member.average_s = float(average)
            jobs = {job.key: job for job in task.jobs}
            worker = Worker(member.name, member.description.speed)
            self._results += [
                Result(
                    jobs[end.key],
                    end.match,
                    end.void and f"{end.void} (on worker {member.name})",
                    end.suspect,
                    is_exhausted=end.is_exhausted,
                    is_returned=end.is_returned,
                    worker=worker,
                )
                for end in JobEndReader().feed(ends)
            ]

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
            task.lacks.add(bundle)
            if bundle not in member.sending:
                self._deliver(member, task, bundle)

    def _deliver(self, member: Member, task: Task, bundle: str) -> None:
        keys = {(one.name, one.content) for job in task.jobs for one in job.programs()}
        casts = map(self._cluster.casts.get, keys)
        cast = next(cast for cast in casts if cast and cast.bundle == bundle)
        delivery = Delivery(
            bundle=bundle,
            content=cast.content,
            isolation=cast.isolation,
            network=cast.network,
            installations=task.jobs[0].players[0].installations,
        )
        member.sending.add(bundle)
        key = self._cluster.new_key(f"bundle/{bundle[:16]}")
        self._deliveries[key] = (member, bundle)
        data = self._cluster.bundle(bundle)
        self._cluster.link.submit(key, member.address, tasks.deliver, dump(delivery), data)

    def _end_delivery(self, member: Member, bundle: str, done: TaskDone) -> None:
        if done.is_lost or member.address not in self._cluster.members:
            return  # the loss of the worker arrives by itself
        member.sending.discard(bundle)
        if done.error:
            member.unable[bundle] = done.error
        else:
            member.unable |= load(WorkerAnswer, done.data).unable
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
                    self._results.append(Result(job, None, why, is_lost=True, is_alone=alone))
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
                limit_s = sum(limits_s[-AT_ONCE:]) + MARGIN_S
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
            raise HostError(f"all workers are lost, for more than {GONE_S:.0f} s; start them again")

    def _refuse(self, job: Job) -> None:
        bundles = self._bundles(job)
        reasons = [
            f"worker {member.name}: {reason}"
            for member in self._members()
            for bundle, reason in member.unable.items()
            if bundle in bundles
        ]
        error = HostError if self._has_played else EventError
        cure = "install it on a worker, or leave the bot out"
        raise error("\n".join([f"no worker can play match {job.key}; {cure}", *reasons]))


class WorkerMachines(Cluster):
    """The workers of a scheduler as the machines of an event."""

    def open(self) -> ClusterSlots:
        """Return slots on the workers."""
        return ClusterSlots(self)
