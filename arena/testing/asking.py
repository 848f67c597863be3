"""Ask a bot for its move in a position, in a unit test of the bot.

    from arena.testing import ask, position

    def test_it_wins_when_it_can():
        moves = ["0,0", "9,9", "3,3", "9,8", "0,1", "9,7", "0,2", "8,9", "0,3", "8,8"]
        assert ask("./mine", "pente", moves=moves).move in {"0,4", "0,-1"}

The bot may be in any language: it is built and run in the sandbox as in an event.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from arena.bots.building import BuildTerms
from arena.bots.manifest import find_bot
from arena.check.bench import Bench, BenchMatch, Setting
from arena.check.outcomes import StepFailed
from arena.check.sandboxed import sandboxed
from arena.people.typed_moves import read_move
from protocol.messages import Fields
from protocol.vocabulary import Seat
from referee.catalog import AnyGame
from referee.move_codec import codec_of
from referee.options import make_game
from referee.records.calls import Call
from referee.rules import RuleError, move_fields
from referee.seats.bot import EXIT_NS
from referee.seeds import due_draws
from referee.service.slot import open_slot

MAX_LEGAL = 5000
"""Limit of the legal moves of a position that are listed."""


class AskError(AssertionError):
    """A bot gave no legal move; the message has the fault and the end of its output."""


@dataclass(frozen=True, kw_only=True)
class Position:
    """A position of a game."""

    game: AnyGame
    state: Any
    """The position as the game's own value."""
    history: tuple[Fields, ...]
    """The moves and draws up to it, as in `init.history`."""
    seats: int
    seed: int

    @property
    def seat(self) -> Seat:
        """The seat to move."""
        return self.game.turn(self.state)

    @property
    def is_over(self) -> bool:
        """Whether the game has an outcome."""
        return self.game.outcome(self.state) is not None

    @property
    def legal(self) -> list[str]:
        """The legal moves in the game's notation, up to `MAX_LEGAL`."""
        return [*map(self.game.notation, islice(self.game.legal(self.state), MAX_LEGAL))]

    def __str__(self) -> str:
        return self.game.diagram(self.state, None)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A bot's reply to one `move` call."""

    move: str | None
    """Its legal move in the game's notation; None if it resigned or is done."""
    fields: Fields | None
    """The move as in the message."""
    is_resigned: bool
    claims: Fields
    note: str | None
    value: int | None
    cpu_ms: float
    """CPU time of the call in milliseconds, as an event would charge it."""
    output: str
    """The end of what it printed."""


def position(
    game: str,
    *,
    moves: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    seats: int | None = None,
    seed: int = 1,
) -> Position:
    """Return the position after `moves` in the game's notation; draws follow from `seed`.

    `seats` is the game's least number if not given. Raises ValueError for a move that is not legal.
    """
    __tracebackhide__ = True
    played = make_game(game, options or {}).variants()[0][1]
    number = min(played.seats) if seats is None else seats
    state, history = _drawn(played, played.start(number, seed), seed, ())
    for place, typed in enumerate(moves, start=1):
        try:
            move = read_move(played, state, typed)
            after = played.apply(state, move)
        except RuleError as error:
            raise ValueError(f"move {place}, {typed!r}: {error}") from None
        entry = {"seat": played.turn(state), "move": codec_of(played).wire_move(move)}
        state, history = _drawn(played, after, seed, (*history, entry))
    return Position(game=played, state=state, history=history, seats=number, seed=seed)


def ask(
    bot: str,
    game: str,
    *,
    moves: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    seats: int | None = None,
    seed: int = 1,
) -> Reply:
    """Return the reply of a bot in the position after `moves`, given to it as `init.history`.

    `bot` is a folder or a shipped bot's name, as in a command. Raises AskError if the bot is at
    fault, ValueError for a move that is not legal or a game that is over, and ArenaError if the bot
    cannot be built.
    """
    __tracebackhide__ = True
    asked = position(game, moves=moves, options=options, seats=seats, seed=seed)
    if asked.is_over:
        raise ValueError(f"the game is over after these moves:\n{asked}")
    manifest = find_bot(bot, Path())
    player, _ = sandboxed(manifest, manifest.name, BuildTerms())
    with open_slot() as slot:
        bench = Bench(player, asked.game, slot.groups, slot.users)
        try:
            played = _play(bench, asked)
        except StepFailed as failure:
            raise AskError(_text(str(failure), bench.output_tail)) from None
    if played.verdict.faults:
        raise AskError(_text(str(played.verdict.faults[0]), bench.output_tail))
    return _reply(next(call for call in played.calls if call.call == "move"), bench.output_tail)


def _play(bench: Bench, asked: Position) -> BenchMatch:
    setting = Setting(seat=asked.seat, seats=asked.seats, seed=asked.seed)
    job = replace(bench.job(setting), history=asked.history, max_plies=1)
    with bench.start() as session:
        played = session.play_job(job, asked.game, asked.seat)
        session.wait_end(EXIT_NS)  # it may still be writing its error
        return played


def _reply(call: Call, output: str) -> Reply:
    return Reply(
        move=call.notation,
        fields=call.move,
        is_resigned=bool(call.resign),
        claims=call.claims or {},
        note=call.note,
        value=call.value,
        cpu_ms=call.charged_ns / 1e6,
        output=output,
    )


def _drawn(
    game: AnyGame, state: Any, seed: int, history: tuple[Fields, ...]
) -> tuple[Any, tuple[Fields, ...]]:
    """Return the position after the draws that are due, with them in its history."""
    for draw, after in due_draws(game, state, seed, len(history)):
        history, state = (*history, {"chance": True, "move": move_fields(draw)}), after
    return state, history


def _text(fault: str, output: str) -> str:
    lines: Iterator[str] = (f"  {line}" for line in output.strip().splitlines())
    return "\n".join([fault, *(["its last output:", *lines] if output.strip() else [])])
