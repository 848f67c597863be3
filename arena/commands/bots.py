"""The commands for bots: `init` writes one, `check` tests one, `bots` lists the shipped ones."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from arena.commands.app import BuildNetwork, Options, app, guard
from arena.commands.completion import complete_bot, complete_game, complete_language
from arena.exit_codes import ExitCode


@app.command(short_help="Write a starter bot.")
def init(
    language: Annotated[
        str,
        typer.Argument(
            help="Language: a folder of bots/starter.", autocompletion=complete_language
        ),
    ],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="New or empty folder.")],
    *,
    game: Annotated[
        str | None, typer.Option(help="Its only game.  [every game]", autocompletion=complete_game)
    ] = None,
) -> None:
    """Write a starter bot in LANGUAGE into the folder DIR, ready to build and play."""
    from arena.bots.scaffold import write_bot
    from arena.terminal.output import is_colored

    made = write_bot(language, folder, game)
    typer.echo(f"wrote {made.folder}: {', '.join(made.files)}")
    if made.missing is not None:
        color = typer.colors.YELLOW if is_colored(sys.stderr) else None
        typer.secho(f"warning: the bot {made.missing}", fg=color, err=True)
    typer.echo("\n".join(["next:", *(f"    {command}" for command in made.commands)]))


@app.command(short_help="Check a bot against the protocol.")
def check(
    bot: Annotated[
        str, typer.Argument(help="Name of a shipped bot, or a path.", autocompletion=complete_bot)
    ],
    *,
    game: Annotated[
        str | None,
        typer.Option(help="Game of the check.  [the bot's first]", autocompletion=complete_game),
    ] = None,
    option: Options = None,
    determinism: Annotated[
        bool, typer.Option("--determinism", help="Compare two plays of the same positions.")
    ] = False,
    build_network: BuildNetwork = "deny",
) -> None:
    """Check BOT against the protocol, step by step, or check whether it is deterministic."""
    guard()
    from arena.bots.building import BuildTerms

    terms = BuildTerms(network=build_network)
    if determinism:
        from arena.check.determinism import check_determinism

        if code := check_determinism(bot, game, option or [], sys.stdout, terms):
            raise typer.Exit(code)
        return
    from arena.check.check import check_bot

    if not check_bot(bot, game, option or [], sys.stdout, terms):
        raise typer.Exit(ExitCode.FAILED)


@app.command()
def bots() -> None:
    """List the shipped bots."""
    from arena.bots.listing import listed, summaries
    from arena.text import width_of

    typer.echo(listed(summaries(), width_of(sys.stdout)))
