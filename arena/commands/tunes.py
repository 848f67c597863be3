"""The command `tune`: search for the best values of a bot's options."""

import sys
from typing import Annotated, Any

import typer

from arena.commands.app import (
    DB,
    Cluster,
    Db,
    DryRun,
    Keys,
    New,
    NoPreflight,
    Openings,
    Options,
    Seed,
    Settings,
    Times,
    app,
    examples,
)
from arena.commands.completion import complete_bot, complete_game
from arena.commands.report_options import ReportPaths, report_files, with_report_options


@app.command(
    short_help="Search for the best values of a bot's options.",
    epilog=examples(
        "arena tune searcher --args '--depth {depth}' -p depth:1:1:4 --grid",
        "arena tune uci:stockfish -p 'Skill Level:10:0:20' -t per_move=50ms",
        "arena tune tune.yaml",
    ),
)
@with_report_options
def tune(  # noqa: PLR0913 - one argument per option
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT [OTHER]",
            help="The bot to tune, and others for more seats; or one config of a tuning.",
            autocompletion=complete_bot,
        ),
    ],
    *,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "-p",
            metavar="NAME:START:MIN:MAX[:STEP]",
            help="Option to tune; or NAME, int, VALUE, MIN, MAX, C_END, R_END.",
        ),
    ] = None,
    args: Annotated[
        str | None,
        typer.Option(
            "--args", metavar="WORDS", help="Arguments of the bot, like '--depth {depth}'."
        ),
    ] = None,
    grid: Annotated[
        bool | None, typer.Option("--grid", help="Play all points, STEP apart, against the base.")
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Steps of the search.  [500]")] = None,
    pairs: Annotated[
        int | None, typer.Option(help="Pairs of a step, or of a point.  [1, in a grid 50]")
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(help="Game.  [the only one of the bots]", autocompletion=complete_game),
    ] = None,
    option: Options = None,
    time: Times = None,
    setting: Settings = None,
    elo0: Annotated[float | None, typer.Option(help="Elo gain to fail at.  [0]")] = None,
    elo1: Annotated[float | None, typer.Option(help="Elo gain to pass at.  [50]")] = None,
    score0: Annotated[
        float | None, typer.Option(help="Score per match to fail at, instead of Elo.")
    ] = None,
    score1: Annotated[float | None, typer.Option(help="Score per match to pass at.  [0]")] = None,
    cap: Annotated[
        int | None, typer.Option(help="Limit of matches of the gate.  [fits the question]")
    ] = None,
    openings: Openings = None,
    seed: Seed = None,
    new: New = False,
    dry_run: DryRun = False,
    no_preflight: NoPreflight = False,
    cluster: Cluster = None,
    keys: Keys = None,
    files: ReportPaths,
    db: Db = DB,
) -> None:
    """Tune options of BOT by matches against itself, then play a gate of the tuned bot.

    The exit code is the verdict of the gate; the same command resumes after an interruption.
    """
    from arena.commands.run_event import Run
    from arena.commands.run_tune import tune_command
    from arena.shell_words import resume_text
    from arena.tune.request import TuneRequest

    search: dict[str, Any] = {"iterations": iterations, "pairs": pairs}
    search |= {"method": "grid"} if grid else {}
    question = {"elo0": elo0, "elo1": elo1, "score0": score0, "score1": score1, "cap": cap}
    asked = TuneRequest(
        parameters=parameter or [],
        arguments=args,
        game=game,
        options=option or [],
        times=time or [],
        settings=setting or [],
        openings=openings,
        seed=seed,
        tune=search,
        gate=question,
    )
    onward = resume_text(sys.argv[1:], once=["--new"] * new)
    reports = report_files("tune", files, onward)
    run = Run(
        db=db,
        is_new=new,
        is_dry=dry_run,
        has_preflight=not no_preflight,
        reports=reports,
        cluster=cluster,
        keys=keys,
    )
    if code := reports.of(lambda: tune_command(bots, asked, run)):
        raise typer.Exit(code)
