"""Play a gate for `arena gate`: from its config to its verdict and exit code."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from arena.commands.engine_log import check_engine_log, with_engine_log
from arena.commands.game_file import check_game_file, with_game_file
from arena.commands.run_event import (
    Run,
    cluster_address,
    end_in_order,
    ending_code,
    machines_of,
    opened_store,
    tell_each,
    write_reports,
)
from arena.config.event import Config
from arena.event.plan import make_plan
from arena.event.play.director import Ending
from arena.event.play.playing import play_event
from arena.event.resume.held_event import held_event
from arena.event.resume.held_plan import held_plan
from arena.event.resume.players import prepare_players
from arena.event.resume.runner import with_runner
from arena.exit_codes import ExitCode
from arena.formats.event_results import table_of
from arena.gate.evidence import Evidence
from arena.gate.gate import Gate, gate_of
from arena.gate.gate_report import gate_report
from arena.gate.planner import cap_warning, plan_text
from arena.gate.request import GateRequest, asked_gate, check_question
from arena.gate.text import verdict_text
from arena.gate.verdict import verdict_of
from arena.machine.tier_choice import isolated
from arena.ratings.sprt import GateOutcome
from arena.results.secrecy import close_event, seed_part
from arena.results.store import EventRow, Store
from arena.terminal.output import print_result, tell
from arena.terminal.running_table import with_table
from arena.terminal.schedule import schedule_text
from arena.text import plural
from referee.job import Player

SHOWN_MATCHES = 10
"""Matches in the schedule of a dry run: all pairs of a gate are alike."""


def gate_command(
    bots: Sequence[str], base: str | None, asked: GateRequest, shard: str | None, run: Run
) -> int:
    """Run the gate of a command line and return the exit code."""

    def play() -> int:
        config, players = asked_gate(bots, base, asked, shard)
        tell_each(config.notes)
        return _prepare(config, run, players)

    return end_in_order(run, play)


def run_gate(config: Config, run: Run) -> int:
    """Play pairs until the gate is decided, print the verdict, return the exit code."""
    check_question(config)
    tell_each(config.notes)
    return end_in_order(run, lambda: _prepare(config, run, None))


def play_gate(config: Config, run: Run, players: Mapping[str, Player]) -> int:
    """Play a gate between prepared players, like `run_gate`."""
    check_question(config)
    return _prepare(config, run, players)


def _prepare(config: Config, run: Run, players: Mapping[str, Player] | None) -> int:
    check_game_file(run.pgn, config)
    check_engine_log(run.engine_log, cluster_address(config, run))
    if players is None:  # a gate never leaves out a bot
        is_elsewhere = cluster_address(config, run) is not None
        config = with_runner(config)
        players, _ = prepare_players(config, skip_missing=False, is_elsewhere=is_elsewhere)
    if run.is_dry:
        _show_schedule(config, players)
        return ExitCode.DONE
    return _run(config, run, players)


def _gate_of(config: Config, players: Mapping[str, Player]) -> Gate:
    return gate_of(config, {name: player.content for name, player in players.items()})


def _show_schedule(config: Config, players: Mapping[str, Player]) -> None:
    gate = _gate_of(config, players)
    plan = make_plan(config, players, config.seed or 0, format_=gate.format())
    print_result(f"{schedule_text(plan, SHOWN_MATCHES)}\n\n{plan_text(gate.rule, plan.slots)}")


def _run(config: Config, run: Run, players: Mapping[str, Player]) -> int:
    gate = _gate_of(config, players)
    with machines_of(config, run) as machines, closing(opened_store(run.db)) as store:
        place = isolated if machines is None else machines.admit
        players, isolation = place(config, players, run.db)
        tell(isolation)
        if warning := cap_warning(gate.rule):
            tell(f"warning: {warning}")
        if gate.is_identical:
            with held_event(store, config, players, is_new=run.is_new) as event:
                return _end(store, event, gate, None, run)
        held = held_plan(
            store,
            config,
            players,
            run.announcer,
            is_new=run.is_new,
            format_=gate.format(),
            machines=machines,
        )
        with held as (event, plan):
            played = {match.key: match.seats for match in store.matches(event.id)}
            ending = play_event(
                store,
                event,
                with_engine_log(plan, run.engine_log, event),
                table_of(store, event),
                with_table(
                    with_game_file(run.announcer, run.pgn, store, event),
                    run.table_every,
                    store,
                    event,
                    Evidence(gate, played) if gate.shard is None else None,
                ),
                has_preflight=run.has_preflight,
            )
            return _end(store, event, gate, ending, run)


def _end(store: Store, event: EventRow, gate: Gate, ending: Ending | None, run: Run) -> int:
    """Print and report the verdict, or the part of a shard, and return the exit code."""
    if gate.shard is not None and ending is not None:
        print_result(_shard_text(store, event, gate))
        code = ending_code(ending, run.reports.onward)
        write_reports(run, store, event, table_of(store, event), ending, exit_code=code)
        return code
    verdict = verdict_of(store, event)
    if verdict.outcome is not GateOutcome.OPEN:
        verdict = replace(verdict, event=close_event(store, event))
    print_result(verdict_text(verdict))
    is_open = verdict.outcome is GateOutcome.OPEN
    code = ending_code(ending, run.reports.onward) if is_open and ending else verdict.exit_code
    run.reports.write(
        gate_report,
        store,
        verdict.event,
        verdict,
        ending,
        exit_code=code,
        onward=run.reports.onward,
    )
    return code


def _shard_text(store: Store, event: EventRow, gate: Gate) -> str:
    played = store.count(event.id)
    return (
        f"shard {gate.shard} of gate {gate.new} against {gate.base}: {plural(played, 'match')} of"
        f" {len(gate.format().known({}))} in {store.path}, event {event.id}{seed_part(event)}\n"
        "the verdict on all shards: arena merge DB... --db OUT"
    )
