"""The address that a league prints is one that other machines can open."""

from ipaddress import ip_address

import pytest
from django.test import Client
from leagues import PASSWORD, cast

from arena.league.addresses import is_own_host, reachable


@pytest.mark.parametrize("every", ["0.0.0.0", "::"])  # noqa: S104 - nothing listens
def test_of_every_address_one_is_named_that_can_be_opened(every: str) -> None:
    found = ip_address(reachable(every))

    assert not found.is_unspecified
    assert found.version == ip_address(every).version


@pytest.mark.parametrize("address", ["127.0.0.1", "192.0.2.7", "::1", "league.example.org"])
def test_one_address_stays(address: str) -> None:
    assert reachable(address) == address


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("127.0.0.1:8642", True),
        ("127.0.0.1", True),
        ("0.0.0.0:8642", True),
        ("localhost:8642", True),
        ("[::1]:8642", True),
        ("[::1]", True),
        ("192.0.2.7:8642", False),
        ("[2001:db8::7]:8642", False),
        ("league.example.org", False),
    ],
)
def test_hosts_that_lead_other_machines_to_themselves(host: str, *, is_own: bool) -> None:
    assert is_own_host(host) == is_own


@pytest.mark.parametrize(("host", "is_warned"), [("127.0.0.1", True), ("192.0.2.7", False)])
def test_links_that_work_on_this_machine_alone_say_so(host: str, *, is_warned: bool) -> None:
    staff = cast().staff
    browser = Client(SERVER_NAME=host)
    assert browser.post("/log-in", {"name": staff.name, "password": PASSWORD}).status_code == 302

    answer = browser.post("/staff/class-list", {"list": "Anna"}).content.decode()

    assert f"http://{host}/link/" in answer
    assert ("These links work on this machine alone" in answer) == is_warned
