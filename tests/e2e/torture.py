"""Kills directors, referees and wardens at random moments; looks at what is lost or left behind.

    make torture                                          every mode for a minute
    python tests/e2e/torture.py starts --minutes 5 --seed 3

events      events are killed and started again until they are complete (`tortured.py`)
starts      kills aimed at the start of bots (`starting.py`)
containers  both at the same time, and an arena in a container beside them, where one can be made:
            it has the same folders and control groups, and none may touch what is another's
cluster     an event on workers of this machine: workers, the scheduler, directors and referees
league      a league: its processes, examinations, builders and git, while hand-ins come

The exit code is 1 if anything was lost, doubled, changed or left behind.
"""

import argparse
import gc
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))  # pytest puts it there, `make torture` does not
from clustered import torture_cluster
from leagues_tortured import torture_league
from starting import kill_starts
from torture_damage import Damage
from tortured import CHAMBERS, side_by_side

CORES = len(os.sched_getaffinity(0))
_AS_ROOT = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
_AS_USER = (
    "bwrap",
    "--dev-bind",
    "/",
    "/",
    "--unshare-pid",
    "--proc",
    "/proc",
    "--die-with-parent",
)


def events(seconds: float, seed: int) -> Damage:
    """Kill events in several chambers for each core: most of them wait for the moment of a kill."""
    return side_by_side(seconds, seed, CHAMBERS * CORES)


def starts(seconds: float, seed: int) -> Damage:
    """Kill starts, in a process for each core."""
    return at_once([partial(kill_starts, seconds, seed=seed + n) for n in range(CORES)])


def containers(seconds: float, seed: int) -> Damage:
    """Kill events and starts here, and both in a container at the same time."""
    acts = [
        partial(side_by_side, seconds, seed, CORES),
        partial(kill_starts, seconds, seed=seed + CORES),
    ]
    if (container := _container()) is None:
        print("container  none can be made here")
    else:
        acts += [
            partial(_inside, container, "events", seconds, seed + 100),
            partial(_inside, container, "starts", seconds, seed + 200),
        ]
    return at_once(acts)


def cluster(seconds: float, seed: int) -> Damage:
    """Kill processes of events on a local cluster."""
    with tempfile.TemporaryDirectory() as name:
        return torture_cluster(Path(name), seconds=seconds, seed=seed).damage


def league(seconds: float, seed: int) -> Damage:
    """Kill processes of a league."""
    return torture_league(seconds, seed)


MODES: dict[str, Callable[[float, int], Damage]] = {
    "events": events,
    "starts": starts,
    "containers": containers,
    "cluster": cluster,
    "league": league,
}


def _container() -> tuple[str, ...] | None:
    """Return the command that runs another in a pid namespace, everything else being shared."""
    command = _AS_ROOT if os.geteuid() == 0 else _AS_USER
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run([*command, "/bin/true"], check=False, stderr=subprocess.DEVNULL)
    return command if done.returncode == 0 else None


def _inside(container: tuple[str, ...], mode: str, seconds: float, seed: int) -> Damage:
    script = f"import torture; print(torture.to_json(torture.MODES['{mode}']({seconds}, {seed})))"
    done = subprocess.run(
        [*container, sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        return Damage(unexpected=[f"{mode} in a container: exit code {done.returncode}"])
    return _from_json(done.stdout)


def at_once(acts: Sequence[Callable[[], Damage]]) -> Damage:
    """Run all tasks in parallel processes; return the total damage."""
    total = Damage()
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name, str(number)) for number in range(len(acts))]
        pids = [_forked(act, file) for act, file in zip(acts, files, strict=True)]
        for pid, file in zip(pids, files, strict=True):
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            if code:
                total.unexpected.append(f"a process ended with exit code {code}")
            else:
                total.add(_from_json(file.read_text()))
    return total


def _forked(act: Callable[[], Damage], file: Path) -> int:
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        gc.freeze()  # finalizers of the parent's objects would wait for threads that a fork lacks
        try:
            file.write_text(to_json(act()))
            os._exit(0)
        except Exception as error:  # noqa: BLE001 - it is shown, and this process ends
            print(repr(error), file=sys.stderr, flush=True)
        finally:
            os._exit(1)
    return pid


def to_json(damage: Damage) -> str:
    """Return all figures as one line."""
    return json.dumps(vars(damage))


def _from_json(text: str) -> Damage:
    found = json.loads(text)
    return Damage(**{**found, "kills": Counter(found["kills"])})


def main() -> None:
    """Torture in each mode that is asked for, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("modes", nargs="*", metavar="mode", help=", ".join(MODES))
    parser.add_argument("--minutes", type=float, default=1, help="of each mode")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    arguments = parser.parse_args()
    if unknown := set(arguments.modes) - set(MODES):
        parser.error(f"there is no mode {', '.join(sorted(unknown))}")
    print(f"seed       {arguments.seed}", flush=True)
    is_sound = True
    for mode in arguments.modes or MODES:
        damage = MODES[mode](arguments.minutes * 60, arguments.seed)
        print(f"mode       {mode}\n{damage}", flush=True)
        is_sound = is_sound and damage.is_none()
    sys.exit(not is_sound)


if __name__ == "__main__":
    main()
