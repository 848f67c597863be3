"""Every message of protocol 1, as strict frozen models: SPEC.md in types.

Calls go from the referee to a bot, replies come back. Values are those the codec yields: arrays are
tuples. The moves and claims of a `Play` are the game's own; the referee fills in their models.
"""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Generic, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from typing_extensions import TypeVar

from protocol.errors import MalformedError, shown
from protocol.vocabulary import PROTOCOL, Seat, Termination

MAX_SEATS = 6
MAX_TEXT = 100
MAX_NOTE = 1024
LEGAL_LIMIT_BYTES = 256 * 1024
"""An encoded list of legal moves above this is left out of a `move` call."""


def _only_true(value: bool) -> bool:  # noqa: FBT001 - a validator gets what there is
    if not value:
        raise ValueError("input should be true or left out")
    return value


# Not Literal: pydantic lets True through for Literal[1] and 1 for Literal[True], even when strict.
Version = Annotated[int, Field(ge=PROTOCOL, le=PROTOCOL)]
Yes = Annotated[bool, AfterValidator(_only_true)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Text = Annotated[str, Field(max_length=MAX_TEXT)]
Fields = dict[str, Any]
Ending = Annotated[Termination, Field(strict=False)]
"""On the wire it is text, which strict validation would not turn into a Termination."""


class Message(BaseModel):
    """A message: a map on the wire, with exactly these fields. None is a field left out."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class PlayedMove(Message):
    """A move as it is told to others."""

    seat: Annotated[Seat, Field(ge=0, lt=MAX_SEATS)]
    move: Fields


class Times(Message):
    """The time control as a bot is told it, in milliseconds."""

    clock: Literal["cpu", "wall"]
    init_ms: Count
    per_move_ms: Count
    bank_ms: Count | None = None
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


class Move(Message):
    """Call: it is the bot's turn."""

    type: Literal["move"] = "move"
    id: Count
    ply: Count
    opponent_moves: tuple[PlayedMove, ...]
    left_ms: Count | None = None
    view: Fields | None = None
    legal: tuple[Fields, ...] | None = None
    legal_omitted: Yes | None = None


class Display(Message):
    """Call: show the board as you see it."""

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
    """Call: say something, so that the null round trip can be measured. Never charged."""

    type: Literal["ping"] = "ping"
    id: Count


class Error(Message):
    """Notice: what was wrong, before the seat is closed. Has no reply."""

    type: Literal["error"] = "error"
    id: Count | None = None
    code: Ending
    detail: str


class Hello(Message):
    """The bot's first message: who it is and what it would like to be told."""

    type: Literal["hello"] = "hello"
    protocol: Version = PROTOCOL
    token: Text
    name: Text | None = None
    version: Text | None = None
    language: Text | None = None
    wants: Annotated[tuple[Literal["view", "legal"], ...], Field(max_length=8)] | None = None


class Ready(Message):
    """Reply to `init`."""

    type: Literal["ready"] = "ready"
    id: Count


M = TypeVar("M", default=Fields)
C = TypeVar("C", default=Fields)


class Play(Message, Generic[M, C]):
    """Reply to `move`: a move, a resignation, or that a one-seat game is done."""

    type: Literal["play"] = "play"
    id: Count
    move: M | None = None
    claims: C | None = None
    resign: Yes | None = None
    done: Yes | None = None
    note: Annotated[str, Field(max_length=MAX_NOTE)] | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        said = (self.move is not None) + (self.resign is not None) + (self.done is not None)
        if said != 1:
            raise ValueError("a play has exactly one of move, resign and done")
        if self.claims is not None and self.move is None:
            raise ValueError("claims go with a move")
        return self


class Picture(Message):
    """Reply to `display`: the board, a string a row."""

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
"""What a bot replies to, with the call's own id."""

R = TypeVar("R", bound=Message)


def parse(model: type[R], fields: Mapping[str, Any]) -> R:
    """Make the message of decoded fields, or raise MalformedError naming the field at fault."""
    for name in _constants(model):
        if name not in fields:
            raise MalformedError(f"{model.model_fields['type'].default}.{name}: missing")
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise MalformedError(_first_fault(model, error)) from None


@cache
def _constants(model: type[Message]) -> tuple[str, ...]:
    """Return the fields that always say the same: we need not write them, a peer must."""
    return tuple(
        name
        for name, field in model.model_fields.items()
        if not field.is_required() and field.default is not None
    )


def _first_fault(model: type[Message], error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_context=False)[0]
    name = model.model_fields["type"].default
    path = ".".join([name, *map(_path_part, fault["loc"])])
    if fault["type"] == "extra_forbidden":
        return f"{path}: unknown field"
    if fault["type"] == "missing":
        return f"{path}: missing"
    message = fault["msg"].removeprefix("Value error, ")
    return f"{path}: {message[0].lower()}{message[1:]}, not {shown(fault['input'])}"


def _path_part(part: int | str) -> str:
    text = str(part)
    is_plain = len(text) <= MAX_TEXT and text.isascii() and text.isprintable()
    return text if is_plain else shown(text)
