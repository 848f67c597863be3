"""A report as JUnit XML: a suite for all matches of the same players, a case for each match.

A lost match passes. Only a fault and the verdict of a gate fail. A match forfeited unplayed is
skipped. The verdict is the only case of the first suite; the reason of an incomplete event is an
error there.
"""

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from arena.reports.report import FaultNote, MatchCase, Report
from protocol.wording import visible
from referee.job import SECOND_NS


def junit_text(report: Report) -> str:
    """Return the XML of a report."""
    suites = _suites(report)
    cases = [case for suite in suites.values() for case in suite]
    root = Element("testsuites", {"name": f"arena {report.command}", **_counts(cases, report)})
    _add_verdict(root, report)
    for players, suite in suites.items():
        _add_suite(root, report, " - ".join(players), suite)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, "unicode")}\n'


def _suites(report: Report) -> dict[tuple[str, ...], list[MatchCase]]:
    """Return the matches by their players in any seats, in the order of the event's bots."""
    if report.played is None:
        return {}
    place = {player: number for number, player in enumerate(report.played.event.entrants)}
    suites: dict[tuple[str, ...], list[MatchCase]] = {}
    for case in report.played.cases:
        players = tuple(sorted(case.players, key=lambda player: (place.get(player, -1), player)))
        suites.setdefault(players, []).append(case)
    return suites


def _add_verdict(root: Element, report: Report) -> None:
    played = report.played
    name = played.event.name if played else report.command
    suite = _add(root, "testsuite", {"name": name, **_counts([], report)})
    if played:
        facts = {"event": str(played.event.id), "database": played.db}
        facts |= {"seed": str(played.event.seed), **dict(report.facts)}
        ranked = ", ".join(f"{rank}. {row.player}" for rank, row in played.table.ranked())
        _add_facts(suite, {**facts, "ranked by": played.table.ranked_by, "places": ranked})
    head = {"name": "verdict", "classname": f"arena {report.command}", "time": "0"}
    case = _add(suite, "testcase", head)
    if not report.is_good:
        facts_text = "\n".join(f"{fact}: {text}" for fact, text in report.facts)
        text = "\n\n".join(filter(None, [report.headline, report.detail, facts_text]))
        tag = "failure" if report.is_verdict else "error"
        _add(case, tag, {"message": report.headline, "type": report.outcome}, text)


def _add_suite(root: Element, report: Report, name: str, cases: list[MatchCase]) -> None:
    if report.played is None:
        return
    notes = _notes(report)
    suite = _add(root, "testsuite", {"name": name, **_counts(cases)})
    for case in cases:
        head = {"name": case.key, "classname": name, "time": _seconds([case])}
        element = _add(suite, "testcase", head)
        _add_facts(element, {"match": str(case.number), "result": case.result})
        if case.fault is not None:
            _add_failure(element, case, case.fault, notes.get(case.number, []))
        elif case.unplayed is not None:
            _add(element, "skipped", {"message": f"{case.unplayed}: withdrawn"})


def _add_failure(element: Element, case: MatchCase, fault: str, notes: list[FaultNote]) -> None:
    told = [f"{note.headline()}\n{note.text()}" for note in notes]
    message = notes[0].detail if len(notes) == 1 else fault
    kind = notes[0].termination if notes else case.termination
    text = "\n\n".join(told) or f"{fault}: {case.result}"
    _add(element, "failure", {"message": message, "type": kind}, text)


def _notes(report: Report) -> dict[int, list[FaultNote]]:
    notes: dict[int, list[FaultNote]] = {}
    for note in report.played.faults if report.played else ():
        notes.setdefault(note.match, []).append(note)
    return notes


def _add_facts(parent: Element, facts: Mapping[str, str]) -> None:
    properties = _add(parent, "properties", {})
    for name, value in facts.items():
        _add(properties, "property", {"name": name, "value": value})


def _add(parent: Element, tag: str, attributes: Mapping[str, str], text: str = "") -> Element:
    """Add an element; no text has a character that XML does not allow."""
    escaped = {name: visible(value) for name, value in attributes.items()}
    element = SubElement(parent, tag, escaped)
    element.text = visible(text) or None
    return element


def _counts(cases: Sequence[MatchCase], verdict: Report | None = None) -> dict[str, str]:
    """Return the counts of the cases, and of the verdict of a report if one is given."""
    is_bad = verdict is not None and not verdict.is_good
    is_failure = is_bad and verdict is not None and verdict.is_verdict
    counts = {
        "tests": len(cases) + (verdict is not None),
        "failures": sum(case.fault is not None for case in cases) + is_failure,
        "errors": int(is_bad and not is_failure),
        "skipped": sum(case.unplayed is not None for case in cases),
    }
    return {**{name: str(count) for name, count in counts.items()}, "time": _seconds(cases)}


def _seconds(cases: Sequence[MatchCase]) -> str:
    return f"{sum(case.wall_ns for case in cases) / SECOND_NS:.6f}"
