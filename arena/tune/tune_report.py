"""The report of a tuning: its finding and the verdict of its gate as plain values."""

from typing import Any

from arena.event.play.director import Ending
from arena.event.play.event_report import outcome_of
from arena.formats.event_results import table_of
from arena.gate.gate_report import verdict_values
from arena.gate.text import facts as gate_facts
from arena.gate.text import headline as gate_headline
from arena.gate.verdict import GateVerdict
from arena.reports.report import PlayedEvent, Report
from arena.results.store import Store
from arena.tune.finding import Finding
from arena.tune.text import facts, headline


def tune_report(
    store: Store,
    finding: Finding,
    verdict: GateVerdict | None,
    ending: Ending | None = None,
    *,
    exit_code: int,
    onward: str = "",
) -> Report:
    """Return the report of a tuning; `verdict` is that of its gate, None before it."""
    is_open = verdict is None and not finding.is_stuck
    outcome = outcome_of(ending) if ending else "open"
    said = [headline(finding)]
    if verdict is not None:
        outcome = verdict.outcome.value
        said.append(gate_headline(verdict))
    elif finding.is_stuck:
        outcome = "faults"
    named = [*facts(finding), *(gate_facts(verdict) if verdict else ())]
    return Report(
        command="tune",
        outcome=outcome,
        exit_code=exit_code,
        headline="; ".join([*said, *([onward] if is_open and onward else [])]),
        facts=tuple(named),
        badge=headline(finding),
        gate=verdict_values(verdict) if verdict else None,
        tune=tune_values(finding),
        played=PlayedEvent.read(store, finding.event, table_of(store, finding.event)),
        missing=ending.missing if ending else 0,
        undecided=ending.undecided if ending else (),
    )


def tune_values(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain values for JSON."""
    tune = finding.tune
    intervals = finding.intervals or [None] * len(tune.parameters)
    return {
        "bot": tune.bot,
        "method": tune.section.method,
        "is_ended": finding.is_ended,
        "parameters": {
            each.name: {
                "start": tune.start[each.name],
                "tuned": finding.tuned[each.name],
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
            }
            for each, interval in zip(tune.parameters, intervals, strict=True)
        },
        "pairs": {"ended": finding.pairs, "no_evidence": finding.empty},
        "points": [
            {
                "bot": point.player,
                "settings": dict(point.settings),
                "pairs": point.pairs,
                "elo": point.elo[0] if point.pairs else None,
                "error": point.elo[1] if point.pairs else None,
            }
            for point in finding.points
        ],
    }
