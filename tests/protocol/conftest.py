"""Sockets for the tests of the wire; all are closed at the end."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from peers import House, Pair, pair_of


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Stack of resources to close."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(params=["ipc", "tcp"])
def house(request: pytest.FixtureRequest, tmp_path: Path, stack: ExitStack) -> House:
    """A listener on each transport."""
    return House(tmp_path / "s" if request.param == "ipc" else None, stack)


@pytest.fixture
def pair(stack: ExitStack) -> Pair:
    """A link and the bot's end of it, after the greetings."""
    return pair_of(stack)
