"""Measure every claim about speed and memory: `make bench`, or parts of it by name.

A whole event comes first, then its parts; the last screen has what matters, and says whether the
machine was busy. Writes bench.json in the current folder and shows the change since the previous
run. The exit code is 1 when a bound is not met. `languages` prints a separate table.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.bridges import bridges
from tests.bench.charging import charging
from tests.bench.cluster import cluster
from tests.bench.commands import commands
from tests.bench.coverage import coverage
from tests.bench.director import director
from tests.bench.engines import engines
from tests.bench.event import event
from tests.bench.figures import Figure, busy_text, report
from tests.bench.gates import gates
from tests.bench.hand_ins import hand_ins
from tests.bench.isolation import isolation
from tests.bench.ladder import ladder
from tests.bench.languages import languages
from tests.bench.learners import learners
from tests.bench.load import load
from tests.bench.open_spiel import open_spiel
from tests.bench.pages import pages
from tests.bench.ratings import ratings
from tests.bench.restarts import restarts
from tests.bench.rules import rules
from tests.bench.scale import scale
from tests.bench.screen import screen
from tests.bench.soak import soak
from tests.bench.throughput import throughput
from tests.bench.tuning import tuning
from tests.bench.watching import watching
from tests.bench.wire import round_trips

PARTS: dict[str, Callable[[Path], Iterator[Figure]]] = {
    "event": event,
    "commands": commands,
    "wire": round_trips,
    "bridges": bridges,
    "throughput": throughput,
    "open_spiel": open_spiel,
    "learners": learners,
    "restarts": restarts,
    "cluster": cluster,
    "charging": charging,
    "watching": watching,
    "pages": pages,
    "isolation": isolation,
    "director": director,
    "scale": scale,
    "rules": rules,
    "ratings": ratings,
    "hand_ins": hand_ins,
    "ladder": ladder,
    "load": load,
    "soak": soak,
    "coverage": coverage,
    "gates": gates,
    "tuning": tuning,
    "engines": engines,
}


def main() -> int:
    """Run the parts that were asked for, all of them by default."""
    if sys.argv[1:2] == ["languages"]:
        return languages(sys.argv[2:])
    # without it, every command and every bot would compile its modules again
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    names = sys.argv[1:] or list(PARTS)
    if unknown := [name for name in names if name not in PARTS]:
        print(f"no part {unknown[0]}; there are: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    results: dict[str, list[Figure]] = {}
    busy = []
    for name in names:
        print(f"-- {name}", flush=True)
        if text := busy_text():
            print(text, flush=True)
            busy.append(name)
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
            results[name] = report(PARTS[name](Path(folder)), Path("bench.json"))
    print("\n".join(["", *screen(results, busy)]))
    return 0 if all(figure.is_met for figures in results.values() for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
