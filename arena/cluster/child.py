"""A scheduler or worker, ended with its parent process."""

import os
import signal
import sys
from pathlib import Path

from referee.sandbox import end_with_parent


def main() -> None:
    """Run `PARENT scheduler LISTEN KEYS` or `PARENT worker ADDRESS KEYS NAME CORES EACH`."""
    parent, role, address, keys, *rest = sys.argv[1:]
    end_with_parent(signal.SIGTERM)
    if int(parent) != os.getppid():
        raise SystemExit(0)
    from arena.config.cluster import parse_address

    if role == "scheduler":
        from arena.cluster.scheduler import run_scheduler

        run_scheduler(parse_address(address), Path(keys))
        return
    from arena.cluster.worker import WorkerTerms, run_worker

    name, own, each = rest
    if own:
        os.sched_setaffinity(0, {int(core) for core in own.split(",")})
    run_worker(
        WorkerTerms(
            scheduler=parse_address(address),
            slots=1,
            cores=int(each),
            name=name,
            keys=Path(keys),
            is_pinned=bool(own),
        )
    )


if __name__ == "__main__":
    main()
