"""A tuning as text: what it is about to do, how far it is, and what it has found."""

from collections.abc import Iterator, Sequence

from arena.bots.settings import Settings
from arena.results.secrecy import seed_part
from arena.shell_words import db_option
from arena.text import given, plural, rough, table
from arena.tune.finding import Finding
from arena.tune.grid import Point
from arena.tune.optimum import Interval
from arena.tune.spsa import MOST_EMPTY, Parameter
from arena.tune.tune import Tune

MOST_POINTS = 20
"""Limit of points of a grid shown as text, the best ones."""


def settings_text(settings: Settings) -> str:
    """Return settings in one line, like "depth 4, margin 51.5"."""
    return ", ".join(f"{name} {text}" for name, text in settings.items())


def plan_text(tune: Tune) -> str:
    """Return what a tuning will play, with the gains of each parameter."""
    section = tune.section
    if tune.is_grid:
        count = len(tune.grid)
        head = f"grid of {plural(count, 'point')}, each in {plural(section.pairs or 1, 'pair')}"
        rows = [
            [each.name, rough(each.start), ", ".join(_values(tune, each))]
            for each in tune.parameters
        ]
        return f"{head} against the base\n{table(['parameter', 'base', 'values'], rows, left=3)}"
    gains, last = tune.gains, tune.gains.iterations - 1
    rows = [
        [
            each.name,
            "whole" if each.is_whole else "real",
            *map(given, (each.start, each.low, each.high)),
            f"{rough(gains.reach(each, 0))} .. {rough(gains.reach(each, last))}",
            f"{_moved(tune, each, 0)} .. {_moved(tune, each, last)}",
        ]
        for each in tune.parameters
    ]
    head = (
        f"spsa of {plural(gains.iterations, 'iteration')}, each of"
        f" {plural(section.pairs or 1, 'pair')}; A {gains.stability:g}, alpha {gains.alpha:g},"
        f" gamma {gains.gamma:g}"
    )
    header = ["parameter", "kind", "start", "min", "max", "tested at +-", "a won match moves"]
    return f"{head}\n{table(header, rows, left=2)}"


def _values(tune: Tune, parameter: Parameter) -> Iterator[str]:
    for value in tune.section.parameters[parameter.name].points():
        yield parameter.text(parameter.nearest(value))


def _moved(tune: Tune, parameter: Parameter, k: int) -> str:
    return rough(tune.gains.step(parameter, k) / tune.gains.reach(parameter, k))


def headline(finding: Finding) -> str:
    """Return the finding in one sentence."""
    tune = finding.tune
    if finding.is_stuck:
        return (
            f"tuning of {tune.bot} STOPPED: {MOST_EMPTY} pairs in a row had faults or stayed void;"
            " narrow the ranges to values with which the bot works"
        )
    if not finding.is_ended:
        return f"tuning of {tune.bot}, unfinished: {settings_text(finding.tuned)} so far"
    if not finding.is_better:
        return f"tuned {tune.bot}: the start values stay, {settings_text(finding.tuned)}"
    return f"tuned {tune.bot}: {settings_text(finding.tuned)}"


def facts(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield the facts behind the finding, as names and texts."""
    tune = finding.tune
    for name, text in finding.tuned.items():
        yield name, f"{tune.start[name]} -> {text}{_best(finding, name)}"
    ended = finding.pairs // (tune.section.pairs or 1)
    if tune.is_grid:
        yield "points", f"{len(finding.points)}, {plural(finding.pairs, 'pair')}"
    else:
        yield "iterations", f"{ended} of {tune.gains.iterations}"
    yield "played", f"{plural(finding.played, 'match')}{_empty(finding)}"


def finding_text(finding: Finding) -> str:
    """Return the finding as text: values, errors, and further commands."""
    named = list(facts(finding))
    width = max(len(name) for name, _ in named)
    lines = [headline(finding), "", *(f"{name:<{width}}  {fact}" for name, fact in named)]
    if finding.points:
        lines += ["", points_text(finding.points)]
    db = db_option(finding.db)
    event = finding.event
    lines += [
        "",
        f"results: {finding.db}, event {event.id}{seed_part(event, ';')}",
        f"chart: arena report {event.id}{db}",
    ]
    return "\n".join(lines)


def points_text(points: Sequence[Point]) -> str:
    """Return the best points of a grid as a table, with their Elo over the base."""
    ordered = sorted(points, key=lambda point: -point.mean)[:MOST_POINTS]
    names = list(ordered[0].settings)
    rows = [
        [
            point.player,
            *point.settings.values(),
            str(point.pairs),
            f"{point.elo[0]:+z.0f} ± {point.elo[1]:.0f}" if point.pairs else "-",
            str(point.empty or ""),
        ]
        for point in ordered
    ]
    text = table(["point", *names, "pairs", "Elo (95 %)", "no evidence"], rows, left=1)
    left = len(points) - len(ordered)
    more = f"\nand {plural(left, 'point')} behind these" if left else ""
    return f"{text}{more}\nthe best of many is partly luck; the gate plays it again"


def _best(finding: Finding, name: str) -> str:
    if not finding.intervals:
        return ""
    return f"; {interval_text(finding.intervals[list(finding.tuned).index(name)])}"


def interval_text(interval: Interval | None) -> str:
    """Return where the best value is, in words."""
    if interval is None:
        return "the matches do not say where the best value is: play more, or take a larger step"
    low, high = rough(interval.low), rough(interval.high)
    if low == high:
        return f"best at {low}, the end of its range"
    return f"best between {low} and {high} (95 %)"


def _empty(finding: Finding) -> str:
    if not finding.empty:
        return ""
    db = db_option(finding.db)
    return (
        f"; {plural(finding.empty, 'pair')} with a fault or a void match, no evidence: arena show"
        f" {finding.event.id} --faults{db}"
    )
