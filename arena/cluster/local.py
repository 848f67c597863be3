"""A scheduler and workers as child processes of this one: the cluster `local:N`."""

import contextlib
import os
import subprocess
import sys

from arena.config.cluster import Address, parse_address
from arena.errors import MachineError
from referee.sandbox import SandboxDirectory

END_S = 10.0
_SCHEDULER, _WORKER = "scheduler", "worker"


class Children:
    """The processes of a cluster on this machine."""

    def __init__(self, workers: int, cores: int) -> None:
        """Start a scheduler and this number of workers of one slot; raises MachineError."""
        from arena.cluster.keys import write_keys

        self.workers = workers
        self._folder = SandboxDirectory()
        (self.keys,) = write_keys(self._folder.path / "keys", ["local"])
        self._cores = cores
        self._scheduler = self._start_scheduler("127.0.0.1:0")
        assert self._scheduler.stdout is not None  # noqa: S101 - a pipe was asked for
        line = self._scheduler.stdout.readline()
        if not line:
            self.close()
            raise MachineError("the scheduler cannot be started, see above")
        self.address: Address = parse_address(line.split()[-1])
        self._workers = [self._start_worker(number) for number in range(workers)]

    def pids(self) -> set[int]:
        """Return the PIDs of the scheduler and the workers."""
        return {process.pid for process in (self._scheduler, *self._workers)}

    def mend(self) -> list[str]:
        """Start killed processes again; return the news."""
        notices = []
        if self._scheduler.poll() is not None:
            self._scheduler = self._start_scheduler(str(self.address))
            notices.append("the scheduler has ended and is started again")
        for number, worker in enumerate(self._workers):
            if worker.poll() is not None:
                self._workers[number] = self._start_worker(number)
                notices.append(f"worker local-{number + 1} has ended and is started again")
        return notices

    def close(self) -> None:
        """End all processes."""
        everyone = [*getattr(self, "_workers", []), self._scheduler]
        for process in everyone:
            process.terminate()
        for process in everyone:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_S)
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
        self._folder.remove()

    def _start_scheduler(self, listen: str) -> subprocess.Popen[str]:
        return self._start(_SCHEDULER, listen, str(self.keys), stdout=subprocess.PIPE)

    def _start_worker(self, number: int) -> subprocess.Popen[str]:
        mine = sorted(os.sched_getaffinity(0))
        own = mine[number * self._cores : (number + 1) * self._cores]
        is_fitting = self.workers * self._cores <= len(mine)
        return self._start(
            _WORKER,
            str(self.address),
            str(self.keys),
            f"local-{number + 1}",
            ",".join(map(str, own)) if is_fitting else "",
            str(self._cores),
        )

    def _start(self, *arguments: str, stdout: int | None = None) -> subprocess.Popen[str]:
        command = [sys.executable, "-P", "-m", "arena.cluster.child", str(os.getpid()), *arguments]
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            start_new_session=True,  # Ctrl-C is for the director
            text=True,
        )
