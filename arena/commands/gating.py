"""What `arena gate` does, from a config to the verdict and its exit code."""

from collections.abc import Mapping
from dataclasses import replace

from arena.commands.playing import Run, print_result, schedule_text
from arena.config.canonical import canonical
from arena.config.event_config import Config
from arena.errors import ConfigError, UsageError
from arena.event.balancing import held_plan
from arena.event.director import Ending
from arena.event.holding import held_event, prepare_players
from arena.event.plan import make_plan
from arena.event.playing import play_event
from arena.event.report import event_report
from arena.exit_codes import ExitCode
from arena.gate.gate import Gate, gate_of
from arena.gate.report import gate_report
from arena.gate.schedule import Shard
from arena.gate.tally import Outcome, Question
from arena.gate.text import verdict_text
from arena.gate.verdict import verdict_of
from arena.machine.enclosure import shut_in
from arena.reports.reporting import Reports
from arena.results.store import EventRow, Store
from arena.terminal.show import table_of
from arena.terminal.tables import tell
from arena.text import plural
from referee.job import Player


def run_gate(config: Config, run: Run, players: Mapping[str, Player] | None = None) -> int:
    """Play pairs until the gate is decided, print the verdict, return the exit code.

    `players` are given where the bots have been built before. No bot is ever left out.
    """
    check_question(config)
    try:
        if players is None:
            players, _ = prepare_players(config, skip_missing=False)
        if run.is_dry:
            _show_schedule(config, players)
            return ExitCode.DONE
        return _run(config, run, players)
    except KeyboardInterrupt:  # while nothing was played yet, or not any more
        tell(f"interrupted: {run.onward}")
        return ExitCode.INTERRUPTED


def check_question(config: Config) -> None:
    """Raise ConfigError if the gate of a config can never be decided."""
    rule = config.gate
    if rule is None:
        raise UsageError(f"{config.source.name}: the format is {config.format}, not gate")
    try:
        question = Question(rule)
    except UsageError as error:
        raise _wrong(config, rule.keys[0], str(error)) from None
    if rule.cap // 2 < question.least_pairs:
        detail = (
            f"cap must be {2 * question.least_pairs} or more, not {rule.cap}: nothing is decided"
            f" before {question.least_pairs} pairs"
        )
        raise _wrong(config, "cap", detail)


def shard_of(config: Config, shard: Shard) -> Config:
    """Return the config of one shard of a gate."""
    if config.gate is None:
        return config  # which is then refused
    if config.seed is None:
        raise UsageError(
            f"--shard {shard} needs a seed, the same for all shards, like --seed 1997; else their"
            " openings would not be those of one gate"
        )
    rule = replace(config.gate, shard=str(shard))
    return replace(config, name=shard.event_name(config.name), gate=rule)


def _wrong(config: Config, key: str, detail: str) -> ConfigError:
    return ConfigError([config.source.problem(detail, ("gate", key))])


def _gate_of(config: Config, players: Mapping[str, Player]) -> Gate:
    return gate_of(canonical(config), {name: player.content for name, player in players.items()})


def _show_schedule(config: Config, players: Mapping[str, Player]) -> None:
    format_ = _gate_of(config, players).format()
    plan = make_plan(config, players, config.seed or 0, format_=format_)
    print_result(schedule_text(plan))


def _run(config: Config, run: Run, players: Mapping[str, Player]) -> int:
    gate = _gate_of(config, players)
    players, enclosure = shut_in(config, players, run.db)
    store = Store(run.db, is_new_allowed=True)
    try:
        tell(enclosure)
        if gate.is_identical:
            with held_event(store, config, players, is_new=run.is_new) as event:
                return _end(store, event, gate, None, run.reports)
        new, format_ = run.is_new, gate.format()
        with held_plan(store, config, players, is_new=new, format_=format_) as (event, plan):
            table = table_of(store, event)
            ending = play_event(store, event, plan, table, has_preflight=run.has_preflight)
            return _end(store, event, gate, ending, run.reports)
    finally:
        store.close()


def _end(store: Store, event: EventRow, gate: Gate, ending: Ending | None, reports: Reports) -> int:
    """Print and report what has come of it and return the exit code."""
    if gate.shard is not None and ending is not None:
        print_result(_shard_text(store, event, gate))
        code = _unfinished(ending) if ending.missing else ExitCode.DONE
        table = table_of(store, event)
        reports.write(event_report, store, event, table, ending, command="gate", exit_code=code)
        return code
    verdict = verdict_of(store, event)
    print_result(verdict_text(verdict))
    is_open = verdict.outcome is Outcome.OPEN
    code = _unfinished(ending) if is_open and ending else verdict.exit_code
    reports.write(gate_report, store, event, verdict, ending, exit_code=code)
    return code


def _unfinished(ending: Ending) -> int:
    if ending.is_halted:
        tell("halted: two different matches in a row were void; the same command goes on")
        return ExitCode.INTERNAL
    if ending.is_interrupted:
        tell(f"interrupted, {plural(ending.missing, 'match')} missing: the same command goes on")
        return ExitCode.INTERRUPTED
    for key in ending.undecided:
        tell(f"undecided: {key} was void every time; the same command tries it again")
    return ExitCode.INTERNAL


def _shard_text(store: Store, event: EventRow, gate: Gate) -> str:
    played = len(store.keys(event.id))
    return (
        f"shard {gate.shard} of gate {gate.new} against {gate.base}: {plural(played, 'match')} of"
        f" {len(gate.format().known({}))} in {store.path}, event {event.id}, seed {event.seed}\n"
        "the verdict on all shards: arena merge DB... --db OUT"
    )
