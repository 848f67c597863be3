"""Openings: moves played before the bots begin, so that matches do not repeat each other.

Each board of an event has one opening per number of players and variant. All matches on a board
begin with it, in all seatings, so that no bot profits from a good opening.

* Drawn openings: every move is drawn uniformly from the legal ones, from the event's seed and the
  index of the board. An opening is drawn again if it repeats the position of an earlier board, ends
  the game, or is decided at once: the player to move wins with one move, or loses to one after any
  move.
* Openings of a file: one per line, moves in the game's notation separated by spaces. A `#` begins a
  comment. The first line is the opening of board 0.
* Openings of a book of chess (arena/books/book.py), which may begin in another position.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from math import ceil, sqrt
from pathlib import Path
from random import Random
from typing import Any, BinaryIO, Protocol, Self, TypeAlias

from arena.errors import ConfigError, Problem
from arena.reading.decoding import NoTextError, decoded
from arena.schedule.pairing import Pairing, ScheduleError
from arena.text import plural
from protocol.wording import quoted
from referee.catalog import AnyGame
from referee.move_codec import MoveCodec
from referee.rules import RuleError
from referee.seeds import derive_seed

BOOK_BYTES = 12 * 1024 * 1024
MAX_OPENINGS = 100_000
MAX_WRONG = 1_000
"""Limit of errors in a file; the rest of it is not read."""
GZIP = b"\x1f\x8b"
"""First bytes of a file compressed by gzip."""
MAX_MOVE = 200
"""Limit of the characters of a move in a file."""
DRAWS = 200
"""Attempts to draw one board's opening."""
MOST_CHECKED = 10_000
"""Boards whose openings are sure before the first match. A gate may have more, and needs them only
if it is hardly ever decided."""
SAMPLE = 10
"""A sample of the openings of N boards is this times the square root of N. Openings that can be
drawn for less than 0.9 of the boards have a sum of squared probabilities above 0.8 / N; then 40
openings of the sample are expected to repeat others, and at most MOST_REPEATED do so once in
100,000 events."""
MOST_REPEATED = 15
LOOKED_AT = 50
"""Openings of a sample that are tested for being lost at once, which takes milliseconds each."""
MOST_UNFIT = 0.1
"""Part of these that may be lost or undecided no more: with it, 32 repeats are expected."""
POSITIONS_VISITED = 20_000
"""Limit of positions visited to decide whether a position is lost at once. A position with more
moves than that is not lost within two plies."""
SEEDS = range(4)
"""Seeds of the start positions compared to find out whether a game's start depends on its seed."""

_FEN, _MOVES = "fen ", " moves"
"""Parts of an opening of a book that has a start position: fen FEN moves MOVE MOVE."""

Opening: TypeAlias = tuple[dict[str, Any], ...]
"""Moves in the form of a job's history: {"seat": ..., "move": {...}}."""


class Openings(Protocol):
    """The opening of every match of an event."""

    def of(self, pairing: Pairing) -> Opening:
        """Return the opening of a match, or raise ScheduleError if none was found."""

    def options(self, pairing: Pairing) -> Mapping[str, Any]:
        """Return the options of the game that the opening of a match sets: a start position."""
        return {}

    def check(self, pairings: Iterable[Pairing]) -> None:
        """Raise ScheduleError unless these matches can have openings, as far as is known."""

    def warning(self, pairings: Iterable[Pairing]) -> str:
        """Return a sentence about the openings of these matches that a user should know, or ""."""
        return ""


class ListedOpenings(Openings):
    """The validated openings of a file, used again in order where there are more boards."""

    def __init__(self, variants: Mapping[str, AnyGame], lines: Sequence[str]) -> None:
        self._variants = variants
        self._lines = lines

    def of(self, pairing: Pairing) -> Opening:
        """Return the opening of the match's board."""
        game: Any = self._variants[pairing.variant]
        if options := self.options(pairing):
            game = replace(game, **options)
        codec = MoveCodec(game)
        state = game.start(len(pairing.players), 0)
        moves = []
        for word in self._line(pairing).rpartition(_MOVES)[2].split():
            move = game.completed(state, game.parse_in(state, word))
            moves.append({"seat": game.turn(state), "move": codec.wire_move(move)})
            state = game.apply(state, move)
        return tuple(moves)

    def options(self, pairing: Pairing) -> Mapping[str, Any]:
        """Return the start position of the match's board, if its opening has one."""
        start = self._line(pairing).rpartition(_MOVES)[0]
        return {"fen": start.removeprefix(_FEN)} if start else {}

    def check(self, pairings: Iterable[Pairing]) -> None:
        """Accept all matches, since the file was checked."""

    def warning(self, pairings: Iterable[Pairing]) -> str:
        """Return how often the openings are used if there are fewer of them than boards."""
        boards = max((pairing.board for pairing in pairings), default=0) + 1
        if boards <= (count := len(self._lines)):
            return ""
        return (
            f"{plural(count, 'opening')} for {boards} boards: they are used again in order, so bots"
            " that repeat their moves exactly repeat matches; `book: once` refuses this"
        )

    def _line(self, pairing: Pairing) -> str:
        return self._lines[pairing.board % len(self._lines)]


class DrawnOpenings(Openings):
    """Random openings, `count` candidates per board, drawn in the order of the boards."""

    def __init__(
        self, variants: Mapping[str, AnyGame], plies: int, seed: int, count: int = 1
    ) -> None:
        """Draw nothing yet; `seed` is the event's seed."""
        self.number_of: Callable[[Pairing], int] = lambda _: 0
        """Returns the number of a match's candidate."""
        self._variants = variants
        self._plies = plies
        self._seed = seed
        self._count = count
        self._drawn: dict[tuple[str, int], list[Opening]] = {}
        self._seen: dict[tuple[str, int], set[Any]] = {}

    def of(self, pairing: Pairing) -> Opening:
        """Return the opening of the match's board."""
        place = pairing.board * self._count + self.number_of(pairing)
        return self._at(pairing.variant, len(pairing.players), place)

    def of_candidates(self, number_of: Callable[[Pairing], int]) -> Self:
        """Return the same openings, with the candidate of each match by a function of it."""
        other = copy(self)
        other.number_of = number_of
        return other

    def check(self, pairings: Iterable[Pairing]) -> None:
        """Raise ScheduleError for a board without an opening, of the first MOST_CHECKED.

        A gate may be decided after a few of its boards, and to draw one takes milliseconds. So all
        are drawn only if a sample shows that some may lack one.
        """
        boards: dict[tuple[str, int], int] = {}
        for pairing in pairings:
            start = pairing.variant, len(pairing.players)
            boards[start] = max(boards.get(start, 0), pairing.board + 1)
        for start, count in boards.items():
            places = min(count * self._count, MOST_CHECKED)
            if not self._is_enough(*start, places):
                self._at(*start, places - 1)

    def has(self, board: int, variant: str, seats: int) -> bool:
        """Whether a board has an opening different from those of all earlier boards."""
        try:
            self._at(variant, seats, board * self._count)
        except ScheduleError:
            return False
        return True

    def _at(self, variant: str, seats: int, place: int) -> Opening:
        drawn = self._drawn.setdefault((variant, seats), [])
        while len(drawn) <= place:
            drawn.append(self._draw(variant, seats, len(drawn)))
        return drawn[place]

    def _draw(self, variant: str, seats: int, place: int) -> Opening:
        game, seen = self._variants[variant], self._seen.setdefault((variant, seats), set())
        for draw in range(DRAWS):
            moves, state = self._candidate(variant, seats, place, draw)
            if len(moves) < self._plies or game.outcome(state) is not None:
                continue
            if (position := game.position(state)) not in seen and not is_lost_at_once(game, state):
                seen.add(position)
                return moves
        raise ScheduleError(
            "openings",
            f"board {place // self._count} has no opening: none of {DRAWS} drawn with random_plies:"
            f" {self._plies} differs from those of other boards and leaves {game.name} undecided;"
            " take more plies, or fewer boards (a lower cap for a gate, fewer iterations for a"
            " tuning)",
        )

    def _candidate(self, variant: str, seats: int, place: int, draw: int) -> tuple[Opening, Any]:
        """Return the moves of a draw for a place, and the position after them."""
        game = self._variants[variant]
        start = game.start(seats, derive_seed(self._seed, "board", place // self._count))
        seed = derive_seed(self._seed, "opening", variant, seats, place, draw)
        return _drawn(game, start, self._plies, Random(seed))  # noqa: S311 - no secret

    def _is_enough(self, variant: str, seats: int, places: int) -> bool:
        """Whether a sample of first draws shows that surely every place has an opening."""
        game, sample = self._variants[variant], ceil(SAMPLE * sqrt(places))
        if sample >= places:
            return False
        seen: set[Any] = set()
        unfit: list[int] = []
        for place in range(sample):
            moves, state = self._candidate(variant, seats, place, 0)
            is_short = len(moves) < self._plies or game.outcome(state) is not None
            if is_short or (place < LOOKED_AT and is_lost_at_once(game, state)):
                unfit.append(place)
            else:
                seen.add(game.position(state))
        is_usable = sum(place < LOOKED_AT for place in unfit) <= MOST_UNFIT * LOOKED_AT
        return is_usable and sample - len(unfit) - len(seen) <= MOST_REPEATED


def _drawn(game: AnyGame, state: Any, plies: int, chance: Random) -> tuple[Opening, Any]:
    """Return up to `plies` random moves, fewer if the game ends, and the position after them."""
    codec = MoveCodec(game)
    moves: list[dict[str, Any]] = []
    while len(moves) < plies and game.outcome(state) is None:
        legal = list(game.legal(state))
        # random() is the one method whose numbers Python promises never to change
        move = legal[int(chance.random() * len(legal))]
        moves.append({"seat": game.turn(state), "move": codec.wire_move(move)})
        state = game.apply(state, move)
    return tuple(moves), state


def is_lost_at_once(game: AnyGame, state: Any) -> bool:
    """Whether the player to move wins with one move, or loses to one after any move."""
    looks = iter(range(POSITIONS_VISITED))
    if _wins(game, state, looks):
        return True
    for move in game.legal(state):
        after = game.apply(state, move)
        if game.outcome(after) is None and not _wins(game, after, looks):
            return False
    return True


def _wins(game: AnyGame, state: Any, looks: Iterator[int]) -> bool:
    """Whether the player to move wins with one move, as far as `looks` allows."""
    seat = game.turn(state)
    for move, _ in zip(game.legal(state), looks, strict=False):
        outcome = game.outcome(game.apply(state, move))
        if outcome and outcome.places[seat] == 1 and outcome.places.count(1) == 1:
            return True
    return False


def draws_boards(game: AnyGame) -> bool:
    """Whether chance makes boards or matches differ without openings."""
    return game.has_chance or draws_start(game)


def draws_start(game: AnyGame) -> bool:
    """Whether the seed of a board decides its start position."""
    seats = min(game.seats)
    return len({game.start(seats, seed) for seed in SEEDS}) > 1


def read_openings(path: Path, name: str, game: AnyGame, seats: Sequence[int]) -> tuple[str, ...]:
    """Return the openings of a file in notation, or raise ConfigError with all its errors.

    Each must be legal in all variants of the game and with all numbers of seats. Errors refer to
    the file as `name`.
    """
    reader = _OpeningReader(name, game, seats)
    for number, line in enumerate(_read_text(path, name).splitlines(), start=1):
        reader.read(number, line)
        if len(reader.wrong) == MAX_WRONG:
            break
    if not reader.openings:
        reader.wrong.append(
            Problem(name, "has no openings; write one per line, its moves separated by spaces")
        )
    if (count := len(reader.openings)) > MAX_OPENINGS:
        reader.wrong.append(Problem(name, f"has {count:,} openings, more than {MAX_OPENINGS:,}"))
    if reader.wrong:
        raise ConfigError(reader.wrong)
    return tuple(reader.openings)


def notation_of(game: AnyGame, opening: Sequence[Mapping[str, Any]]) -> str:
    """Return an opening in the notation of an openings file."""
    codec = MoveCodec(game)
    return " ".join(game.notation(codec.read_played(entry)) for entry in opening)


def opening_line(fen: str | None, moves: Sequence[str]) -> str:
    """Return an opening with a start position, None for the usual one, as events store it."""
    start = "" if fen is None else f"{_FEN}{fen}{_MOVES} "
    return (start + " ".join(moves)).rstrip()


@contextmanager
def open_openings(path: Path, name: str) -> Iterator[BinaryIO]:
    """Open a file of openings; it raises ConfigError if it cannot be read."""
    try:
        if path.exists() and not path.is_file():
            detail = "is not a regular file; expected a text file with openings"
            raise ConfigError([Problem(name, detail)])
        with path.open("rb") as file:
            yield file
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError([Problem(name, f"cannot be read: {reason}")]) from None


def _read_text(path: Path, name: str) -> str:
    with open_openings(path, name) as file:
        data = file.read(BOOK_BYTES + 1)
    if len(data) > BOOK_BYTES:
        raise ConfigError([Problem(name, "is larger than 12 MiB; expected a file of openings")])
    if data.startswith(GZIP):
        detail = "is compressed by gzip; unpack it first (only .pgn, .epd and .fen may be packed)"
        raise ConfigError([Problem(name, detail)])
    try:
        return decoded(data)
    except NoTextError as error:
        raise ConfigError([Problem(name, str(error))]) from None


class _OpeningReader:
    """Parser of a file of openings, line by line."""

    def __init__(self, name: str, game: AnyGame, seats: Sequence[int]) -> None:
        self.openings: list[str] = []
        self.wrong: list[Problem] = []
        self._name = name
        self._games = [variant for _, variant in game.variants()]
        self._seats = seats
        self._lines: dict[Any, int] = {}
        """Line number of each position reached."""

    def read(self, number: int, line: str) -> None:
        """Parse a line; append its opening or its error."""
        words = line.partition("#")[0].split()
        if not words:
            return
        self.openings.append(" ".join(words))
        try:
            ends = [self._end(game, size, words) for game in self._games for size in self._seats]
        except _WordError as error:
            word = words[error.place]
            column = _column(line, words, error.place)
            self.wrong.append(Problem(self._name, error.detail, number, column, line, len(word)))
            return
        if (first := self._lines.setdefault(ends[0], number)) != number:
            detail = f"the same position as line {first}"
            self.wrong.append(Problem(self._name, detail, number, 1, line))

    @staticmethod
    def _end(game: AnyGame, seats: int, words: Sequence[str]) -> Any:
        """Return the position after an opening, or raise _WordError."""
        state = game.start(seats, 0)
        for place, word in enumerate(words):
            if len(word) > MAX_MOVE:
                raise _WordError(place, f"a move of {len(word):,} characters")
            try:
                state = game.apply(state, game.parse_in(state, word))
            except RuleError as error:
                raise _WordError(place, str(error)) from None
            if game.outcome(state) is not None:
                raise _WordError(place, f"{quoted(word)} ends the game")
        return game.position(state)


class _WordError(Exception):
    """An invalid move of an opening: its index in the line, and the reason."""

    def __init__(self, place: int, detail: str) -> None:
        super().__init__(detail)
        self.place = place
        self.detail = detail


def _column(line: str, words: Sequence[str], place: int) -> int:
    """Return the column, 1 first, of one of the words of a line."""
    column = 0
    for word in words[:place]:
        column = line.index(word, column) + len(word)
    return line.index(words[place], column) + 1
