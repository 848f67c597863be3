"""Play an event for `arena tournament` and `arena match`: from its config to its final table."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from arena.config.event import Config, Entrant
from arena.errors import BotError, ChangedEventError, EventError, HostError
from arena.event.balancing import held_plan
from arena.event.director import Ending, play_event
from arena.event.plan import Plan, make_plan
from arena.event.players import missing_text, prepare_players
from arena.event.progress import Audience
from arena.event.report import event_report
from arena.exit_codes import ExitCode
from arena.formats.ended import table_of
from arena.machine.enclosure import isolated
from arena.reports.reporting import Reports
from arena.results.standings import Table
from arena.results.store import EventRow, Store
from arena.terminal.audience import Terminal
from arena.terminal.schedule import schedule_text
from arena.terminal.show import event_text
from arena.terminal.tell import print_result, tell
from arena.text import db_option, plural
from referee.seeds import is_guessable

GUESSABLE = (
    "note: a bot can guess seed {}, and with it the boards to come and the seeds of its rivals; for"
    " a contest among strangers leave `seed` out: 128 bits are drawn and kept"
)


@dataclass(frozen=True, kw_only=True)
class Run:
    """Options of one run of an event."""

    db: Path
    is_new: bool = False
    may_update: bool = False
    """Whether a begun event may be changed; otherwise its changes are an error."""
    update_command: str = "arena tournament CONFIG --update"
    """The command that does so."""
    is_dry: bool = False
    skip_missing: bool = False
    has_preflight: bool = True
    """Whether each bot must pass a short match against itself first."""
    reports: Reports = field(default_factory=Reports)
    """Files to write at the end."""
    audience: Audience = field(default_factory=Terminal)

    @property
    def onward(self) -> str:
        """The advice for resuming the event."""
        return self.reports.onward


def run_event(config: Config, run: Run) -> int:
    """Play the missing matches of an event, print its standings, return the exit code."""
    return end_in_order(run, lambda: _run(config, run))


def end_in_order(run: Run, play: Callable[[], int]) -> int:
    """Return the exit code of a run; after an early stop, print how to resume it.

    An interruption arrives here only before the first match and after the last.
    """
    try:
        return play()
    except KeyboardInterrupt:
        tell(f"interrupted; {run.onward}")
        return ExitCode.INTERRUPTED
    except HostError as error:
        raise HostError(f"{error}; {run.onward}") from None


def ending_code(ending: Ending, onward: str) -> int:
    """Print the ending of a run and how to resume it; return the exit code."""
    for key in ending.undecided:
        tell(f"undecided: {key} was void every time")
    if ending.is_halted:
        tell(f"halted: two different matches in a row were void; {onward}")
        return ExitCode.INTERNAL
    if ending.is_interrupted and ending.missing:
        tell(f"interrupted, {plural(ending.missing, 'match')} missing; {onward}")
        return ExitCode.INTERRUPTED
    if ending.undecided:
        tell(f"{plural(len(ending.undecided), 'match')} undecided; {onward}")
        return ExitCode.INTERNAL
    return ExitCode.DONE


def _run(config: Config, run: Run) -> int:
    players, missing = prepare_players(config, skip_missing=run.skip_missing)
    if missing:
        tell(missing_text(missing))
    if run.is_dry:
        print_result(schedule_text(make_plan(config, players, config.seed or 0)))
        if config.seed is not None and is_guessable(config.seed):
            tell(GUESSABLE.format(config.seed))
        return ExitCode.DONE
    players, enclosure = isolated(config, players, run.db)
    store = Store(run.db, is_new_allowed=True)
    try:
        tell(enclosure)
        held = held_plan(
            store,
            config,
            players,
            run.audience,
            is_new=run.is_new,
            may_update=run.may_update,
        )
        with held as (event, plan):
            return _direct(store, event, plan, missing, run)
    except ChangedEventError as error:
        raise EventError(
            f"{error}\nto do that: {run.update_command}\n"
            "or put it back to go on as before; --new plays everything again, under another seed"
        ) from None
    finally:
        store.close()


def _direct(
    store: Store,
    event: EventRow,
    plan: Plan,
    missing: list[tuple[Entrant, BotError]],
    run: Run,
) -> int:
    table = table_of(store, event)
    ending = play_event(store, event, plan, table, run.audience, has_preflight=run.has_preflight)
    print_result(event_text(store, event, table))
    if missing:
        print_result(f"\n{missing_text(missing)}")
    code = ending_code(ending, run.onward) or _fault_code(table, event)
    print_result(f"\n{_where_next(store, event, plan)}")
    run.reports.write(
        event_report,
        store,
        event,
        table,
        ending,
        command=run.reports.command,
        exit_code=code,
        onward=run.onward,
    )
    return code


def _where_next(store: Store, event: EventRow, plan: Plan) -> str:
    db = db_option(store.path)
    first = store.match_number(event.id, plan.pairings[0].key) if plan.pairings else None
    lines = [f"results: {store.path}, event {event.id}; seed {plan.seed}"]
    lines.append(f"matches: arena show {event.id} --matches{db}")
    if first is not None:
        lines.append(f"replay one: arena replay {first}{db}")
    return "\n".join([*lines, *_explanations(store, event)])


def _explanations(store: Store, event: EventRow) -> list[str]:
    """Return where each kind of bad ending is explained, the faults of bots last."""
    db = db_option(store.path)
    lines = []
    if voids := store.voids(event.id):
        lines.append(
            f"{plural(len(voids), 'void attempt')}, explained by: arena show {event.id}{db}"
        )
    faulty = [match.id for match in store.matches(event.id) if any(s.fault for s in match.seats)]
    if faulty:
        first = f"arena show --match {faulty[0]}{db}"
        others = ", the first is" if len(faulty) > 1 else ","
        lines.append(f"{plural(len(faulty), 'match')} with a fault{others} explained by: {first}")
    return lines


def _fault_code(table: Table, event: EventRow) -> ExitCode:
    """Return FAULTS if in quick matches a bot had a fault in every one, otherwise DONE."""
    rows = [row for _, row in table.ranked()] if event.config.get("is_quick") else []
    is_useless = any(row.matches and row.faults == row.matches for row in rows)
    return ExitCode.FAULTS if is_useless else ExitCode.DONE
