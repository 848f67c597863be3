"""Figures of a run: medians and percentiles, kept as JSON and compared with the run before."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Figure:
    """One measured number, with its bound if any."""

    name: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether the number is within its bound."""
        over = self.most is not None and self.value > self.most
        under = self.least is not None and self.value < self.least
        return not over and not under

    def line(self, before: float | None) -> str:
        """Return the figure as a line, with its bound and its previous value."""
        bound = ""
        if self.most is not None and self.least is not None:
            bound = f"{self.least:g} to {self.most:g}"
        elif self.most is not None:
            bound = f"at most {self.most:g}"
        elif self.least is not None:
            bound = f"at least {self.least:g}"
        mark = "" if self.is_met else "  <-- NOT MET"
        was = "" if before is None else f"was {before:,.6g}"
        value = f"{self.value:,.6g}"
        return f"{self.name:<58} {value:>12} {self.unit:<9} {bound:<16} {was}{mark}".rstrip()


def percentile(values: Iterable[float], part: float) -> float:
    """Return the value that `part` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def report(figures: Iterable[Figure], path: Path) -> bool:
    """Print the figures beside those of the last run, keep them; True if all bounds are met."""
    before = json.loads(path.read_text()) if path.exists() else {}
    kept = {}
    is_all_met = True
    for figure in figures:
        print(figure.line(before.get(figure.name)), flush=True)
        kept[figure.name] = figure.value
        is_all_met &= figure.is_met
        path.write_text(json.dumps({**before, **kept}, indent=1) + "\n")
    return is_all_met
