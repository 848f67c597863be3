"""What `arena tournament` and `arena match` do, from a config to the final table."""

import math
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from arena.config.event_config import Config, Entrant
from arena.errors import BotError
from arena.event.balancing import held_plan
from arena.event.director import Ending, Plan
from arena.event.holding import missing_text, prepare_players
from arena.event.plan import make_plan
from arena.event.playing import play_event
from arena.event.report import event_report
from arena.exit_codes import ExitCode
from arena.machine.enclosure import shut_in
from arena.reports.reporting import Reports
from arena.results.store import EventRow, Store
from arena.streams import lasting
from arena.terminal.show import db_option, event_text, table_of
from arena.terminal.tables import tell
from arena.text import onward, plural
from referee.job import SECOND_NS
from referee.seeds import is_guessable

SHOWN_PAIRINGS = 1000
GUESSABLE = (
    "note: a bot can guess seed {}, and with it the boards to come and the seeds of its rivals; for"
    " a contest among strangers leave `seed` out: 128 bits are drawn and kept"
)


@dataclass(frozen=True, kw_only=True)
class Run:
    """How an event is to be run."""

    db: Path
    is_new: bool = False
    is_dry: bool = False
    skip_missing: bool = False
    has_preflight: bool = True
    """Whether each bot must first get through a short match against itself."""
    reports: Reports = field(default_factory=Reports)
    """The files to be written when it is over."""

    @property
    def onward(self) -> str:
        """What goes on with the event if it is stopped."""
        return onward(self.reports.command, is_new=self.is_new)


def run_event(config: Config, run: Run) -> int:
    """Play what is missing of the event, print its standings, return the exit code."""
    try:
        return _run(config, run)
    except KeyboardInterrupt:  # while nothing was played yet, or not any more
        tell(f"interrupted: {run.onward}")
        return ExitCode.INTERRUPTED


def _run(config: Config, run: Run) -> int:
    players, missing = prepare_players(config, skip_missing=run.skip_missing)
    if missing:
        tell(missing_text(missing))
    if run.is_dry:
        print_result(schedule_text(make_plan(config, players, config.seed or 0)))
        if config.seed is not None and is_guessable(config.seed):
            tell(GUESSABLE.format(config.seed))
        return ExitCode.DONE
    players, enclosure = shut_in(config, players, run.db)
    store = Store(run.db, is_new_allowed=True)
    try:
        tell(enclosure)
        with held_plan(store, config, players, is_new=run.is_new) as (event, plan):
            return _direct(store, event, plan, missing, run)
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
    ending = play_event(store, event, plan, table, has_preflight=run.has_preflight)
    print_result(event_text(store, event, table))
    if missing:
        print_result(f"\n{missing_text(missing)}")
    print_result(f"\n{_where_next(store, event, plan)}")
    code, command = _exit_code(ending, run.onward), run.reports.command
    run.reports.write(event_report, store, event, table, ending, command=command, exit_code=code)
    return code


def _exit_code(ending: Ending, onward: str) -> int:
    for key in ending.undecided:
        tell(f"undecided: {key} was void every time")
    if ending.is_halted:
        tell(f"halted: two different matches in a row were void; {onward}")
        return ExitCode.INTERNAL
    if ending.is_interrupted and ending.missing:
        tell(f"interrupted, {plural(ending.missing, 'match')} missing: {onward}")
        return ExitCode.INTERRUPTED
    return ExitCode.INTERNAL if ending.undecided else ExitCode.DONE


def _where_next(store: Store, event: EventRow, plan: Plan) -> str:
    db = db_option(store)
    first = store.match_number(event.id, plan.pairings[0].key) if plan.pairings else None
    lines = [f"results: {store.path}, event {event.id}; seed {plan.seed}"]
    lines.append(f"matches: arena show {event.id} --matches{db}")
    if first is not None:
        lines.append(f"replay one: arena replay {first}{db}")
    return "\n".join(lines)


def schedule_text(plan: Plan) -> str:
    """Return the matches that are known before any is played, a line each, up to a limit."""
    known, total = plan.pairings, plan.format.total({})
    lines = [
        f"{number}. {' - '.join(pairing.players)}  ({pairing.key})"
        for number, pairing in enumerate(known[:SHOWN_PAIRINGS], start=1)
    ]
    if (more := len(known) - len(lines)) > 0:
        lines.append(f"... and {more} more")
    if total > len(known):
        lines.append("the others follow from the results")
    lines += [f"not quite balanced: {line}" for line in plan.format.imbalance]
    most = "" if plan.format.is_fixed else "at most "
    lines.append(f"{most}{plural(total, 'match')} on {plural(len(plan.cores), 'slot')}")
    match_s = longest_match_s(plan)
    event_s = math.ceil(total / len(plan.cores)) * match_s
    lines.append(
        f"at most {timedelta(seconds=event_s)} long (h:mm:ss), {timedelta(seconds=match_s)} a"
        " match: time.start, and time.wall_bank for each seat"
    )
    return "\n".join(lines)


def longest_match_s(plan: Plan) -> int:
    """Return the wall time in s that a match can take at most, unless it is void."""
    time = plan.job.time
    seats: int = max(plan.config["seats"])
    calls_ns = seats * time.wall_allowed_ns
    return math.ceil((time.start_ns + calls_ns) / SECOND_NS)


def print_result(text: str) -> None:
    """Print a result. That nobody reads it any more changes nothing about the event."""
    print(text, file=lasting(sys.stdout), flush=True)
