"""Strangers without a key cannot fill the ports of a cluster, however silent they are."""

import asyncio
import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from distributed.comm.core import connect, listen
from waiting import PATIENCE_S

from arena.cluster import handshakes
from arena.cluster.dask_settings import settle
from arena.cluster.keys import security
from arena.config.cluster import Address

LOOPBACK = Address("127.0.0.1", 0)
HALF = b"\x16\x03\x01\x02\x00"
"""The first bytes of a handshake."""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    settle()
    return security(LOOPBACK, None)


async def answer(comm: Any) -> None:
    await comm.write(await comm.read())
    await comm.close()


async def is_served(address: str, settings: Any) -> bool:
    """Whether somebody with a key is answered."""
    comm = await connect(address, **settings.get_connection_args("client"))
    await comm.write("hello")
    said = await comm.read()
    await comm.close()
    return bool(said == "hello")


async def wait_until_closed(stranger: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    while True:
        try:
            if not await loop.sock_recv(stranger, 1000):
                return
        except ConnectionError:
            return


def connected(address: str, opened: ExitStack) -> socket.socket:
    host, _, port = address.removeprefix("tls://").rpartition(":")
    stranger = opened.enter_context(socket.create_connection((host, int(port))))
    stranger.setblocking(False)  # noqa: FBT003 - the name of the standard library
    return stranger


@pytest.mark.parametrize("sent", [b"", HALF])
def test_a_connection_without_a_handshake_is_closed_in_time(
    settings: Any, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshakes, "HANDSHAKE_S", 0.1)

    async def test() -> None:
        port = await listen("tls://127.0.0.1:0", answer, **settings.get_listen_args("worker"))
        with ExitStack() as opened:
            stranger = connected(port.contact_address, opened)
            await asyncio.get_running_loop().sock_sendall(stranger, sent)
            await wait_until_closed(stranger)
        port.stop()

    asyncio.run(asyncio.wait_for(test(), PATIENCE_S))


def test_of_too_many_connections_without_a_handshake_the_oldest_makes_room(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshakes, "HANDSHAKE_S", 10 * PATIENCE_S)
    monkeypatch.setattr(handshakes, "MOST", 5)

    async def test() -> bool:
        port = await listen("tls://127.0.0.1:0", answer, **settings.get_listen_args("worker"))
        with ExitStack() as opened:
            strangers = [connected(port.contact_address, opened) for _ in range(8)]
            for stranger in strangers[:3]:
                await wait_until_closed(stranger)
            found = await is_served(port.contact_address, settings)
            await wait_until_closed(strangers[3])
        port.stop()
        return found

    assert asyncio.run(asyncio.wait_for(test(), PATIENCE_S))
