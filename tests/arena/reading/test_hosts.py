"""Addresses of hosts by name."""

import pytest

from arena.errors import UsageError
from arena.reading.hosts import host_addresses, host_and_port


def test_an_address_is_its_own_name() -> None:
    assert host_addresses("127.0.0.1", 7777) == ["127.0.0.1"]


@pytest.mark.parametrize("host", ["no host", "x" * 64 + ".example", "a..b"])
def test_an_unknown_host_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match=r"the host .* cannot be found"):
        host_addresses(host, 7777)


def test_a_port_has_five_digits_at_most() -> None:
    assert host_and_port("[::1]:65535") == ("::1", 65535)
    for port in ("65536", "0000009999999", "0" * 5000):  # int() refuses the last one
        assert host_and_port(f"host:{port}") is None
