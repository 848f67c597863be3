"""The commands for bots: `init` writes one, `check` tests one, `bots` lists the shipped ones."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from arena.commands.app import BuildNetwork, app
from arena.exit_codes import ExitCode


@app.command(short_help="Write a bot to start from.")
def init(
    language: Annotated[str, typer.Argument(help="What to write it in: a folder of bots/starter.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where: a new or empty folder.")],
    *,
    game: Annotated[str | None, typer.Option(help="The one game it is to play.")] = None,
) -> None:
    """Write a bot to start from, in LANGUAGE, into the folder DIR; it builds and plays at once."""
    from arena.bots.scaffold import write_bot

    made = write_bot(language, folder, game)
    typer.echo(f"wrote {made.folder}: {', '.join(made.files)}")
    if made.missing is not None:
        typer.secho(f"warning: it {made.missing}", fg=typer.colors.YELLOW, err=True)
    typer.echo("\n".join(["next:", *(f"    {command}" for command in made.commands)]))


@app.command(short_help="Check whether a bot speaks the protocol.")
def check(
    bot: Annotated[str, typer.Argument(help="A shipped bot by its name, or a path.")],
    *,
    game: Annotated[
        str | None, typer.Option(help="The game to check it in; its first if absent.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game.")
    ] = None,
    determinism: Annotated[
        bool, typer.Option("--determinism", help="Play the same twice: does it play the same?")
    ] = False,
    build_network: BuildNetwork = "deny",
) -> None:
    """Check whether BOT speaks the protocol, step by step; or whether it plays the same again."""
    from arena.bots.building import Terms

    terms = Terms(network=build_network)
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
    """List the bots that come with Arena."""
    from arena import text
    from arena.bots.manifest import read_manifest
    from arena.bots.shipped import shipped_bots

    rows = []
    for name, path in shipped_bots().items():
        manifest = read_manifest(path)
        played = ", ".join(manifest.games or ("every game",))
        rows.append([name, manifest.language or "", played, manifest.summary])
    typer.echo(text.table(["bot", "language", "plays", ""], rows, left=4))
