"""The report of an event and its finished matches."""

from arena.event.play.director import Ending
from arena.formats.event_results import format_text
from arena.reports.report import Outcome, PlayedEvent, Report, standing_line
from arena.results.standings import Table
from arena.results.store import EventRow, Store
from arena.text import plural


def event_report(
    store: Store,
    event: EventRow,
    table: Table,
    ending: Ending,
    *,
    command: str,
    exit_code: int,
    onward: str,
) -> Report:
    """Return the report of an event other than a gate; `onward` is the advice for resuming."""
    played = PlayedEvent.read(store, event, table)
    by_format = format_text(store, event, table)
    count = plural(len(played.matches), "match")
    leader = standing_line(table, len(played.matches))
    outcome = outcome_of(ending)
    done = {
        "finished": f"{leader or 'finished'} after {count}",
        "incomplete": f"{plural(len(ending.undecided), 'match')} always void; {count} played",
    }
    stopped = f"{outcome}, {plural(ending.missing, 'match')} missing; {onward}"
    headline = done.get(outcome, stopped)
    return Report(
        command=command,
        outcome=outcome,
        exit_code=exit_code,
        headline=f"{event.name}: {headline}",
        detail=by_format,
        badge=headline if outcome == "finished" else outcome,
        played=played,
        missing=ending.missing,
        undecided=ending.undecided,
    )


def outcome_of(ending: Ending) -> Outcome:
    """Return the outcome of a run of an event."""
    if ending.is_halted:
        return "halted"
    if ending.is_interrupted and ending.missing:
        return "interrupted"
    return "incomplete" if ending.undecided else "finished"
