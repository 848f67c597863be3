"""The results of a bench on one screen of 80 columns and 24 rows.

The whole event comes first, a row for each of its bounds. Of every other part that misses a bound
there is a row with the worst miss; the parts within their bounds share the last lines.
"""

import textwrap
from collections.abc import Mapping, Sequence

from tests.bench.figures import Figure, number_text

COLUMNS, ROWS = 79, 23
"""Size of the text: a row of the terminal is left for the prompt."""
WIDE = 38
"""Columns of a name."""
FIRST = "event"
"""Part with a row for each bound."""


def screen(results: Mapping[str, Sequence[Figure]], busy: Sequence[str]) -> list[str]:
    """Return the lines for the figures of all parts; `busy` are the parts begun on a busy machine.

    Parts that do not fit are counted.
    """
    bounded = {
        part: [figure for figure in figures if figure.is_bounded]
        for part, figures in results.items()
    }
    every = [figure for figures in bounded.values() for figure in figures]
    head = f"{sum(figure.is_met for figure in every)} of {len(every)} bounds met"
    lines = [f"{head}; {_busy_text(busy)}", _columns("", "measured", "bound", "x floor", "")]
    lines += [_row(figure) for figure in bounded.get(FIRST, [])]
    met, rest = [], []
    for part, figures in bounded.items():
        missed = [figure for figure in figures if not figure.is_met]
        if not missed:
            met.append(f"{part} {len(figures)}")
        elif part != FIRST:
            more = f" +{len(missed) - 1}" if len(missed) > 1 else ""
            rest.append(_row(max(missed, key=lambda figure: figure.excess), f"{part}{more}: "))
    end = textwrap.wrap(f"within all bounds: {', '.join(met)}", COLUMNS) if met else []
    room = ROWS - len(lines) - len(end)
    if len(rest) > room:
        rest = [*rest[: room - 1], f"and {len(rest) - room + 1} more parts with a missed bound"]
    return [*lines, *rest, *end]


def _busy_text(parts: Sequence[str]) -> str:
    if not parts:
        return "the machine was quiet"
    others = f" and {len(parts) - 1} more" if len(parts) > 1 else ""
    return f"BUSY before {parts[0]}{others}: trust CPU and ratios"


def _row(figure: Figure, before: str = "") -> str:
    name = f"{before}{figure.name.removeprefix(f'{FIRST}, ')}"
    if len(name) > WIDE:
        name = f"{name[: WIDE - 3]}..."
    measured = f"{number_text(figure.value)} {figure.unit}".rstrip()
    return _columns(name, measured, figure.bound, figure.floors, "" if figure.is_met else "NO")


def _columns(name: str, measured: str, bound: str, floors: str, mark: str) -> str:
    return f"{name:<{WIDE}}{measured:>12}{bound:>12}{floors:>14} {mark}".rstrip()
