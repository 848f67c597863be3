"""All messages of protocol 1 of SPEC.md as strict frozen models.

The referee sends calls, a bot sends replies. Values are those of the codec: arrays are tuples. The
game defines the moves and claims of a `Play`; the referee adds their models.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Generic, Literal, Self, TypeAlias, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from typing_extensions import TypeVar

from protocol.errors import MalformedError
from protocol.explaining import field_fault
from protocol.vocabulary import PROTOCOL, ClockKind, Seat, Termination
from protocol.wording import value_text

MAX_SEATS = 6
MAX_TEXT = 100
MAX_NOTE = 1024
MAX_VALUE = 1000
"""Limit of a bot's value of its position, and its negative the lower limit."""
MAX_PLAN = 16
MAX_DATA = 8
MAX_DATA_NAME = 20
LEGAL_LIMIT_BYTES = 256 * 1024
"""Limit in bytes of an encoded list of legal moves; a `move` call omits a longer list."""


def _only_true(value: bool) -> bool:  # noqa: FBT001 - the signature of a validator
    if not value:
        raise ValueError("must be true, or omitted")
    return value


def _named(data: dict[str, int]) -> dict[str, int]:
    for name in data:
        if len(name) > MAX_DATA_NAME or _DATA_NAME.fullmatch(name) is None:
            raise ValueError(
                f"names must be 1 to {MAX_DATA_NAME} of a-z, 0-9 and _, a letter first,"
                f" not {value_text(name)}"
            )
    return data


_DATA_NAME = re.compile("[a-z][a-z0-9_]*")


# Not Literal: pydantic accepts True for Literal[1] and 1 for Literal[True], even when strict.
Version = Annotated[int, Field(ge=PROTOCOL, le=PROTOCOL)]
Yes = Annotated[bool, AfterValidator(_only_true)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Text = Annotated[str, Field(max_length=MAX_TEXT)]
Fields = dict[str, Any]
Value = Annotated[int, Field(ge=-MAX_VALUE, le=MAX_VALUE)]
Data = Annotated[dict[str, int], Field(max_length=MAX_DATA), AfterValidator(_named)]
Ending = Annotated[Termination, Field(strict=False)]
"""Text on the wire; strict validation would not convert it to a Termination."""


class Message(BaseModel):
    """A message: a map on the wire with exactly these fields, except fields of None."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", defer_build=True)


class PlayedMove(Message):
    """A move or draw in calls to the seats allowed to know."""

    seat: Annotated[Seat, Field(ge=0, lt=MAX_SEATS)] | None = None
    chance: Yes | None = None
    move: Fields | None = None

    @model_validator(mode="after")
    def _has_one_author(self) -> Self:
        if (self.seat is None) == (self.chance is None):
            raise ValueError("a played move must have exactly one of seat and chance")
        return self


class Times(Message):
    """The time control in an `init` call, in milliseconds."""

    clock: ClockKind
    init_ms: Count
    per_move_ms: Count
    bank_ms: Count | None = None
    increment_ms: Count | None = None
    bank_moves: Count | None = None
    wall_bank_ms: Count | None = None
    display_ms: Count
    term_ms: Count
    grace_ms: Count
    strikes: Count | None = None
    ponder: bool


class Init(Message):
    """Call: a match begins."""

    type: Literal["init"] = "init"
    id: Count
    protocol: Version = PROTOCOL
    game: Text
    options: Annotated[Fields, Field(min_length=1)]
    match: Annotated[str, Field(max_length=400)]
    seat: Annotated[Seat, Field(ge=0, lt=MAX_SEATS)]
    seats: Annotated[int, Field(ge=1, le=MAX_SEATS)]
    players: Annotated[tuple[Text, ...], Field(min_length=1, max_length=MAX_SEATS)]
    seed: Annotated[int, Field(ge=0, lt=2**32)]
    time: Times
    history: tuple[PlayedMove, ...]
    view: Fields


class SeatClock(Message):
    """The clock of a seat with a bank in a `move` call, in milliseconds."""

    seat: Annotated[Seat, Field(ge=0, lt=MAX_SEATS)]
    left_ms: Count
    increment_ms: Count | None = None


class Move(Message):
    """Call: the bot is to move."""

    type: Literal["move"] = "move"
    id: Count
    ply: Count
    opponent_moves: tuple[PlayedMove, ...]
    left_ms: Count | None = None
    clocks: tuple[SeatClock, ...] | None = None
    view: Fields | None = None
    legal: tuple[Fields, ...] | None = None
    legal_omitted: Yes | None = None


class Display(Message):
    """Call: the bot is to show its board."""

    type: Literal["display"] = "display"
    id: Count


class Term(Message):
    """Call: the match is over."""

    type: Literal["term"] = "term"
    id: Count
    opponent_moves: tuple[PlayedMove, ...]
    termination: Ending
    scores: tuple[str, ...]
    reason: str
    offenders: tuple[Seat, ...]
    last: bool


class Ping(Message):
    """Call: reply at once, to measure the null round trip. Never charged."""

    type: Literal["ping"] = "ping"
    id: Count


class Error(Message):
    """Notice: the fault, sent before the seat is closed. Has no reply."""

    type: Literal["error"] = "error"
    id: Count | None = None
    code: Ending
    detail: str


class Hello(Message):
    """The bot's first message: its identity and wanted optional fields."""

    type: Literal["hello"] = "hello"
    protocol: Version = PROTOCOL
    token: Text
    name: Text | None = None
    version: Text | None = None
    language: Text | None = None
    wants: Annotated[tuple[Literal["view", "legal", "clocks"], ...], Field(max_length=8)] | None = (
        None
    )


class Ready(Message):
    """Reply to `init`."""

    type: Literal["ready"] = "ready"
    id: Count


M = TypeVar("M", default=Fields)
C = TypeVar("C", default=Fields)


class Play(Message, Generic[M, C]):
    """Reply to `move`: a move, a resignation, or the end of a one-seat game."""

    type: Literal["play"] = "play"
    id: Count
    move: M | None = None
    claims: C | None = None
    resign: Yes | None = None
    done: Yes | None = None
    note: Annotated[str, Field(max_length=MAX_NOTE)] | None = None
    value: Value | None = None
    plan: Annotated[tuple[M, ...], Field(max_length=MAX_PLAN)] | None = None
    data: Data | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        said = (self.move is not None) + (self.resign is not None) + (self.done is not None)
        if said != 1:
            raise ValueError("a play must have exactly one of move, resign and done")
        if self.claims is not None and self.move is None:
            raise ValueError("claims need a move")
        return self


class Picture(Message):
    """Reply to `display`: the board as one string per row."""

    type: Literal["picture"] = "picture"
    id: Count
    board: tuple[str, ...]


class Bye(Message):
    """Reply to `term`."""

    type: Literal["bye"] = "bye"
    id: Count


class Pong(Message):
    """Reply to `ping`."""

    type: Literal["pong"] = "pong"
    id: Count


Call: TypeAlias = Init | Move | Display | Term | Ping
"""A message with an id, to be repeated in the bot's reply."""

R = TypeVar("R", bound=Message)


def parse(model: type[R], fields: Mapping[str, Any]) -> R:
    """Validate decoded fields as a message, or raise MalformedError with the invalid field."""
    for name in _constants(model):
        if name not in fields:
            raise MalformedError(f"{model.model_fields['type'].default}.{name}: missing")
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise MalformedError(_first_fault(model, fields, error)) from None


@cache
def _constants(model: type[Message]) -> tuple[str, ...]:
    """Return the fields with a constant value: optional in our code, required from a peer."""
    return tuple(
        name
        for name, field in model.model_fields.items()
        if not field.is_required() and field.default is not None
    )


def _first_fault(model: type[Message], fields: Mapping[str, Any], error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    name = model.model_fields["type"].default
    return field_fault(name, fault, fields, model.model_fields, _move_form(model))


def _move_form(model: type[Message]) -> str:
    """Return the form of a move in a reply with one, like `{"v": ..., "h": ...}`, or ""."""
    if not issubclass(model, Play):
        return ""
    move = get_args(model.model_fields["move"].annotation)[0]
    names = [field.alias or name for name, field in getattr(move, "model_fields", {}).items()]
    inside = ", ".join(f'"{name}": ...' for name in names)
    return f"{{{inside}}}" if names else ""
