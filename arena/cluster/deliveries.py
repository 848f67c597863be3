"""Bundles on their way from the director to workers that lack them."""

from arena.cluster import tasks
from arena.cluster.cluster import Cluster
from arena.cluster.link import TaskDone
from arena.cluster.members import Member, Task
from arena.cluster.orders import Delivery, WorkerAnswer, cast_key, dump, load


class Deliveries:
    """Sends each bundle once to each worker that lacks it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._sent: dict[str, tuple[Member, str]] = {}
        """Worker and bundle of each delivery, by the key of its task."""

    def __contains__(self, key: str) -> bool:
        """Whether a task is a delivery that has not ended."""
        return key in self._sent

    def send(self, member: Member, task: Task, bundle: str) -> None:
        """Send a worker a bundle of a task, unless the bundle is on its way."""
        task.lacks.add(bundle)
        if bundle in member.sending:
            return
        keys = {cast_key(one) for job in task.jobs for one in job.programs()}
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
        self._sent[key] = (member, bundle)
        data = self._cluster.bundle(bundle)
        self._cluster.link.submit(key, member.address, tasks.deliver, dump(delivery), data)

    def end(self, done: TaskDone) -> tuple[Member, str] | None:
        """Take in the end of a delivery; return worker and bundle, None for a lost worker."""
        member, bundle = self._sent.pop(done.key)
        if done.is_lost or member.address not in self._cluster.members:
            return None  # the loss of the worker arrives by itself
        member.sending.discard(bundle)
        if done.error:
            member.unable[bundle] = done.error
        else:
            try:
                member.unable |= load(WorkerAnswer, done.data).unable
            except ValueError:
                member.unable[bundle] = "the answer of the worker is none"
        return member, bundle
