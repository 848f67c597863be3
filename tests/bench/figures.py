"""Figures of a run: medians and percentiles, kept as JSON and compared with the run before."""

import json
import os
import time
from collections.abc import Iterable, Sequence
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

    def line(self, before: float | None) -> str:
        """Return the figure as a line of 80 columns: bound and change since the previous run."""
        bound = ""
        if self.most is not None and self.least is not None:
            bound = f"{self.least:g}..{self.most:g}"
        elif self.most is not None:
            bound = f"<= {self.most:g}"
        elif self.least is not None:
            bound = f">= {self.least:g}"
        mark = "" if self.is_met else "NO"
        change = f"{100 * (self.value / before - 1):+.0f} %" if before else ""
        name = f"{self.name} ({self.unit})" if self.unit else self.name
        return f"{name:<50} {_number(self.value):>9} {bound:<8} {mark:<2} {change:>7}".rstrip()


def _number(value: float) -> str:
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


def summary(part: str, figures: Sequence[Figure]) -> list[str]:
    """Return the result of a part in a line, and then each figure that is not within its bound."""
    bounded = [figure for figure in figures if figure.is_bounded]
    missed = [figure for figure in bounded if not figure.is_met]
    head = f"{part}: {len(bounded) - len(missed)} of {len(bounded)} bounds met"
    return [head, *(f"  {figure.line(None)}" for figure in missed)]


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
