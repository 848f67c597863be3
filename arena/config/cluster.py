"""Addresses of a cluster: HOST:PORT of a scheduler, or local:N for workers on this machine."""

import ipaddress
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

from arena.errors import UsageError
from arena.reading.fields import objection
from arena.reading.hosts import host_addresses, host_and_port
from protocol.wording import quoted

LOCAL = "local"
MAX_LOCAL = 64
"""Limit of the workers on one machine."""
MAX_ADDRESS = 300


@dataclass(frozen=True)
class Address:
    """Address of a scheduler."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """Return the address for Dask, encrypted."""
        return f"tls://{self}"

    def is_loopback(self) -> bool:
        """Whether only this machine reaches the address; raises UsageError for an unknown host."""
        found = host_addresses(self.host, self.port)
        return all(ipaddress.ip_address(address).is_loopback for address in found)

    @property
    def keys_option(self) -> str:
        """Return the option for keys as commands need it: on the loopback, they have their own."""
        return "" if self.is_loopback() else " --keys DIR"


def parse_address(text: str) -> Address:
    """Return the address HOST:PORT of a scheduler; raises UsageError."""
    found = host_and_port(text.strip())
    if found is None or not found[0].isprintable() or len(text) >= MAX_ADDRESS:
        raise UsageError(
            f"{quoted(text)} is not the address of a scheduler; write HOST:PORT, like 10.0.0.5:8786"
        )
    return Address(*found)


def local_workers(text: str) -> int | None:
    """Return N of local:N; None for any other address. Raises UsageError."""
    kind, colon, count = text.strip().partition(":")
    if kind != LOCAL or not colon:
        return None
    if not (count.isascii() and count.isdigit() and 1 <= int(count[:4]) <= MAX_LOCAL):
        raise UsageError(f"{quoted(text)}: write local:N, with N workers from 1 to {MAX_LOCAL}")
    return int(count)


def parse_cluster(text: str) -> Address | int:
    """Return the address of a scheduler, or N of local:N; raises UsageError."""
    workers = local_workers(text)
    if workers is not None:
        return workers
    try:
        return parse_address(text)
    except UsageError as error:
        raise UsageError(f"{error}, or local:2 for two workers on this machine") from None


def _address(text: str) -> str:
    try:
        parse_cluster(text)
    except UsageError as error:
        raise objection(str(error)) from None
    return text


ClusterAddress = Annotated[str, AfterValidator(_address)]
