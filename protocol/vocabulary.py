"""Words shared by both ends of the wire."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, Literal, TypeAlias, Union

PROTOCOL: Final = 1
"""Version of the protocol."""
MAX_INTEGER: Final = 2**53
"""Limit of an integer in a message, above zero and below."""
MESSAGE_DEPTH: Final = 16
"""Limit of the levels of maps and lists in a message."""

Seat: TypeAlias = int
"""A place in a match, 0 first."""

ClockKind: TypeAlias = Literal["cpu", "wall"]
"""The charged time: CPU time or wall-clock time."""

Wire: TypeAlias = Union[bool, int, str, Sequence["Wire"], Mapping[str, "Wire"], None]  # noqa: UP007 - recursive
"""A value allowed in a message: no floats, no bytes, maps with string keys only."""


class Termination(StrEnum):
    """Why a match ended."""

    NORMAL = "normal"
    RESIGNATION = "resignation"
    ADJUDICATION = "adjudication"
    NO_SHOW = "no_show"
    MALFORMED = "malformed"
    OVERSIZE = "oversize"
    ILLEGAL_MOVE = "illegal_move"
    FALSE_CLAIM = "false_claim"
    TIMEOUT = "timeout"
    CRASH = "crash"
    MEMORY = "memory"
    VOID = "void"

    @property
    def is_forfeit(self) -> bool:
        """Whether a fault of a bot ended the match."""
        return self not in _BLAMELESS


_BLAMELESS = frozenset(
    {Termination.NORMAL, Termination.RESIGNATION, Termination.ADJUDICATION, Termination.VOID}
)
