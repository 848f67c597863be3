"""The scheduler of a cluster: passes matches from a director to workers, and results back."""

import asyncio
import contextlib
import resource
import sys
from pathlib import Path

from distributed import Scheduler, Security

from arena.cluster.dask_settings import run_until_signalled, settle, without_http
from arena.cluster.keys import security
from arena.config.cluster import Address
from arena.errors import UsageError
from arena.reading.hosts import listening_fault
from referee.sandbox import private_directory


class _Scheduler(Scheduler):
    start_http_server = without_http


def run_scheduler(listen: Address, keys: Path | None, setting: str = "--listen") -> None:
    """Serve until a signal; raises UsageError about the setting of an address without use."""
    settle()
    secure = security(listen, keys)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # silent strangers take one each
    with private_directory() as folder, contextlib.suppress(KeyboardInterrupt):
        run_until_signalled(_serve(listen, secure, folder, setting))


async def _serve(listen: Address, secure: Security, folder: Path, setting: str) -> None:
    """Serve with files in a private folder.

    By default, Dask takes a folder that another user of the machine can make before, imports
    modules from there and writes through links in it.
    """
    scheduler = _Scheduler(
        host=listen.host,
        port=listen.port,
        protocol="tls",
        security=secure,
        dashboard=False,
        local_directory=str(folder),
    )
    try:
        await scheduler
    except (OSError, RuntimeError) as error:  # Dask wraps the error of the socket
        why = error if isinstance(error, OSError) else error.__cause__
        if not isinstance(why, OSError):
            raise
        raise UsageError(
            f"the scheduler cannot listen at {listen}: {listening_fault(why)}; {setting} takes"
            " an address of this machine and a free port"
        ) from None
    try:
        address = scheduler.address.partition("://")[2]
        sys.stdout.write(f"scheduler at {address}\n")
        sys.stdout.flush()
        await scheduler.finished()  # type: ignore[no-untyped-call]
    finally:
        with contextlib.suppress(Exception, asyncio.CancelledError):  # it ends anyway
            await scheduler.close()
