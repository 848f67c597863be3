"""Measure every claim about speed and memory: `make bench`, or parts of it by name.

Writes bench.json in the current folder and shows the values of the previous run. The exit code is 1
when a bound is not met. `languages` prints a separate table.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.charging import charging
from tests.bench.cluster import cluster
from tests.bench.coverage import coverage
from tests.bench.director import director
from tests.bench.event import event
from tests.bench.figures import Figure, report
from tests.bench.gates import gates
from tests.bench.isolation import isolation
from tests.bench.languages import languages
from tests.bench.ratings import ratings
from tests.bench.restarts import restarts
from tests.bench.rules import rules
from tests.bench.scale import scale
from tests.bench.throughput import throughput
from tests.bench.wire import round_trips

PARTS: dict[str, Callable[[Path], Iterator[Figure]]] = {
    "event": event,
    "wire": round_trips,
    "throughput": throughput,
    "restarts": restarts,
    "cluster": cluster,
    "charging": charging,
    "isolation": isolation,
    "director": director,
    "scale": scale,
    "rules": rules,
    "ratings": ratings,
    "coverage": coverage,
    "gates": gates,
}


def main() -> int:
    """Run the parts that were asked for, all of them by default."""
    if sys.argv[1:2] == ["languages"]:
        return languages(sys.argv[2:])
    names = sys.argv[1:] or list(PARTS)
    if unknown := [name for name in names if name not in PARTS]:
        print(f"no part {unknown[0]}; there are: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    is_all_met = True
    for name in names:
        print(f"-- {name}", flush=True)
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
            is_all_met &= report(PARTS[name](Path(folder)), Path("bench.json"))
    return 0 if is_all_met else 1


if __name__ == "__main__":
    sys.exit(main())
