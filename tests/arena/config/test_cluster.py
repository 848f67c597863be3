"""Addresses of clusters."""

import pytest

from arena.config.cluster import Address, local_workers, parse_address, parse_cluster
from arena.errors import UsageError


def test_an_address_is_a_host_and_a_port() -> None:
    assert parse_address("10.0.0.5:8786") == Address("10.0.0.5", 8786)
    assert parse_address("[::1]:8786") == Address("::1", 8786)
    assert str(parse_address("[::1]:8786")) == "[::1]:8786"


@pytest.mark.parametrize(
    "text", ["", "host", "host:", ":8786", "host:port", "host:65536", "host:-1", "a\nb:1", "h:1e3"]
)
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="write HOST:PORT, like"):
        parse_address(text)


def test_only_a_cluster_may_be_local() -> None:
    assert parse_cluster("local:2") == 2
    assert parse_cluster("h:1") == Address("h", 1)
    with pytest.raises(UsageError, match="local:2 for two workers"):
        parse_cluster("host")
    with pytest.raises(UsageError) as caught:
        parse_address("host")
    assert "local" not in str(caught.value)


@pytest.mark.parametrize(("text", "count"), [("local:2", 2), ("local:64", 64), ("host:2", None)])
def test_local_workers_are_counted(text: str, count: int | None) -> None:
    assert local_workers(text) == count


@pytest.mark.parametrize("text", ["local:0", "local:65", "local:", "local:two", "local:-1"])
def test_another_number_of_local_workers_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="from 1 to 64"):
        local_workers(text)


@pytest.mark.parametrize(
    ("host", "option"),
    [("127.0.0.1", ""), ("::1", ""), ("127.0.0.2", ""), ("192.0.2.1", " --keys DIR")],
)
def test_keys_are_named_beyond_the_loopback_only(host: str, option: str) -> None:
    assert Address(host, 1).keys_option == option
