"""The charged calls of a match, kept in columns: one list for each field of a call.

A match has hundreds of calls and nearly all of them have the same fields, so a map for each would
take ten times the time and space. Readers need not know: `Calls` is a sequence of `Call`, each
built when read, and `column` returns the values of one field, as for a chart. Stored are the lists
by name (`columns`), all equally long; a field without a value in any call is left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import islice
from typing import Any, NamedTuple, Self, get_type_hints, overload

from pydantic import JsonValue, TypeAdapter

from protocol.messages import Fields
from protocol.vocabulary import Seat, Termination

CHANCE = "chance"
"""In place of a call: a draw of the game, made by the referee."""


Json = dict[str, JsonValue]
"""A bot's words on the wire: a stranger's record may have values in them that no JSON has."""


class Spent(NamedTuple):
    """Cost of one call."""

    wall_ns: int = 0
    cpu_ns: int = 0
    charged_ns: int = 0
    grace_ns: int = 0
    """Part of the charge above the limit, forgiven as host noise."""


@dataclass(kw_only=True, slots=True)
class Call:
    """One charged call: its cost, and the content of the reply."""

    seat: Seat | None
    """None for a draw of the game."""
    call: str
    """Type of the call; `start` for a bot without a hello, CHANCE for a draw."""
    ply: int
    wall_ns: int = 0
    cpu_ns: int = 0
    charged_ns: int = 0
    grace_ns: int = 0
    move: Json | None = None
    """The move or draw as on the wire; None unless one was made."""
    notation: str | None = None
    claims: Json | None = None
    note: str | None = None
    value: int | None = None
    """The bot's own estimate of its position, from -1000 to 1000."""
    plan: list[Json] | None = None
    """Moves expected by the bot, as on the wire; they need not be legal."""
    data: dict[str, int] | None = None
    """Figures of the bot by name, like the depth of its search."""
    left_ms: int | None = None
    """Bank after the move; None without a bank."""
    resign: bool = False
    done: bool = False
    picture: list[str] | None = None
    """Reply to a display call."""
    fault: Termination | None = None


_NAMES = tuple(field.name for field in fields(Call))
_COSTS = ("seat", "call", "ply", *Spent._fields)
"""Fields of every call; the others are facts of some."""
_FACTS = _NAMES[len(_COSTS) :]

Row = tuple[Seat | None, str, int, int, int, int, int]
"""The values of `_COSTS` of one call."""


class Calls(Sequence[Call]):
    """Every charged call of a match, in order."""

    def __init__(self, calls: Iterable[Call] = ()) -> None:
        self._rows: list[Row] = []
        self._facts: dict[str, dict[int, Any]] = {name: {} for name in _FACTS}
        """Values of each fact by the number of the call."""
        self._moves, self._notations = self._facts["move"], self._facts["notation"]
        for call in calls:
            spent = Spent(call.wall_ns, call.cpu_ns, call.charged_ns, call.grace_ns)
            self.add(call.seat, call.call, call.ply, spent)
            self.note(**{name: getattr(call, name) for name in _FACTS})

    def add(self, seat: Seat | None, name: str, ply: int, spent: Spent) -> None:
        """Add a completed call."""
        self._rows.append((seat, name, ply) + spent)  # noqa: RUF005 - takes half as long as *spent

    def note(self, **facts: Any) -> None:
        """Add facts of the reply to the last call; None and False are no facts."""
        last = len(self._rows) - 1
        for name, value in facts.items():
            if value is not None and value is not False:
                self._facts[name][last] = value

    def note_move(self, move: Fields, notation: str) -> None:
        """Add a move or draw to the last call: `note` for the facts of nearly every call."""
        last = len(self._rows) - 1
        self._moves[last] = move
        self._notations[last] = notation

    @property
    def plies(self) -> int:
        """Number of moves and draws."""
        return len(self._facts["move"])

    @property
    def moves(self) -> int:
        """Number of moves, without draws."""
        return sum(self._rows[number][0] is not None for number in self._facts["move"])

    def spent(self, seat: Seat) -> Spent:
        """Return the cost of all calls of a seat."""
        rows = [row for row in self._rows if row[0] == seat]
        return Spent(*map(sum, islice(zip(*rows, strict=True), 3, None)))

    def charged_ns(self, seat: Seat) -> int:
        """Return the charge of all calls of a seat."""
        return sum([row[5] for row in self._rows if row[0] == seat])

    def column(self, name: str) -> list[Any]:
        """Return the values of one field, in order; None where a call has no such fact."""
        if name in _COSTS:
            place = _COSTS.index(name)
            return [row[place] for row in self._rows]
        return list(map(self._facts[name].get, range(len(self._rows))))

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns by name, as they are stored."""
        costs = map(list, zip(*self._rows, strict=True)) if self._rows else ([] for _ in _COSTS)
        facts = {name: self.column(name) for name in _FACTS if self._facts[name]}
        return {**dict(zip(_COSTS, costs, strict=True)), **facts}

    @classmethod
    def from_columns(cls, stored: Mapping[str, Any]) -> Self:
        """Return the calls of stored columns; raises ValueError, LookupError or TypeError."""
        columns = {
            name: column.validate_python(stored[name])
            for name, column in _columns().items()
            if name in _COSTS or name in stored
        }
        if len({len(column) for column in columns.values()}) > 1:
            raise ValueError("the columns of its calls differ in length")
        calls = cls()
        calls._rows = list(zip(*(columns.pop(name) for name in _COSTS), strict=True))
        for name, column in columns.items():
            calls._facts[name] = {n: value for n, value in enumerate(column) if value is not None}
        return calls

    def replies(self, first: int) -> Iterator[tuple[Seat | None, Fields | None, bool, bool]]:
        """Yield seat, move, and whether the call has a resignation and a fault, from one call on.

        Faster than the calls themselves.
        """
        moves, resigned, faults = (self._facts[name] for name in ("move", "resign", "fault"))
        for number in range(first, len(self._rows)):
            seat = self._rows[number][0]
            yield seat, moves.get(number), number in resigned, number in faults

    @overload
    def __getitem__(self, number: int) -> Call: ...
    @overload
    def __getitem__(self, number: slice) -> "list[Call]": ...
    def __getitem__(self, number: int | slice) -> "Call | list[Call]":
        """Return a call by its number, from the end for a negative one, or a slice of them."""
        numbers = range(len(self._rows))[number]
        return (
            [self._call(n) for n in numbers] if isinstance(numbers, range) else self._call(numbers)
        )

    def __len__(self) -> int:
        return len(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Calls) and self.columns() == other.columns()

    __hash__ = None  # type: ignore[assignment]  # calls are added

    def __repr__(self) -> str:
        return f"Calls({list(self)})"

    def _call(self, number: int) -> Call:
        facts = {name: values[number] for name, values in self._facts.items() if number in values}
        seat, call, ply, *spent = self._rows[number]
        costs = Spent(*spent)._asdict()
        return Call(seat=seat, call=call, ply=ply, **costs, **facts)


def entry_of(call: Call) -> Fields:
    """Return the move or draw of a call in the form of a history."""
    who = {"chance": True} if call.seat is None else {"seat": call.seat}
    return {**who, "move": call.move}


@cache
def _columns() -> dict[str, TypeAdapter[list[Any]]]:
    """Return the type of each column."""
    hints = get_type_hints(Call)
    return {
        name: TypeAdapter(list[hints[name]] if name in _COSTS else list[hints[name] | None])  # type: ignore[valid-type]  # read from the fields
        for name in _NAMES
    }
