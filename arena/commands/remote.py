"""The commands for bots of other machines: `keys`, `host` for organisers, `join` for owners."""

from pathlib import Path
from typing import Annotated

import typer

from arena.commands.app import BuildNetwork, app, examples, new_group
from arena.reading.choices import Isolation

keys = new_group("keys", "Make and show the keys of remote bots.")

KeyFile = Annotated[Path, typer.Option("--key", metavar="FILE", help="File of the secret key.")]


@keys.command(short_help="Make a key pair.", epilog=examples("arena keys new ann"))
def new(
    name: Annotated[str, typer.Argument(help="Name of the bot or its owner, or of the host.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write it.")] = Path(),
) -> None:
    """Write a secret key to NAME.secret and print the public one for the list of entrants."""
    from arena.remote.keys import write_key
    from arena.terminal.output import tell

    path, public = write_key(name, folder)
    tell(f"wrote {path}: keep it secret; the public key is for the other side:")
    typer.echo(f'{name}: "{public}"')


@keys.command(short_help="Print a public key.", epilog=examples("arena keys show ann.secret"))
def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of a secret key.")],
) -> None:
    """Print the public key that belongs to the secret key in FILE, and its line for a list."""
    from arena.remote.keys import read_key
    from arena.terminal.output import tell

    public = read_key(file).public
    tell(f'in entrants.yaml: {file.stem}: "{public}"')
    typer.echo(public)


@app.command(
    short_help="Let bots of other machines play.",
    epilog=examples("arena host --key host.secret --entrants entrants.yaml"),
)
def host(
    *,
    key: KeyFile,
    entrants: Annotated[
        Path, typer.Option("--entrants", metavar="FILE", help="Names and public keys, as YAML.")
    ],
    listen: Annotated[
        str, typer.Option("--listen", metavar="tcp://HOST:PORT", help="Port to open.")
    ] = "tcp://0.0.0.0:7777",
) -> None:
    """Open a port for bots of the entrants, for all your events on this machine."""
    from arena.remote.serving import open_door
    from arena.terminal.output import tell

    open_door(key, entrants, listen, tell)


@app.command(
    short_help="Play your bot in events of another machine.",
    epilog=examples("arena join tcp://192.0.2.7:7777 ./my-bot --key ann.secret --server KEY"),
)
def join(
    endpoint: Annotated[str, typer.Argument(metavar="tcp://HOST:PORT", help="The host's port.")],
    bot: Annotated[str, typer.Argument(help="Name of a shipped bot, or a path.")],
    *,
    server: Annotated[str, typer.Option("--server", metavar="KEY", help="Public key of the host.")],
    key: KeyFile,
    isolation: Annotated[
        Isolation, typer.Option(help="Whether the bot is sandboxed here.")
    ] = "auto",
    build_network: BuildNetwork = "deny",
    matches: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Matches at a time; more are refused.")
    ] = 16,
) -> None:
    """Join the host at tcp://HOST:PORT and play BOT in its matches, until Ctrl-C."""
    from arena.remote.serving import Joining, join_host
    from arena.terminal.output import tell

    asked = Joining(
        endpoint=endpoint,
        bot=bot,
        server=server,
        key=key,
        isolation=isolation,
        network=build_network,
        matches=matches,
    )
    join_host(asked, tell)
