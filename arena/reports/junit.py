"""A report as JUnit XML: a suite for all matches of the same players, a case for each match.

A lost match passes. Only a fault and the verdict of a gate fail. A match forfeited unplayed is
skipped. The verdict is the only case of the first suite; the reason of an incomplete event is an
error there.
"""

from collections.abc import Iterator, Sequence

from arena.reports.escaping import xml_text, xml_value
from arena.reports.report import Case, FaultNote, Report
from referee.seeds import derive_seed

SECOND_NS = 1_000_000_000


def junit_text(report: Report) -> str:
    """Return the XML of a report."""
    return "".join(f"{line}\n" for line in _document(report))


def _document(report: Report) -> Iterator[str]:
    suites = _suites(report)
    cases = [case for suite in suites.values() for case in suite]
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    name = xml_value(f"arena {report.command}")
    counts = _counts(cases, report)
    yield f'<testsuites name="{name}" {counts}>'
    yield from _verdict_suite(report)
    for players, suite in suites.items():
        yield from _suite(report, " - ".join(players), suite)
    yield "</testsuites>"


def _suites(report: Report) -> dict[tuple[str, ...], list[Case]]:
    """Return the matches by their players in any seats, in the order of the event's bots."""
    if report.played is None:
        return {}
    place = {player: number for number, player in enumerate(report.played.event.entrants)}
    suites: dict[tuple[str, ...], list[Case]] = {}
    for case in report.played.cases:
        players = tuple(sorted(case.players, key=lambda player: (place.get(player, -1), player)))
        suites.setdefault(players, []).append(case)
    return suites


def _verdict_suite(report: Report) -> Iterator[str]:
    played = report.played
    name = xml_value(played.event.name if played else report.command)
    yield f'  <testsuite name="{name}" {_counts([], report)}>'
    if played:
        facts = {"event": str(played.event.id), "database": played.db}
        facts |= {"seed": str(played.event.seed), **dict(report.facts)}
        ranked = ", ".join(f"{rank}. {row.player}" for rank, row in played.table.ranked())
        yield from _properties(4, {**facts, "ranked by": played.table.ranked_by, "places": ranked})
    case = f'<testcase name="verdict" classname="{xml_value(f"arena {report.command}")}" time="0"'
    if report.is_good:
        yield f"    {case}/>"
    else:
        tag = "failure" if _is_failure(report) else "error"
        message = f'message="{xml_value(report.headline)}" type="{report.outcome}"'
        facts_text = "\n".join(f"{fact}: {text}" for fact, text in report.facts)
        text = "\n\n".join(filter(None, [report.headline, report.detail, facts_text]))
        yield f"    {case}>"
        yield f"      <{tag} {message}>{xml_text(text)}</{tag}>"
        yield "    </testcase>"
    yield "  </testsuite>"


def _suite(report: Report, name: str, cases: list[Case]) -> Iterator[str]:
    if report.played is None:
        return
    seed, notes = report.played.event.seed, _notes(report)
    yield f'  <testsuite name="{xml_value(name)}" {_counts(cases)}>'
    for case in cases:
        head = f'name="{xml_value(case.key)}" classname="{xml_value(name)}"'
        yield f'    <testcase {head} time="{_seconds([case])}">'
        facts = {"match": str(case.number), "seed": str(derive_seed(seed, "match", case.key))}
        yield from _properties(6, {**facts, "result": case.result})
        if case.fault is not None:
            yield _failure(case, case.fault, notes.get(case.number, []))
        elif case.unplayed is not None:
            yield f'      <skipped message="{xml_value(f"{case.unplayed}: withdrawn")}"/>'
        yield "    </testcase>"
    yield "  </testsuite>"


def _failure(case: Case, fault: str, notes: list[FaultNote]) -> str:
    told = [f"{note.headline()}\n{note.text()}" for note in notes]
    text = "\n\n".join(told) or f"{fault}: {case.result}"
    kind = xml_value(notes[0].termination if notes else case.termination)
    message = xml_value(notes[0].detail if len(notes) == 1 else fault)
    return f'      <failure message="{message}" type="{kind}">{xml_text(text)}</failure>'


def _notes(report: Report) -> dict[int, list[FaultNote]]:
    notes: dict[int, list[FaultNote]] = {}
    for note in report.played.faults if report.played else ():
        notes.setdefault(note.match, []).append(note)
    return notes


def _properties(indent: int, facts: dict[str, str]) -> Iterator[str]:
    blanks = " " * indent
    yield f"{blanks}<properties>"
    for name, value in facts.items():
        yield f'{blanks}  <property name="{xml_value(name)}" value="{xml_value(value)}"/>'
    yield f"{blanks}</properties>"


def _counts(cases: Sequence[Case], verdict: Report | None = None) -> str:
    """Return the counts of the cases, and of the verdict of a report if one is given."""
    failures = sum(case.fault is not None for case in cases)
    skipped = sum(case.unplayed is not None for case in cases)
    tests, errors = len(cases), 0
    if verdict is not None:
        tests, errors = tests + 1, int(_is_error(verdict))
        failures += _is_failure(verdict)
    return (
        f'tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
        f' time="{_seconds(cases)}"'
    )


def _seconds(cases: Sequence[Case]) -> str:
    return f"{sum(case.wall_ns for case in cases) / SECOND_NS:.6f}"


def _is_failure(report: Report) -> bool:
    return not report.is_good and report.is_verdict


def _is_error(report: Report) -> bool:
    return not report.is_good and not report.is_verdict
