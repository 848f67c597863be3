"""A bridge in this process, with a function in place of its engine."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from router_seat import BOTS

sys.path.insert(0, str(BOTS / "sdk/bridges"))
sys.path.insert(0, str(BOTS / "sdk/python"))
from arena_engine import EngineBridge

Engine = Callable[[str], Sequence[str | bytes]]
"""Returns the lines that an engine prints after a line."""

TIME: dict[str, Any] = {"clock": "cpu", "per_move_ms": 2500, "bank_ms": 60_500}


@contextmanager
def scripted(
    kind: type[EngineBridge], engine: Engine, *arguments: Any
) -> Iterator[tuple[Any, list[str]]]:
    """Yield a bridge, made with these arguments, and the list of lines that its engine has read."""
    heard: list[str] = []

    class Scripted(kind):  # type: ignore[misc,valid-type]
        def write(self, *lines: str) -> None:
            for line in lines:
                heard.append(line)
                for said in engine(line):
                    self.on_line(said if isinstance(said, bytes) else said.encode())

        def turn(self, wait_ms: float | None = None) -> None:
            del wait_ms
            raise AssertionError(f"the bridge waits for more after {heard[-1:]}")

    ends = os.pipe()
    try:
        wire: Any = SimpleNamespace(socket=ends[0])
        program: Any = SimpleNamespace(output=ends[0], pidfd=ends[1], lines=_nothing)
        yield Scripted(wire, program, "token", *arguments), heard
    finally:
        for end in ends:
            os.close(end)


def _nothing() -> None:
    raise BlockingIOError
