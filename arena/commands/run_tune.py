"""Play a tuning for `arena tune`: the search, then the gate of the tuned bot against its base."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from arena.commands.game_file import check_game_file, with_game_file
from arena.commands.run_event import (
    Run,
    cluster_address,
    end_in_order,
    ending_code,
    machines_of,
    opened_store,
    tell_each,
)
from arena.commands.run_gate import play_gate
from arena.config.event import Config
from arena.event.play.director import Ending
from arena.event.play.playing import play_event
from arena.event.resume.held_plan import held_plan
from arena.event.resume.players import prepare_players
from arena.event.resume.runner import with_runner
from arena.exit_codes import ExitCode
from arena.formats.event_results import table_of
from arena.gate.planner import plan_text as gate_plan_text
from arena.gate.request import check_question
from arena.gate.verdict import verdict_of
from arena.machine.tier_choice import isolated
from arena.reports.reporting import ReportFiles
from arena.results.secrecy import close_event
from arena.results.store import EventRow, Store
from arena.terminal.output import print_result, tell
from arena.tune.configs import (
    check_names,
    check_places,
    config_tune,
    first_settings,
    gate_config,
    gate_players,
    named_players,
    players_of_match,
    search_config,
    side_players,
)
from arena.tune.finding import Finding, finding_of, tune_results
from arena.tune.progress import TuneProgress
from arena.tune.request import TuneRequest, asked_tune, named
from arena.tune.text import finding_text, plan_text
from arena.tune.tune_report import tune_report
from referee.job import Player
from referee.seeds import SEED_BITS


def tune_command(bots: Sequence[str], asked: TuneRequest, run: Run) -> int:
    """Run the tuning of a command line and return the exit code."""
    return run_tune(asked_tune(bots, asked), run)


def run_tune(config: Config, run: Run) -> int:
    """Search, print the finding, play the gate, print its verdict, return the exit code."""
    check_question(config)
    tell_each(config.notes)
    return end_in_order(run, lambda: _prepare_and_play(config, run))


def _prepare_and_play(config: Config, run: Run) -> int:
    check_game_file(run.pgn, config)
    is_elsewhere = cluster_address(config, run) is not None
    config = with_runner(config)
    players, _ = prepare_players(config, skip_missing=False, is_elsewhere=is_elsewhere)
    check_places(config, players)
    config = named(config, players)
    check_names(config_tune(config, 0))
    if run.is_dry:
        _show_plan(config)
        return ExitCode.DONE
    finding, code = _search(config, players, run)
    if not finding.is_ended or finding.is_stuck:
        return code
    return _compare(config, players, finding, run)


def _show_plan(config: Config) -> None:
    tune = config_tune(config, config.seed or 0)
    lines = [plan_text(tune), "", "then a gate of the tuned bot against its base:"]
    if config.gate is not None:
        lines.append(gate_plan_text(config.gate, 1 if config.slots == "auto" else config.slots))
    print_result("\n".join(lines))


def _search(config: Config, players: Mapping[str, Player], run: Run) -> tuple[Finding, int]:
    """Play the missing matches of the search; return its finding and the exit code of its end."""
    with machines_of(config, run) as machines, closing(opened_store(run.db)) as store:
        tune = config_tune(config, _seed(config, store, run))
        config = search_config(config, tune)
        place = isolated if machines is None else machines.admit
        bare, isolation = place(config, named_players(tune, players), run.db)
        tell(isolation)
        held = held_plan(
            store,
            config,
            side_players(bare, first_settings(tune)),
            run.announcer,
            is_new=run.is_new,
            format_=tune.format(),
            machines=machines,
        )
        with held as (event, plan):
            cast = None if tune.is_grid else partial(players_of_match, tune, bare)
            ending = play_event(
                store,
                event,
                replace(plan, cast=cast),
                table_of(store, event),
                with_game_file(run.announcer, run.pgn, store, event),
                has_preflight=run.has_preflight,
                remark=TuneProgress(tune, tune_results(store, event.id, tune)).after,
            )
            return _end_search(store, event, ending, run)


def _seed(config: Config, store: Store, run: Run) -> int:
    """Return the seed of a tuning, on which its course depends from the first match on."""
    if config.seed is not None:
        return config.seed
    begun = None if run.is_new else store.latest_event(config.name)
    return secrets.randbits(SEED_BITS) if begun is None else begun.seed


def _end_search(store: Store, event: EventRow, ending: Ending, run: Run) -> tuple[Finding, int]:
    """Print the finding; write the reports unless a gate follows."""
    finding = finding_of(store, event)
    if finding.is_ended:
        finding = replace(finding, event=close_event(store, event))
    print_result(f"{finding_text(finding)}\n")
    if finding.is_ended and not finding.is_stuck:
        return finding, ExitCode.DONE
    onward = run.reports.onward
    code = ExitCode.FAULTS if finding.is_stuck else ending_code(ending, onward)
    run.reports.write(tune_report, store, finding, None, ending, exit_code=code, onward=onward)
    return finding, code


def _compare(config: Config, players: Mapping[str, Player], finding: Finding, run: Run) -> int:
    """Play the gate of the tuned bot against its base and write the reports."""
    tune = config_tune(config, finding.tune.seed)
    gate = gate_config(config, tune)
    alone = replace(run, reports=_quiet(run))
    code = play_gate(gate, alone, gate_players(tune, players, finding.tuned))
    with closing(opened_store(run.db)) as store:
        if (event := store.latest_event(gate.name)) is not None:
            verdict = verdict_of(store, event)
            run.reports.write(tune_report, store, finding, verdict, exit_code=code)
    return code


def _quiet(run: Run) -> ReportFiles:
    """Return report files of the gate, which writes none itself."""
    return ReportFiles(run.reports.command, onward=run.reports.onward)
