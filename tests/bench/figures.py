"""Figures of a run: medians and percentiles, kept as JSON and compared with the run before."""

import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

BUSY = 0.3
"""Work of other programs, in cores, above which wall times mean little."""
LOOK_S = 0.5


@dataclass(frozen=True)
class Figure:
    """One measured number, with its bound if any."""

    name: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None
    floor: float | None = None
    """The same without any of Arena's work, measured in the same run."""
    of: float | None = None
    """The floor on the machine for which the bound was set."""

    @property
    def is_bounded(self) -> bool:
        """Whether the number has a bound."""
        return self.most is not None or self.least is not None

    @property
    def is_met(self) -> bool:
        """Whether the number is within its bound."""
        over = self.most is not None and self.value > self.most
        under = self.least is not None and self.value < self.least
        return not over and not under

    @property
    def excess(self) -> float:
        """Factor by which the number misses its bound; at most 1 within the bound."""
        over = 0.0 if self.most is None else self.value / self.most if self.most > 0 else 2.0
        under = 0.0 if self.least is None else self.least / max(self.value, 1e-9)
        return max(over, under)

    @property
    def bound(self) -> str:
        """The bound as text; empty without one."""
        if self.most is not None and self.least is not None:
            return f"{self.least:g}..{self.most:g}"
        if self.most is not None:
            return f"<= {number_text(self.most)}"
        return "" if self.least is None else f">= {number_text(self.least)}"

    @property
    def floors(self) -> str:
        """The number as a multiple of its floor, and the bound as one of the floor it was set for.

        On a slower machine the second shows what remains to be gained; the bound itself does not.
        """
        if self.floor is None:
            return ""
        measured = f"{self.value / self.floor:.2f}"
        if self.most is None or self.of is None:
            return measured
        return f"{measured} <= {self.most / self.of:.2f}"

    def line(self, before: float | None) -> str:
        """Return the figure as a line of 80 columns: bound and change since the previous run."""
        mark = "" if self.is_met else "NO"
        change = f"{100 * (self.value / before - 1):+.0f} %" if before else ""
        name = f"{self.name} ({self.unit})" if self.unit else self.name
        value = number_text(self.value)
        return f"{name:<48} {value:>9} {self.bound:<10} {mark:<2} {change:>7}".rstrip()


def number_text(value: float) -> str:
    """Return a number with at least three digits that matter."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def percentile(values: Iterable[float], part: float) -> float:
    """Return the value that `part` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def report(figures: Iterable[Figure], path: Path) -> list[Figure]:
    """Print the figures beside those of the last run, keep and return them."""
    before = json.loads(path.read_text()) if path.exists() else {}
    measured = []
    for figure in figures:
        print(figure.line(before.get(figure.name)), flush=True)
        measured.append(figure)
        kept = {each.name: each.value for each in measured}
        path.write_text(json.dumps({**before, **kept}, indent=1) + "\n")
    return measured


def busy_text() -> str:
    """Return what other programs take of this machine just now; empty if that is next to nothing.

    Only while nothing of this bench runs. The load average would count the bench itself, for
    minutes.
    """
    begun, busy = time.monotonic(), _busy_s()
    time.sleep(LOOK_S)
    cores = (_busy_s() - busy) / (time.monotonic() - begun)
    if cores <= BUSY:
        return ""
    return (
        f"this machine is busy: other programs use {cores:.1f} of {os.cpu_count()} cores;"
        "\ntrust CPU times and ratios only"
    )


def _busy_s() -> float:
    """Return the CPU time in s that this machine has worked since its start, or was taken away."""
    user, nice, system, _idle, _waiting, *rest = map(
        int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    )
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")
