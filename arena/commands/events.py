"""The commands for events: `tournament`, `match`, `gate`, `merge` for sharded gates, and `plan`."""

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.commands.app import (
    DB,
    BuildNetwork,
    Cluster,
    Db,
    DryRun,
    Each,
    EngineLog,
    Keys,
    New,
    NoPreflight,
    Openings,
    Options,
    Pgn,
    Seed,
    Settings,
    TableEvery,
    Times,
    app,
    examples,
    guard,
)
from arena.commands.completion import complete_bot, complete_game
from arena.commands.report_options import ReportPaths, report_files, with_report_options
from arena.reading.choices import NetworkAccess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.commands.run_event import Run
    from arena.config.event import Config
    from arena.reports.reporting import ReportFiles

LEAST_ELO, MOST_ELO = 0.1, 500.0
"""Range of the Elo of `plan`."""
MOST_DRAWS = 0.95
MERGE = "arena merge shard-1.db shard-2.db --db gate.db"


@app.command(
    short_help="Play the event of a config.",
    epilog=examples(
        "arena tournament my.yaml --serve",
        "arena tournament my.yaml --dry-run",
    ),
)
@with_report_options
def tournament(  # noqa: PLR0913 - one argument per option
    config: Annotated[str, typer.Argument(help="Config file, like configs/pente.yaml.")],
    *,
    new: New = False,
    update: Annotated[
        bool, typer.Option("--update", help="Apply changes of bots, limits and rules.")
    ] = False,
    dry_run: DryRun = False,
    skip_missing: Annotated[
        bool, typer.Option("--skip-missing", help="Leave out bots without their toolchain.")
    ] = False,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Leave out bots that do not work.")
    ] = False,
    no_preflight: NoPreflight = False,
    cluster: Cluster = None,
    keys: Keys = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Show the event as live pages in a browser.")
    ] = False,
    pgn: Pgn = None,
    engine_log: EngineLog = None,
    table_every: TableEvery = None,
    files: ReportPaths,
    db: Db = DB,
) -> None:
    """Play the event of CONFIG, or resume it, and print its standings."""
    from arena.config.loading import load_config
    from arena.errors import UsageError

    if new and update:
        raise UsageError("--new starts over and --update resumes; use one of them")

    def run() -> int:
        loaded = load_config(config, skip_broken=skip_broken, qualify=qualify)
        if update and loaded.format in ("gate", "tune"):
            kind = "gate" if loaded.format == "gate" else "tuning"
            raise UsageError(f"--update is not for a {kind}: its bots are the question; use --new")
        # slow imports: not before an error of the config is shown
        from arena.commands.run_event import Run

        options = Run(
            db=db,
            is_new=new,
            may_update=update,
            update_command=shlex.join(["arena", *sys.argv[1:], "--update"]),
            is_dry=dry_run,
            skip_missing=skip_missing,
            has_preflight=not no_preflight,
            reports=reports,
            cluster=cluster,
            keys=keys,
            pgn=pgn,
            engine_log=engine_log,
            table_every=table_every,
        )
        if not serve or dry_run:
            return _play(loaded, options)
        from arena.commands.pages import with_pages

        return with_pages(
            db, lambda announcer: _play(loaded, replace(options, announcer=announcer))
        )

    def qualify(event: str, top: int) -> "Sequence[Mapping[str, Any]]":
        from arena.formats.qualifiers import best_bots

        return best_bots(db, event, top)

    reports = report_files("tournament", files, _onward(is_new=new, is_update=update))
    _end(reports, run)


@app.command(
    short_help="Play a few matches between bots.",
    epilog=examples(
        "arena match ./my-bot greedy --game pente",
        "arena match ./my-bot greedy --game pente --games 20 --openings 4",
        "arena match 'uci:./new?Hash=64' uci:./old --each nodes=5000 --games 40",
        "arena match ./my-bot greedy --game pente -c isolation=none --debug my-bot",
    ),
)
@with_report_options
def match(  # noqa: PLR0913 - one argument per option
    bots: Annotated[
        list[str],
        typer.Argument(help="Names of shipped bots, or paths.", autocompletion=complete_bot),
    ],
    *,
    game: Annotated[
        str | None,
        typer.Option(help="Game.  [the only one of the bots]", autocompletion=complete_game),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Matches of the same bots.")] = 2,
    each: Each = None,
    option: Options = None,
    time: Times = None,
    setting: Settings = None,
    openings: Openings = None,
    seed: Seed = None,
    debug: Annotated[
        str | None, typer.Option(metavar="BOT", help="Run this bot in the terminal without limits.")
    ] = None,
    new: New = False,
    no_preflight: NoPreflight = False,
    build_network: BuildNetwork = "deny",
    pgn: Pgn = None,
    engine_log: EngineLog = None,
    table_every: TableEvery = None,
    files: ReportPaths,
    db: Db = DB,
) -> None:
    """Play matches between BOTS without a config, seats rotated; resume them if interrupted."""
    if debug is not None:
        guard()
    from arena.bots.engine_reference import with_each
    from arena.config.quick import quick_config

    def play() -> int:
        loaded = quick_config(
            with_each(bots, each or []),
            game=game,
            games=games,
            options=option or [],
            times=time or [],
            settings=[f"build_network={build_network}", *(setting or [])],
            openings=openings,
            seed=seed,
        )
        if debug is None:
            from arena.commands.run_event import Run

            run = Run(
                db=db,
                is_new=new,
                has_preflight=not no_preflight,
                reports=reports,
                pgn=pgn,
                engine_log=engine_log,
                table_every=table_every,
            )
            return _play(loaded, run)
        from arena.check.debug import debug_match
        from arena.errors import UsageError

        if any((*files.values(), pgn, engine_log)):
            raise UsageError(
                "--debug writes no files; leave out --pgn, --engine-log, --junit, --summary, --json"
                " and --badge"
            )
        debug_match(loaded, debug, db)
        return 0

    reports = report_files("match", files, _onward(is_new=new))
    _end(reports, play)


@app.command(
    short_help="Test whether a new version of a bot is worse.",
    epilog=examples(
        "arena gate ./my-bot git:main --game pente",
        "arena gate ./my-bot ./old-bot --game pente --elo0 0 --elo1 30",
    ),
)
@with_report_options
def gate(  # noqa: PLR0913 - one argument per option
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="NEW [BASE] [OTHER]",
            help="Two bots, and others for more seats; or one config of a gate.",
            autocompletion=complete_bot,
        ),
    ],
    *,
    base: Annotated[
        str | None, typer.Option(metavar="BOT|git:REV", help="BASE as an option.")
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(help="Game.  [the only one of the bots]", autocompletion=complete_game),
    ] = None,
    each: Each = None,
    option: Options = None,
    time: Times = None,
    setting: Settings = None,
    elo0: Annotated[float | None, typer.Option(help="Elo difference to fail at.  [-50]")] = None,
    elo1: Annotated[float | None, typer.Option(help="Elo difference to pass at.  [0]")] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="logistic|normalized", help="Kind of Elo.  [logistic]"),
    ] = None,
    score0: Annotated[
        float | None, typer.Option(help="Score per match to fail at, instead of Elo.")
    ] = None,
    score1: Annotated[float | None, typer.Option(help="Score per match to pass at.  [0]")] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Probability of a wrong pass.  [0.05]")
    ] = None,
    beta: Annotated[float | None, typer.Option(help="Probability of a wrong fail.  [0.05]")] = None,
    cap: Annotated[int | None, typer.Option(help="Limit of matches.  [fits the question]")] = None,
    max_faults: Annotated[int | None, typer.Option(help="Allowed faults of NEW.  [0]")] = None,
    exact_clock: Annotated[
        bool | None,
        typer.Option("--exact-clock", help="Refuse approximate CPU times of a bot."),
    ] = None,
    openings: Openings = None,
    seed: Seed = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Play part I of N; see `arena merge`.")
    ] = None,
    build_network: Annotated[
        NetworkAccess | None, typer.Option(help="Network access of builds.  [deny]")
    ] = None,
    new: New = False,
    dry_run: DryRun = False,
    no_preflight: NoPreflight = False,
    pgn: Pgn = None,
    engine_log: EngineLog = None,
    table_every: TableEvery = None,
    files: ReportPaths,
    db: Db = DB,
) -> None:
    """Play NEW against BASE until the test is decided; the exit code is the verdict."""
    from arena.commands.run_event import Run
    from arena.commands.run_gate import gate_command
    from arena.gate.request import GateRequest

    rule: dict[str, Any] = {
        "elo0": elo0,
        "elo1": elo1,
        "score0": score0,
        "score1": score1,
        "alpha": alpha,
    }
    rule |= {"beta": beta, "model": model, "cap": cap, "max_faults": max_faults}
    rule["exact_clock"] = exact_clock
    asked = GateRequest(
        game=game,
        options=option or [],
        times=time or [],
        settings=setting or [],
        openings=openings,
        seed=seed,
        build_network=build_network,
        each=each or [],
        gate=rule,
    )
    reports = report_files("gate", files, _onward(is_new=new))
    run = Run(
        db=db,
        is_new=new,
        is_dry=dry_run,
        has_preflight=not no_preflight,
        reports=reports,
        pgn=pgn,
        engine_log=engine_log,
        table_every=table_every,
    )
    _end(reports, lambda: gate_command(bots, base, asked, shard, run))


@app.command(short_help="Merge the shards of a gate.", epilog=examples(MERGE))
@with_report_options
def merge(
    databases: Annotated[
        list[Path], typer.Argument(metavar="DB...", help="Databases of the shards.")
    ],
    *,
    db: Annotated[Path, typer.Option("--db", help="Database to write.")],
    files: ReportPaths,
) -> None:
    """Merge the shards of a gate and print the verdict on all matches."""
    from arena.gate.gate_report import merged_report
    from arena.gate.merge import merge as merge_shards
    from arena.gate.text import verdict_text
    from arena.terminal.output import print_result

    def run() -> int:
        verdict = merge_shards(databases, db)
        print_result(verdict_text(verdict))
        reports.write(merged_report, verdict)
        return verdict.exit_code

    reports = report_files("gate", files, _onward())
    _end(reports, run)


@app.command(
    short_help="Say how many matches a question needs.",
    epilog=examples("arena plan --error 20 --bots 6", "arena plan --difference 15 --draws 0.4"),
)
def plan(
    *,
    error: Annotated[
        float | None, typer.Option(metavar="ELO", help="Wanted 95 % error of a difference.")
    ] = None,
    difference: Annotated[
        float | None, typer.Option(metavar="ELO", help="Difference that is to be shown.")
    ] = None,
    bots: Annotated[int, typer.Option(min=2, max=1000, help="Bots in a round robin.")] = 2,
    draws: Annotated[float, typer.Option(help="Share of drawn matches, from 0 to 0.95.")] = 0.0,
) -> None:
    """Say how many matches give an error in Elo, or show a difference; nothing is played."""
    from arena.gate.planner import matches_text
    from arena.terminal.output import print_result

    for name, elo in (("--error", error), ("--difference", difference)):
        if elo is not None and not LEAST_ELO <= elo <= MOST_ELO:
            raise typer.BadParameter(f"{name} must be between {LEAST_ELO:g} and {MOST_ELO:g} Elo")
    if not 0 <= draws <= MOST_DRAWS:
        raise typer.BadParameter(f"--draws must be between 0 and {MOST_DRAWS:g}")
    if error is None and difference is None:
        raise typer.BadParameter("give --error ELO or --difference ELO")
    print_result(matches_text(error=error, difference=difference, bots=bots, draws=draws))


def _onward(*, is_new: bool = False, is_update: bool = False) -> str:
    from arena.shell_words import resume_text

    # repeated, they would start over or accept changes that nobody has read
    once = ["--new"] * is_new + ["--update"] * is_update
    return resume_text(sys.argv[1:], once=once)


def _end(reports: "ReportFiles", run: Callable[[], int]) -> None:
    if code := reports.of(run):
        raise typer.Exit(code)


def _play(config: "Config", run: "Run") -> int:
    if config.format == "gate":
        from arena.commands.run_gate import run_gate

        return run_gate(config, run)
    if config.format == "tune":
        from arena.commands.run_tune import run_tune

        return run_tune(config, run)
    from arena.commands.run_event import run_event

    return run_event(config, run)
