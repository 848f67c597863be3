"""The commands for several machines: `worker`, and `cluster` for schedulers and keys."""

from pathlib import Path
from typing import Annotated

import typer

from arena.commands.app import Keys, app, examples, new_group

cluster = new_group("cluster", "Start a scheduler, write keys for machines.")


@app.command(
    short_help="Play matches for a scheduler.", epilog=examples("arena worker 192.0.2.7:8786")
)
def worker(
    address: Annotated[str, typer.Argument(metavar="HOST:PORT", help="Address of the scheduler.")],
    *,
    slots: Annotated[
        int | None, typer.Option(min=1, max=256, help="Matches at a time.  [as cores allow]")
    ] = None,
    cores: Annotated[int, typer.Option(min=1, max=64, help="Cores per slot.")] = 1,
    name: Annotated[str | None, typer.Option(help="Name in messages.  [host and process]")] = None,
    keys: Keys = None,
    wait: Annotated[
        int, typer.Option(min=0, max=86_400, help="Seconds to wait for a scheduler.")
    ] = 600,
) -> None:
    """Play the matches of events that a scheduler sends, until a signal."""
    from arena.cluster.dask_settings import check_extra
    from arena.config.cluster import parse_address

    check_extra()
    scheduler = parse_address(address)
    from arena.cluster.worker import WorkerTerms, run_worker
    from arena.terminal.output import tell

    run_worker(
        WorkerTerms(
            scheduler=scheduler,
            slots=slots,
            cores=cores,
            name=name,
            keys=keys,
            wait_s=wait,
            tell=tell,
        )
    )


@cluster.command("start", short_help="Start a scheduler.")
def start(
    *,
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Address to listen at.")
    ] = "127.0.0.1:8786",
    keys: Keys = None,
) -> None:
    """Start a scheduler: it passes matches to workers until a signal."""
    from arena.cluster.dask_settings import check_extra
    from arena.config.cluster import parse_address

    check_extra()
    address = parse_address(listen)
    from arena.cluster.scheduler import run_scheduler

    run_scheduler(address, keys)


@cluster.command(
    "keys",
    short_help="Write keys for machines.",
    epilog=examples("arena cluster keys keys head node-1 node-2"),
)
def keys_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of all keys.")],
    machines: Annotated[list[str], typer.Argument(metavar="MACHINE...", help="Names.")],
) -> None:
    """Write a private authority and a certificate for each machine."""
    from arena.cluster.keys import write_keys

    for written in write_keys(folder, machines):
        typer.echo(written)
