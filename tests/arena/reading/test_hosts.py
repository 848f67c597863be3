"""Addresses of hosts by name."""

import errno
import os

import pytest

from arena.config.cluster import parse_address
from arena.errors import UsageError
from arena.reading.hosts import host_addresses, host_and_port, listening_fault


def test_an_address_is_its_own_name() -> None:
    assert host_addresses("127.0.0.1", 7777) == ["127.0.0.1"]


@pytest.mark.parametrize("host", ["no host", "x" * 64 + ".example", "a..b"])
def test_an_unknown_host_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match=r"the host .* cannot be found"):
        host_addresses(host, 7777)


@pytest.mark.parametrize("text", ["tcp://10.0.0.5:8786", "tls://[::1]:8786", "host/path:8786"])
def test_an_address_with_a_protocol_or_a_path_is_none_of_a_host(text: str) -> None:
    assert host_and_port(text) is None
    with pytest.raises(UsageError, match="is not the address of a scheduler; write HOST:PORT"):
        parse_address(text)


def test_a_port_has_five_digits_at_most() -> None:
    assert host_and_port("[::1]:65535") == ("::1", 65535)
    for port in ("65536", "0000009999999", "0" * 5000):  # int() refuses the last one
        assert host_and_port(f"host:{port}") is None


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EADDRINUSE, "Address already in use"),
        (errno.EACCES, "Permission denied, since ports below 1024 are root's"),
        (
            errno.EADDRNOTAVAIL,
            "Cannot assign requested address, since it is none of this machine",
        ),
    ],
)
def test_a_port_that_cannot_be_opened_is_explained(number: int, words: str) -> None:
    assert listening_fault(OSError(number, os.strerror(number))) == words


def test_an_address_that_is_none_is_explained_as_it_is() -> None:
    assert listening_fault(ValueError("no address")) == "no address"
