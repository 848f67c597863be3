"""Seats: the calls of a match and their answers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from protocol.messages import Message
from referee.errors import Forfeit
from referee.records.calls import Spent

R = TypeVar("R", bound=Message)

FREE = Spent()
"""Cost of a call to a person or a test program: nothing."""


# Not frozen: it is changed for every move, and a frozen dataclass takes three times as long.
@dataclass(kw_only=True, slots=True)
class OpenCall(Generic[R]):
    """A call to a seat, before its reply."""

    name: str
    """Type of the message, like `move`."""
    fields: Mapping[str, Any]
    """Fields of the message except type and id, perhaps encoded already."""
    model: type[R]
    """Model of the reply."""
    limit_ns: int
    """Time limit in nanoseconds of the charged clock."""
    read: Callable[[bytes, int], R | None] | None = None
    """Reads a valid reply with this id; returns None for any other, to be judged by the model."""
    state: Any = None
    """The position, for a seat in this process; never sent."""
    played: Sequence[dict[str, Any]] = ()
    """Every move and draw so far in full, for a seat in this process; never sent."""


Answer = tuple[R | Forfeit, Spent]
"""The end of a call: the reply or the seat's fault, and the cost. A plain tuple is made ten times
as fast as a dataclass."""


class Participant(Protocol):
    """A bot, person or test program in a seat."""

    @property
    def wants(self) -> Collection[str]:
        """Optional fields of its calls, as in a hello."""

    def ask(self, call: OpenCall[R]) -> Answer[R]:
        """Make a call and wait for its end."""

    def tell_fault(self, forfeit: Forfeit) -> None:
        """Report the seat's fault to its author."""
