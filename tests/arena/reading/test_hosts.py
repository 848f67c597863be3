"""Addresses of hosts by name."""

import pytest

from arena.errors import UsageError
from arena.reading.hosts import host_addresses


def test_an_address_is_its_own_name() -> None:
    assert host_addresses("127.0.0.1", 7777) == ["127.0.0.1"]


@pytest.mark.parametrize("host", ["no host", "x" * 64 + ".example", "a..b"])
def test_an_unknown_host_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match=r"the host .* cannot be found"):
        host_addresses(host, 7777)
