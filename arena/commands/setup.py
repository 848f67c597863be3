"""The commands for setup: `doctor` for the machine, `schema` for editors."""

from typing import Annotated

import typer

from arena.commands.app import DB, Db, app, guard


def _print_version(is_wanted: bool) -> None:  # noqa: FBT001 - as typer calls it
    if is_wanted:
        from importlib.metadata import version

        typer.echo(f"arena {version('bot-arena')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Fair contests between game-playing programs in any language."""
    del version  # its callback has printed it


@app.command(short_help="Report on this machine.")
def doctor(*, db: Db = DB) -> None:
    """Report isolation, limits, clock, disk and toolchains of this machine, with cures."""
    guard()
    from arena.machine.doctor import report
    from arena.terminal.output import print_result

    print_result(report(db))


@app.command(short_help="Print the JSON Schema of configs.")
def schema() -> None:
    """Print the JSON Schema of configs, for editors."""
    from arena.config.schema import schema_text

    typer.echo(schema_text(), nl=False)
