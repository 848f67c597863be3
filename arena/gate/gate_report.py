"""The report of a gate: its verdict as plain values."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from math import isinf
from pathlib import Path
from typing import Any

from arena.event.play.director import Ending
from arena.event.play.event_report import outcome_of
from arena.formats.event_results import table_of
from arena.gate.text import facts, headline
from arena.gate.verdict import GateVerdict, MatchRef
from arena.ratings.sprt import GateOutcome
from arena.ratings.stopped import StoppedElo
from arena.reports.report import PlayedEvent, Report, replay_command
from arena.results.store import EventRow, Store


def gate_report(
    store: Store,
    event: EventRow,
    verdict: GateVerdict,
    ending: Ending | None = None,
    *,
    exit_code: int,
    onward: str = "",
) -> Report:
    """Return the report of a gate; `ending` and `onward` are the end and resume advice of a run."""
    is_open = verdict.outcome is GateOutcome.OPEN
    advice = f"; {onward}" if is_open and onward else ""
    return Report(
        command="gate",
        outcome=outcome_of(ending) if is_open and ending else verdict.outcome.value,
        exit_code=exit_code,
        headline=headline(verdict) + advice,
        facts=tuple(facts(verdict)),
        badge=_badge(verdict),
        gate=verdict_values(verdict),
        played=PlayedEvent.read(store, event, table_of(store, event)),
        missing=ending.missing if ending else 0,
        undecided=ending.undecided if ending else (),
    )


def merged_report(verdict: GateVerdict) -> Report:
    """Return the report of a gate merged from its shards."""
    with closing(Store(Path(verdict.db))) as store:
        return gate_report(store, verdict.event, verdict, exit_code=verdict.exit_code)


def verdict_values(verdict: GateVerdict) -> dict[str, Any]:
    """Return a verdict as plain values for JSON."""
    gate, tally = verdict.gate, verdict.tally
    fails_at, passes_at = verdict.bounds.lower, verdict.bounds.upper
    return {
        "outcome": verdict.outcome.value,
        "identical": gate.is_identical,
        "new": {"bot": gate.new, "content": gate.new_content},
        "base": {"bot": gate.base, "content": gate.base_content},
        "rule": gate.rule.model_dump(),
        "llr": {"value": verdict.llr, "fails_at": fails_at, "passes_at": passes_at},
        "pairs": {
            "counted": tally.pairs,
            "void": tally.void_pairs,
            "by_points": list(tally.bins),
        },
        "matches": {"won": tally.wins, "drawn": tally.draws, "lost": tally.losses},
        "elo": _strength(verdict.strength) if verdict.strength else None,
        "ahead": _estimate(tally.ahead()) if tally.pairs else None,
        "faults": {"new": tally.faults, "base": tally.base_faults},
        "approximate_clocks": list(verdict.inexact),
        "first_loss": _match(verdict.first_loss, verdict.db),
        "first_fault": _match(verdict.first_fault, verdict.db),
    }


def _estimate(estimate: tuple[float, float | None]) -> dict[str, float | None]:
    return {"value": estimate[0], "error": estimate[1]}


def _strength(strength: StoppedElo) -> dict[str, float | None]:
    """Return the lead in Elo; an end of its interval that is infinite is None."""
    ends = {"low": strength.low, "high": strength.high}
    finite = {name: None if isinf(end) else end for name, end in ends.items()}
    return {"value": strength.elo, **finite}


def _match(match: MatchRef | None, db: str) -> Mapping[str, Any] | None:
    if match is None:
        return None
    return {**asdict(match), "replay": replay_command(match.number, db)}


def _badge(verdict: GateVerdict) -> str:
    if verdict.gate.is_identical or verdict.strength is None:
        return verdict.outcome.value
    return f"{verdict.outcome.value}, {verdict.strength.text} Elo"
