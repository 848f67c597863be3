"""The commands for bots: `init` writes one, `check` tests one, `bots` lists the shipped ones."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.commands.app import BotIsolation, BuildNetwork, Options, app, examples, guard
from arena.commands.completion import complete_bot, complete_game, complete_language
from arena.errors import UsageError
from arena.exit_codes import ExitCode


@app.command(
    short_help="Write a starter bot, or a first config.",
    epilog=examples(
        "arena init python my-bot", "arena init tournament class.yaml ./ann ./bob --game pente"
    ),
)
def init(
    language: Annotated[
        str,
        typer.Argument(
            help="Language of a bot: awk, c, cpp, go, java, javascript, php, python, ruby, rust"
            " or typescript. Or: tournament.",
            autocompletion=complete_language,
        ),
    ],
    path: Annotated[
        Path, typer.Argument(help="New or empty folder of the bot. Or: new file of the config.")
    ],
    bots: Annotated[
        list[str] | None,
        typer.Argument(help="Bots of the tournament.", autocompletion=complete_bot),
    ] = None,
    *,
    game: Annotated[
        str | None,
        typer.Option(
            help="The bot's only game; the game of the tournament.  [every game]",
            autocompletion=complete_game,
        ),
    ] = None,
) -> None:
    """Write a starter bot in LANGUAGE into the folder PATH, or the config of a tournament.

    `arena init python my-bot` writes a bot, ready to build and play. `arena init tournament
    class.yaml ./ann ./bob --game pente` writes a short config with comments.
    """
    if language == "tournament":
        from arena.config.first_config import write_config

        config = write_config(path, bots or [], game)
        _report(f"wrote {config.path}", config.warnings, config.commands)
        return
    from arena.bots.scaffold import write_bot

    if bots:
        raise UsageError(f"arena init {language} writes one bot, into one folder: {path}")
    made = write_bot(language, path, game)
    missing = (f"the bot {made.missing}",) if made.missing is not None else ()
    _report(f"wrote {made.folder}: {', '.join(made.files)}", missing, made.commands)


def _report(done: str, warnings: Sequence[str], commands: Sequence[str]) -> None:
    """Print what a command wrote, its warnings and the next commands."""
    from arena.terminal.output import is_colored

    typer.echo(done)
    color = typer.colors.YELLOW if is_colored(sys.stderr) else None
    for warning in warnings:
        typer.secho(f"warning: {warning}", fg=color, err=True)
    typer.echo("\n".join(["next:", *(f"    {command}" for command in commands)]))


@app.command(
    short_help="Check a bot against the protocol.",
    epilog=examples("arena check ./my-bot --game pente"),
)
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
    isolation: BotIsolation = "auto",
    build_network: BuildNetwork = "deny",
) -> None:
    """Check BOT against the protocol, step by step, or check whether it is deterministic."""
    guard()
    from arena.bots.building import BuildTerms

    terms = BuildTerms(isolation=isolation, network=build_network)
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
