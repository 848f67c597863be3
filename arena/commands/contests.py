"""The commands for events: `tournament`, `match`, `gate`, and `merge` for sharded gates."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.commands.app import DB, Badge, BuildNetwork, Db, Json, Junit, Network, Summary, app
from referee.seeds import MAX_SEED

if TYPE_CHECKING:
    from arena.commands.playing import Run
    from arena.config.event import Config
    from arena.reports.reporting import Reports


@app.command(short_help="Play a contest to its standings.")
def tournament(  # noqa: PLR0913 - one argument per option
    config: Annotated[str, typer.Argument(help="A config file; ours are like configs/pente.yaml.")],
    *,
    new: Annotated[bool, typer.Option("--new", help="Start over, even if it was begun.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the schedule and stop.")
    ] = False,
    skip_missing: Annotated[
        bool, typer.Option("--skip-missing", help="Leave out bots whose toolchain is missing.")
    ] = False,
    no_preflight: Annotated[
        bool, typer.Option("--no-preflight", help="Play even with bots that do not work.")
    ] = False,
    junit: Junit = None,
    summary: Summary = None,
    json: Json = None,
    badge: Badge = None,
    db: Db = DB,
) -> None:
    """Play the event of CONFIG, or what is missing of it, and print its standings."""
    from arena.commands.playing import Run
    from arena.config.event_config import load_config

    reports = _reports("tournament", junit, summary, json, badge, onward=_onward(is_new=new))
    run = Run(
        db=db,
        is_new=new,
        is_dry=dry_run,
        skip_missing=skip_missing,
        has_preflight=not no_preflight,
        reports=reports,
    )
    _end(reports, lambda: _play(load_config(config), run))


@app.command(short_help="Play a few matches between bots.")
def match(  # noqa: PLR0913 - one argument per option
    bots: Annotated[list[str], typer.Argument(help="Shipped bots by name, or paths.")],
    *,
    game: Annotated[str, typer.Option(help="The game to play.")],
    games: Annotated[int, typer.Option(min=1, help="How many matches.")] = 2,
    option: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=MAX_SEED, help="Where all chance comes from.")
    ] = None,
    debug: Annotated[
        str | None, typer.Option(metavar="BOT", help="Give this one the terminal and no limits.")
    ] = None,
    build_network: BuildNetwork = "deny",
    junit: Junit = None,
    summary: Summary = None,
    json: Json = None,
    badge: Badge = None,
    db: Db = DB,
) -> None:
    """Play a few matches between BOTS now, seats rotated, without a config."""
    from arena.commands.playing import Run
    from arena.config.quick import quick_config

    def run() -> int:
        loaded = quick_config(
            bots,
            game=game,
            games=games,
            options=option or [],
            seed=seed,
            build_network=build_network,
        )
        if debug is None:
            return _play(loaded, Run(db=db, is_new=True, reports=reports))
        from arena.check.debug import debug_match
        from arena.errors import UsageError

        if junit or summary or json or badge:
            raise UsageError("--debug is for people: it writes no --junit, --summary and the like")
        debug_match(loaded, debug, db)
        return 0

    onward = "`arena match` starts over when run again"
    reports = _reports("match", junit, summary, json, badge, onward=onward)
    _end(reports, run)


@app.command(short_help="Is a new version of a bot worse?")
def gate(  # noqa: PLR0913 - one argument per option
    bots: Annotated[
        list[str], typer.Argument(metavar="NEW BASE", help="Two bots; or one config of a gate.")
    ],
    *,
    base: Annotated[
        str | None, typer.Option(metavar="BOT|git:REV", help="BASE, if it is not an argument.")
    ] = None,
    game: Annotated[str | None, typer.Option(help="The game to play.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game.")
    ] = None,
    elo0: Annotated[float | None, typer.Option(help="So weak is a fail.  [-50]")] = None,
    elo1: Annotated[float | None, typer.Option(help="So strong is a pass.  [0]")] = None,
    score0: Annotated[
        float | None, typer.Option(help="Compare scores: so much more a match is a fail.")
    ] = None,
    score1: Annotated[float | None, typer.Option(help="So much more is a pass.  [0]")] = None,
    alpha: Annotated[
        float | None, typer.Option(help="How often one to fail may pass.  [0.05]")
    ] = None,
    beta: Annotated[
        float | None, typer.Option(help="How often one to pass may fail.  [0.05]")
    ] = None,
    cap: Annotated[int | None, typer.Option(help="Matches at most.  [600]")] = None,
    max_faults: Annotated[int | None, typer.Option(help="Faults of NEW allowed.  [0]")] = None,
    openings: Annotated[
        str | None, typer.Option(metavar="PLIES|FILE", help="Plies to draw, or a file.  [4]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=MAX_SEED, help="Where all chance comes from.")
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Play part I of N; see `arena merge`.")
    ] = None,
    build_network: Annotated[
        Network | None, typer.Option(help="Whether builds of bots may use the network.  [deny]")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="Start over, even if it was begun.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the schedule and stop.")
    ] = False,
    no_preflight: Annotated[
        bool, typer.Option("--no-preflight", help="Play even with bots that do not work.")
    ] = False,
    junit: Junit = None,
    summary: Summary = None,
    json: Json = None,
    badge: Badge = None,
    db: Db = DB,
) -> None:
    """Play NEW against BASE until it is clear whether it is worse: the exit code is the verdict."""
    from arena.commands.gating import gate_command
    from arena.commands.playing import Run
    from arena.gate.asked import Asked

    rule = {"elo0": elo0, "elo1": elo1, "score0": score0, "score1": score1, "alpha": alpha}
    rule |= {"beta": beta, "cap": cap, "max_faults": max_faults}
    asked = Asked(
        game=game,
        options=option or [],
        openings=openings,
        seed=seed,
        build_network=build_network,
        gate=rule,
    )
    reports = _reports("gate", junit, summary, json, badge, onward=_onward(is_new=new))
    run = Run(db=db, is_new=new, is_dry=dry_run, has_preflight=not no_preflight, reports=reports)
    _end(reports, lambda: gate_command(bots, base, asked, shard, run))


@app.command(short_help="Put the shards of a gate together.")
def merge(
    databases: Annotated[
        list[Path], typer.Argument(metavar="DB...", help="The databases of the shards.")
    ],
    *,
    db: Annotated[Path, typer.Option("--db", help="The database they are put into.")],
    junit: Junit = None,
    summary: Summary = None,
    json: Json = None,
    badge: Badge = None,
) -> None:
    """Put the shards of a gate together and print the verdict on all of them."""
    from arena.gate.merge import merge as merge_shards
    from arena.gate.report import merged_report
    from arena.gate.text import verdict_text

    def run() -> int:
        verdict = merge_shards(databases, db)
        typer.echo(verdict_text(verdict))
        reports.write(merged_report, verdict)
        return verdict.exit_code

    reports = _reports("gate", junit, summary, json, badge, onward=_onward(is_new=False))
    _end(reports, run)


def _onward(*, is_new: bool) -> str:
    from arena.text import resume_text

    return resume_text(sys.argv[1:], is_new=is_new)


def _reports(
    command: str,
    junit: Path | None,
    summary: Path | None,
    json: Path | None,
    badge: Path | None,
    *,
    onward: str,
) -> "Reports":
    from arena.reports.reporting import Reports

    return Reports(
        command,
        onward=onward,
        junit=junit,
        summary=summary,
        json=json,
        badge=badge,
        environment=os.environ,
    )


def _end(reports: "Reports", run: Callable[[], int]) -> None:
    if code := reports.of(run):
        raise typer.Exit(code)


def _play(config: "Config", run: "Run") -> int:
    if config.format == "gate":
        from arena.commands.gating import run_gate

        return run_gate(config, run)
    from arena.commands.playing import run_event

    return run_event(config, run)
