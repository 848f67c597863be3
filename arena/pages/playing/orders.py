"""The requests of pages, checked strictly: every field has a type and a limit."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from protocol.vocabulary import ClockKind

Short = Annotated[str, Field(max_length=200)]


class RequestBody(BaseModel):
    """Base of the bodies of POSTs; itself the empty object."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


Number = Annotated[int, Field(ge=0, le=(1 << 53) - 1)]
Seat = Annotated[int, Field(ge=0, le=15)]


class Origin(RequestBody):
    """A position of a stored match."""

    match: Number
    ply: Number


class NewMatch(RequestBody):
    """A match to play, requested by a page."""

    game: Short = ""
    """Game to play from its start; not used with an origin."""
    options: Annotated[dict[Short, Annotated[str, Field(max_length=5000)]], Field(max_length=50)]
    origin: Origin | None = None
    """Position to play on from, in the same game."""
    players: Annotated[list[Short | None], Field(min_length=1, max_length=16)]
    """Name of the bot of each seat; null is a person."""
    linked: Annotated[list[Seat], Field(max_length=16)] = []
    """Seats of people on other pages, each with a link of its own."""
    per_move_ms: Annotated[int, Field(ge=1, le=600_000)] = 2000
    clock: ClockKind = "cpu"
    seed: Annotated[str, Field(pattern="^[0-9]{1,39}$")] | None = None
    """A number up to MAX_SEED, as text: numbers of a page have 53 bits."""

    def assignments(self) -> list[str]:
        """Return the options as on the command line."""
        return [f"{name}={value}" for name, value in self.options.items()]


class Typed(RequestBody):
    """A line typed by a person, or the first place of a move."""

    seat: Seat
    shown: Number
    line: Short | None = None
    first: Number | None = None
