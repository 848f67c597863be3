"""Around it all: `doctor` for the machine, `schema` for editors."""

import typer

from arena.commands.app import DB, Db, app


@app.command()
def doctor(*, db: Db = DB) -> None:
    """Tell what this machine is good for: isolation, limits, clock, disk, toolchains; and cures."""
    from arena.machine.doctor import report

    typer.echo(report(db))


@app.command()
def schema() -> None:
    """Print the JSON Schema of configs, for editors."""
    from arena.config.schema import schema_text

    typer.echo(schema_text(), nl=False)
