"""Play an event for `arena tournament` and `arena match`: from its config to its final table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from arena.commands.engine_log import check_engine_log, with_engine_log
from arena.commands.game_file import check_game_file, with_game_file
from arena.commands.run_match import play_quick
from arena.config.cluster import local_workers
from arena.config.event import Config
from arena.config.same_event import can_grow
from arena.errors import (
    ChangedEventError,
    DiskError,
    EventError,
    LockedError,
    MachineError,
    MovedError,
    PreflightError,
    UsageError,
)
from arena.event.plan import Machines, Plan, make_plan
from arena.event.play.director import Ending
from arena.event.play.playing import play_event
from arena.event.play.preflight import check_bots
from arena.event.resume.held_event import held_event
from arena.event.resume.held_plan import held_plan
from arena.event.resume.left_out import LeftOut, failed_now, left_out_before
from arena.event.resume.players import Unavailable, absent_players, prepare_players
from arena.event.resume.runner import with_runner
from arena.event.resume.update import FAILED_BUILD
from arena.event.watch.progress import Announcer
from arena.exit_codes import ExitCode
from arena.formats.event_results import table_of
from arena.machine.tier_choice import isolated
from arena.reading.choices import FORMATS_BY_RESULTS
from arena.reports.reporting import ReportFiles
from arena.results.damage import check
from arena.results.database_errors import waiting_text
from arena.results.failed_tests import keep_tests
from arena.results.queries import first_played
from arena.results.secrecy import close_event, seed_part
from arena.results.standings import Table
from arena.results.store import EventRow, Store
from arena.schedule.pairing import ScheduleError
from arena.shell_words import db_option
from arena.terminal.output import print_result, tell
from arena.terminal.progress import Terminal
from arena.terminal.running_table import with_table
from arena.terminal.schedule import schedule_text
from arena.terminal.show import event_text
from arena.text import plural
from referee.errors import UNCHECKED
from referee.job import Player
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
    reports: ReportFiles = field(default_factory=ReportFiles)
    """Files to write at the end."""
    announcer: Announcer = field(default_factory=Terminal)
    cluster: str | None = None
    """Address of the cluster for the matches; None is the config's, if any."""
    keys: Path | None = None
    """Folder of the keys of the cluster for this machine."""
    machines: Machines | None = None
    """The machines that play the matches; None is this one."""
    pgn: Path | None = None
    """File to add the matches to while they are played."""
    engine_log: Path | None = None
    """Folder for files with every line to and from the engines."""
    table_every: int | None = None
    """Number of matches between two tables; 0 for none, None for a few, some time apart."""


def run_event(config: Config, run: Run) -> int:
    """Play the missing matches of an event, print its standings, return the exit code."""
    try:
        check_game_file(run.pgn, config)
        check_engine_log(run.engine_log, cluster_address(config, run))
        return end_in_order(run, lambda: _prepare_and_play(config, run))
    except ChangedEventError as error:
        raise EventError(
            f"{error}\nto do that: {run.update_command}\n"
            "or restore it to resume as before; --new plays everything again, under another seed"
        ) from None


def end_in_order(run: Run, play: Callable[[], int]) -> int:
    """Return the exit code of a run; after an early stop, print how to resume it."""
    try:
        return play()
    except KeyboardInterrupt:
        tell(f"interrupted; {run.reports.onward}")
        return ExitCode.INTERRUPTED
    except MovedError:
        raise  # the same command would begin another event
    except (MachineError, DiskError, LockedError) as error:
        raise type(error)(f"{error}; {run.reports.onward}") from None


def ending_code(ending: Ending, onward: str, *, is_final: bool = False) -> int:
    """Print the ending of a run and how to resume it; return the exit code.

    `is_final` is whether undecided matches stay so, since the schedule depends on results.
    """
    for key in ending.undecided:
        tell(f"undecided: {key} was always void")
    if ending.is_halted:
        tell(f"halted: two different matches in a row were void; {onward}")
        return ExitCode.INTERNAL
    if ending.is_interrupted and ending.missing:
        tell(f"interrupted, {plural(ending.missing, 'match')} missing; {onward}")
        return ExitCode.INTERRUPTED
    if ending.undecided:
        advice = "not played again, since other matches depend on it" if is_final else onward
        tell(f"{plural(len(ending.undecided), 'match')} undecided; {advice}")
        return ExitCode.INTERNAL
    return ExitCode.DONE


def _prepare_and_play(config: Config, run: Run) -> int:
    is_cluster = cluster_address(config, run) is not None
    config = with_runner(config)
    is_elsewhere = is_cluster and not any(bot.remote for bot in config.bots)
    players, unavailable = prepare_players(
        config, skip_missing=run.skip_missing, is_elsewhere=is_elsewhere
    )
    absent = absent_players(config, unavailable)
    tell_each([*config.notes, *unavailable])
    if run.is_dry:
        roster = _in_order(config, {**players, **absent})
        print_result(schedule_text(make_plan(config, roster, config.seed or 0)))
        if config.seed is not None and is_guessable(config.seed):
            tell(GUESSABLE.format(config.seed))
        return ExitCode.DONE
    with machines_of(config, run) as machines:
        place = isolated if machines is None else machines.admit
        players, isolation = place(config, players, run.db)
        with closing(opened_store(run.db)) as store:
            if players:
                tell(isolation)
            whole = _in_order(config, {**players, **absent})
            try:
                hold = partial(_hold_and_play, store, config, whole, unavailable)
                run = replace(run, machines=machines)
                if not config.is_quick or run.is_new:
                    return hold(run)
                return play_quick(store, config, whole, lambda new: hold(replace(run, is_new=new)))
            except UNCHECKED:  # internal errors, unless the database is a damaged one
                check(store)
                raise


def opened_store(db: Path) -> Store:
    """Open or create the database of an event, waiting while another program has it locked."""

    def has_patience(waits: int) -> bool:
        if not waits:
            tell(waiting_text(db))
        return True

    return Store(db, is_new_allowed=True, patience=has_patience)


def cluster_address(config: Config, run: Run) -> str | None:
    """Return the event's cluster, if any, before anything is built; raises UsageError."""
    address = run.cluster or config.cluster
    if run.keys is not None and (address is None or local_workers(address) is not None):
        raise UsageError("--keys is for a cluster at HOST:PORT; name one with --cluster")
    if address is None:
        if config.time.scale == "speed":
            raise UsageError(
                "time.scale: speed compares workers; play with --cluster, or leave it out"
            )
        return None
    if not run.is_dry:
        from arena.cluster.dask_settings import check_extra

        check_extra()
    return address


@contextmanager
def machines_of(config: Config, run: Run) -> Iterator[Machines | None]:
    """Yield the machines that play the matches until the context ends; None is this one."""
    address = cluster_address(config, run)
    if address is None:
        yield None
        return
    # a slow import, of an extra
    from arena.cluster.connecting import opened

    with opened(address, run.keys, config, tell) as cluster:
        yield cluster


def _in_order(config: Config, players: Mapping[str, Player]) -> dict[str, Player]:
    return {bot.name: players[bot.name] for bot in config.bots if bot.name in players}


def _hold_and_play(
    store: Store,
    config: Config,
    players: Mapping[str, Player],
    unavailable: Sequence[Unavailable],
    run: Run,
) -> int:
    """Play the event; bots that fail the preflight, or have failed it, can be left out."""
    before = LeftOut()
    if run.has_preflight:
        before = left_out_before(store, config, players, is_new=run.is_new)
    if before.lasting:
        tell_each(before.lasting)
        names = ", ".join(bot.player for bot in before.lasting)
        tell(f"not tested again, since they are unchanged: {names}")
    failed = before.lasting
    try:
        rest = _without(failed, players)
        return _play_whole(store, config, rest, [*unavailable, *failed], run)
    except ScheduleError as error:
        return _end_without(store, config, rest, [*unavailable, *failed], run, error=error)
    except ChangedEventError:
        if not before.doubtful:
            raise
        failed = [*failed, *before.doubtful]
        tell_each(before.doubtful)
    except PreflightError as error:
        if config.broken != "leave_out":
            raise
        now = failed_now(config, players, error)
        failed = [*failed, *now]
        tell_each(now)
        run = replace(run, has_preflight=False)
    rest = _without(failed, players)
    return _hold_and_play(store, config, rest, [*unavailable, *failed], run)


def _without(failed: Sequence[Unavailable], players: Mapping[str, Player]) -> dict[str, Player]:
    names = {bot.player for bot in failed}
    return {name: player for name, player in players.items() if name not in names}


def tell_each(facts: Iterable[Unavailable | str]) -> None:
    """Print each fact as a notice."""
    for fact in facts:
        tell(str(fact))


def _play_whole(
    store: Store,
    config: Config,
    players: Mapping[str, Player],
    unavailable: Sequence[Unavailable],
    run: Run,
) -> int:
    """Hold and play the event with these players."""
    is_checked = run.has_preflight and config.broken != "forfeit"
    held = held_plan(
        store,
        config,
        players,
        run.announcer,
        is_new=run.is_new,
        may_update=run.may_update,
        check=check_bots if is_checked else None,
        machines=run.machines,
    )
    with held as (event, plan):
        for bot in unavailable:
            if bot.is_forfeit:
                store.add_withdrawal(event.id, bot.player, FAILED_BUILD)
        _store_reasons(store, event, unavailable)
        return _play_held(store, config, event, plan, run)


def _end_without(
    store: Store,
    config: Config,
    players: Mapping[str, Player],
    unavailable: Sequence[Unavailable],
    run: Run,
    *,
    error: ScheduleError,
) -> int:
    """Store an event with too few bots left to play, with the reasons of the others.

    Their authors get the reasons as usual, by reports made from the database.
    """
    if not unavailable:
        raise error
    with held_event(store, config, players, is_new=run.is_new) as event:
        _store_reasons(store, event, unavailable)
        table = table_of(store, event)
    print_result(event_text(store, event, table, has_reasons=False))
    why = error if players else "no bot is left"
    tell(f"nothing was played: {why}; {plural(len(unavailable), 'bot')} did not work")
    print_result(f"\n{_where_next(store, event)}")
    write_reports(run, store, event, table, Ending(missing=0), exit_code=ExitCode.FAULTS)
    return ExitCode.FAULTS


def _store_reasons(store: Store, event: EventRow, unavailable: Sequence[Unavailable]) -> None:
    store.set_broken(event.id, {bot.player: str(bot) for bot in unavailable})
    keep_tests(store, event.id, {bot.player: bot.test for bot in unavailable if bot.test})


def _play_held(store: Store, config: Config, event: EventRow, plan: Plan, run: Run) -> int:
    table = table_of(store, event)
    # bots can be left out only where the matches of all others do not depend on them
    is_fixed = store.is_touched(event.id) and not can_grow(config)
    forfeits = config.broken == "forfeit" or (config.broken == "leave_out" and is_fixed)
    plan = with_engine_log(plan, run.engine_log, event)
    announcer = with_game_file(run.announcer, run.pgn, store, event)
    announcer = with_table(announcer, run.table_every, store, event)
    ending = play_event(
        store, event, plan, table, announcer, has_preflight=run.has_preflight, forfeits=forfeits
    )
    if event.config.get("is_quick") and not ending.missing:
        event = close_event(store, event)
    print_result(event_text(store, event, table, has_reasons=False))
    is_final = config.format in FORMATS_BY_RESULTS
    code = ending_code(ending, run.reports.onward, is_final=is_final) or _fault_code(table, event)
    print_result(f"\n{_where_next(store, event)}")
    write_reports(run, store, event, table, ending, exit_code=code)
    return code


def write_reports(
    run: Run, store: Store, event: EventRow, table: Table, ending: Ending, *, exit_code: int
) -> None:
    """Write the files about a run of an event, if any are wanted."""
    if not run.reports.is_wanted:
        return
    from arena.event.play.event_report import event_report  # slow import, for few runs

    command, onward, code = run.reports.command, run.reports.onward, exit_code
    run.reports.write(
        event_report, store, event, table, ending, command=command, exit_code=code, onward=onward
    )


def _where_next(store: Store, event: EventRow) -> str:
    db = db_option(store.path)
    first = first_played(store, event)
    lines = [f"results: {store.path}, event {event.id}{seed_part(event, ';')}"]
    lines.append(f"matches: arena show {event.id} --matches{db}")
    if first is not None:
        lines.append(f"replay one: arena replay {first}{db}")
    return "\n".join([*lines, *_explanations(store, event)])


def _explanations(store: Store, event: EventRow) -> list[str]:
    """Return where each kind of bad ending is explained, the faults of bots last."""
    db = db_option(store.path)
    lines = []
    if store.broken(event.id):
        lines.append(f"bots that did not play, explained by: arena show {event.id}{db}")
    if voids := store.voids(event.id):
        lines.append(
            f"{plural(len(voids), 'void attempt')}, explained by: arena show {event.id}{db}"
        )
    faulty = [match.id for match in store.faulty_matches(event.id) if match.has_fault]
    if faulty:
        those = f"{plural(len(faulty), 'match')} with a fault,"
        if len(faulty) > 1:
            lines.append(f"{those} listed by: arena show {event.id} --faults{db}")
            those = "the first is"
        lines.append(f"{those} explained by: arena show --match {faulty[0]}{db}")
    return lines


def _fault_code(table: Table, event: EventRow) -> ExitCode:
    """Return FAULTS if in quick matches a bot had a fault in every one, otherwise DONE."""
    rows = [row for _, row in table.ranked()] if event.config.get("is_quick") else []
    is_useless = any(row.matches and row.faults == row.matches for row in rows)
    return ExitCode.FAULTS if is_useless else ExitCode.DONE
