"""A report as JUnit XML: a suite for all matches of the same players, a case for each match.

A lost match passes. Only a fault and the verdict of a gate fail. A match forfeited unplayed is
skipped. The verdict is the only case of the first suite; the reason of an incomplete event is an
error there.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from arena.reports.report import FaultNote, Report
from arena.results.secrecy import seed_text
from arena.results.store import MatchRow
from arena.text import plural, score
from protocol.wording import visible
from referee.job import SECOND_NS


def junit_text(report: Report) -> str:
    """Return the XML of a report."""
    suites = _suites(report)
    matches = report.played.matches if report.played else ()
    root = Element("testsuites", {"name": f"arena {report.command}", **_counts(matches, report)})
    _add_verdict(root, report)
    for players, suite in suites.items():
        _add_suite(root, report, " - ".join(players), suite)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, "unicode")}\n'


def _suites(report: Report) -> dict[tuple[str, ...], list[MatchRow]]:
    """Return the matches by their players in any seats, in the order of the event's bots."""
    if report.played is None:
        return {}
    place = {player: number for number, player in enumerate(report.played.event.entrants)}
    suites: dict[tuple[str, ...], list[MatchRow]] = {}
    for match in report.played.matches:
        names = (seat.player for seat in match.seats)
        players = tuple(sorted(names, key=lambda name: (place.get(name, -1), name)))
        suites.setdefault(players, []).append(match)
    return suites


def _add_verdict(root: Element, report: Report) -> None:
    played = report.played
    name = played.event.name if played else report.command
    suite = _add(root, "testsuite", {"name": name, **_counts([], report)})
    if played:
        facts = {"event": str(played.event.id), "database": played.db}
        facts |= {"seed": seed_text(played.event), **dict(report.facts)}
        if inexact := [row.player for row in played.table.rows.values() if not row.is_clock_exact]:
            facts["approximate CPU times"] = ", ".join(inexact)
        ranked = ", ".join(f"{rank}. {row.player}" for rank, row in played.table.ranked())
        _add_facts(suite, {**facts, "ranked by": played.table.ranked_by, "places": ranked})
    head = {"name": "verdict", "classname": f"arena {report.command}", "time": "0"}
    case = _add(suite, "testcase", head)
    if not report.is_good:
        facts_text = "\n".join(f"{fact}: {text}" for fact, text in report.facts)
        text = "\n\n".join(filter(None, [report.headline, report.detail, facts_text]))
        tag = "failure" if report.is_verdict else "error"
        _add(case, tag, {"message": report.headline, "type": report.outcome}, text)


def _add_suite(root: Element, report: Report, name: str, matches: list[MatchRow]) -> None:
    notes = _notes(report)
    suite = _add(root, "testsuite", {"name": name, **_counts(matches)})
    for match in matches:
        head = {"name": match.key, "classname": name, "time": _seconds([match])}
        case = _add(suite, "testcase", head)
        result = _result(match)
        _add_facts(case, {"match": str(match.id), "result": result})
        if match.has_fault:
            _add_failure(case, match, result, notes.get(match.id, []))
        elif unplayed := _unplayed(match):
            _add(case, "skipped", {"message": f"{unplayed}: withdrawn"})


def _add_failure(case: Element, match: MatchRow, result: str, notes: list[FaultNote]) -> None:
    told = [f"{note.headline()}\n{note.text()}" for note in notes]
    message = notes[0].detail if len(notes) == 1 else match.faults
    kind = notes[0].termination if notes else match.termination
    text = "\n\n".join(told) or f"{match.faults}: {result}"
    _add(case, "failure", {"message": message, "type": kind}, text)


def _result(match: MatchRow) -> str:
    seats = ", ".join(f"{seat.player} {score(Decimal(seat.score))}" for seat in match.seats)
    return f"{seats}: {match.reason} after {plural(match.plies, 'ply')}"


def _unplayed(match: MatchRow) -> str:
    """Return the withdrawn players that prevented a match; empty for a played one."""
    if any(seat.wall_ns for seat in match.seats):
        return ""
    return ", ".join(seat.player for seat in match.seats if seat.is_unplayed)


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


def _counts(matches: Sequence[MatchRow], verdict: Report | None = None) -> dict[str, str]:
    """Return the counts of the matches, and of the verdict of a report if one is given."""
    is_bad = verdict is not None and not verdict.is_good
    is_failure = is_bad and verdict is not None and verdict.is_verdict
    counts = {
        "tests": len(matches) + (verdict is not None),
        "failures": sum(match.has_fault for match in matches) + is_failure,
        "errors": int(is_bad and not is_failure),
        "skipped": sum(bool(_unplayed(match)) for match in matches if not match.has_fault),
    }
    return {**{name: str(count) for name, count in counts.items()}, "time": _seconds(matches)}


def _seconds(matches: Iterable[MatchRow]) -> str:
    return f"{sum(seat.wall_ns for match in matches for seat in match.seats) / SECOND_NS:.6f}"
