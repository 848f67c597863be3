"""Openings of chess from a book: the games of a PGN file, or the positions of an EPD or FEN file.

A book may have millions of openings, and an event needs a few. One pass through the file, line by
line, draws them; only these are parsed, so errors elsewhere are not found. An opening that cannot
be read is skipped, and another one drawn in its place. The openings are drawn
in the order of a hash of the seed and their text, which depends neither on the order of the file
nor on their number: an event can take more of them later.
"""

import re
from abc import ABC, abstractmethod
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from heapq import heappush, heapreplace
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from arena.books.files import open_book, open_text_book
from arena.books.formats import POLYGLOT, format_of
from arena.books.polyglot import PLIES, read_polyglot
from arena.books.positions import OtherVariantError, book_fen
from arena.errors import ConfigError, Problem
from arena.schedule.openings import BOOK_BYTES, MAX_MOVE, MAX_OPENINGS, opening_line
from protocol.wording import quoted
from referee.games.chess import Chess, State
from referee.rules import OptionError, RuleError
from referee.rules.chess_text import START, FenError, read_fen, write_fen

MAX_TEXT = 1024 * 1024
"""Limit of the bytes of a line, and of a game."""
MAX_WRONG = 20
"""Limit of errors in a book."""
SPARE_CUT = 20
"""Games drawn for each opening where games are cut: many begin alike."""
CHESS960 = ("chess960", "fischerandom", "fischerrandom")
USUAL = ("", "?", "standard", "chess", "normal", "fromposition")
"""Values of the tag Variant for chess, without spaces."""

_LATIN = "\ufffd-\ufffd"
"""A half in Latin-1, as it is decoded from UTF-8."""
_RESULTS = ("1-0", "0-1", "1/2-1/2", "1/2", "½-½", _LATIN, "*")
_ENDS = (*(result.encode() for result in (*_RESULTS, "0.5-0.5")), "½-½".encode("latin-1"))
_TAGS_ONCE = (b"[Event ", b"[FEN ")
_COMMENT = re.compile(rb"\{[^}]*\}?|;.*")
_POINTS = r"(?: 1/2 | 0\.5 | [01½\ufffd] )"
_TOKEN = re.compile(
    rf"""(?P<result> (?!0-0) {_POINTS} [ ]?-[ ]? {_POINTS} (?![^\s()]) )
    | (?P<skipped> \s+ | \{{[^}}]*\}} | ;[^\n]* | ^%[^\n]* | \$[0-9]* | [0-9]*\.+ | [0-9]+(?!\S)
                     | [!?]+ | (?: e\.p\. | \+/?[-=] | [-=]/?\+ | [=±∓⩲⩱∞□N] )(?!\S) )
    | \[ \s* (?P<tag>\w[\w+\#=:-]*) \s+ "(?P<value>(?:[^"\\\n]|\\.)*)" \s* \]
    | (?P<word> [()] | [^\s(){{}};\[\]$]+ (?: \([NBRQ]\)[+\#!?]* )? )""",
    re.VERBOSE | re.MULTILINE,
)

_PROMOTED = str.maketrans("", "", "()")
"""Takes the brackets from a promotion written like a8(R)."""


class _Opening(NamedTuple):
    """An opening of the book, not yet parsed; the smallest is the last one of the draw."""

    order: int
    offset: int
    line: int
    size: int


class _BookError(Exception):
    """An invalid opening: the index of the wrong part of its text, its length, and the reason."""

    def __init__(
        self, place: int, width: int, detail: str, *, is_of_other_variant: bool = False
    ) -> None:
        super().__init__(detail)
        self.place = place
        self.width = width
        self.is_of_other_variant = is_of_other_variant
        """Whether the whole book is probably none of this game."""


def is_book(game: str, file: str) -> bool:
    """Whether a file is a book of chess, by its extension."""
    return game == Chess.name and format_of(file) is not None


def read_book(
    path: Path,
    name: str,
    game: Any,
    count: int | None,
    seed: int,
    *,
    plies: int | None = None,
    warn: Callable[[str], None] | None = None,
) -> tuple[str, ...]:
    """Return `count` openings drawn from a book, fewer if it has fewer; None for all.

    Games are cut after `plies` plies. `warn` receives a line about openings that were skipped, if
    there are any. Raises ConfigError if none can be read; errors refer to the file as `name`.
    """
    if game.fen is not None or game.number is not None:
        key = "number" if game.fen is None else "fen"
        detail = f"a book sets the start position; remove the option {key} of the game"
        raise ConfigError([Problem(name, detail)])
    kind = format_of(path.name)
    opened = open_book if kind == POLYGLOT else open_text_book
    with opened(path, name) as file:
        if kind == POLYGLOT:
            return read_polyglot(file, name, game, count, seed, plies=plies or PLIES)
        is_pgn = kind == "pgn"
        book = _Pgn(file, name, game, plies) if is_pgn else _Epd(file, name, game)
        # drawn are some more than needed, in place of positions that are already there
        spare = 2 if plies is None else SPARE_CUT
        most = MAX_OPENINGS + 1 if count is None else spare * count + 16
        drawn = _draw(book.openings(str(seed).encode()), most)
        if count is None and len(drawn) > MAX_OPENINGS:
            detail = f"has more than {MAX_OPENINGS:,} openings; set boards to the number to draw"
            raise ConfigError([Problem(name, detail)])
        found = book.parsed(drawn, len(drawn) if count is None else count)
        if book.skipped and warn is not None:
            warn(f"{name}: {_skipped_text(book.skipped)}")
        return found


def _draw(openings: Iterator[_Opening], most: int) -> list[_Opening]:
    """Return the first openings of the draw, in its order; of equal texts only one."""
    heap: list[_Opening] = []
    known: set[int] = set()
    for opening in openings:
        if opening.order in known or (len(heap) == most and opening < heap[0]):
            continue
        known.add(opening.order)
        if len(heap) < most:
            heappush(heap, opening)
        else:
            known.remove(heapreplace(heap, opening).order)
    return sorted(heap, reverse=True)


class _Book(ABC):
    """A book in one of the formats."""

    is_in_comment = False
    """Whether the line read last ends in a comment that continues in the next one."""

    def __init__(self, file: IO[bytes], name: str, game: Chess) -> None:
        self.skipped: list[Problem] = []
        """Openings that were drawn and cannot be read."""
        self._file = file
        self._name = name
        self._game = game

    @abstractmethod
    def begins(self, line: bytes) -> bool:
        """Whether a line, without the spaces around it, begins an opening."""

    @abstractmethod
    def read(self, text: str) -> tuple[str, State]:
        """Return an opening and the position after it, or raise _BookError."""

    def openings(self, seed: bytes) -> Iterator[_Opening]:
        """Yield all openings; raises ConfigError for endless lines and comments."""
        seeded = blake2b(seed, digest_size=8)
        digest, begun, first, place = None, 0, 0, (0, 0)
        for number, offset, text in self._lines():
            place = place if self.is_in_comment else (offset, number)
            if self.begins(text):
                if digest is not None:
                    yield self._opening(digest.digest(), begun, first, place[0])
                digest, (begun, first) = seeded.copy(), place
            if digest is not None:
                digest.update(text)
        if self.is_in_comment:
            raise ConfigError([Problem(self._name, "a comment does not end", place[1], 1)])
        if digest is not None:
            yield self._opening(digest.digest(), begun, first, self._file.tell())

    def parsed(self, drawn: Sequence[_Opening], count: int) -> tuple[str, ...]:
        """Return the first `count` openings with different positions.

        Raises ConfigError if there are none, or if the book is of another variant.
        """
        found: dict[Any, str] = {}
        size = 0
        for opening in drawn:
            if len(found) == count or size > BOOK_BYTES:
                break
            self._file.seek(opening.offset)
            text = self._file.read(opening.size).decode(errors="replace")
            try:
                line, state = self.read(text)
            except _BookError as error:
                self.skipped.append(_problem(self._name, opening, text, error))
                if error.is_of_other_variant:
                    raise ConfigError(self.skipped[-1:]) from None
            else:
                size += len(line)
                found.setdefault(state.board, line)
        if size > BOOK_BYTES:
            detail = "the openings drawn take over 12 MiB; set fewer boards"
            raise ConfigError([Problem(self._name, detail)])
        if not found:
            none = Problem(self._name, "has no openings")
            raise ConfigError(self.skipped[:MAX_WRONG] or [none])
        return tuple(found.values())

    def _opening(self, digest: bytes, begun: int, first: int, end: int) -> _Opening:
        if end - begun > MAX_TEXT:
            raise ConfigError([Problem(self._name, "a game of more than 1 MiB", first, 1)])
        return _Opening(-int.from_bytes(digest), begun, first, end - begun)

    def _lines(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield number, offset and text of each line with text."""
        offset = 0
        for number, line in enumerate(iter(partial(self._file.readline, MAX_TEXT + 1), b""), 1):
            if len(line) > MAX_TEXT:
                raise ConfigError([Problem(self._name, "a line of more than 1 MiB", number, 1)])
            mark = len(BOM_UTF8) if offset == 0 and line.startswith(BOM_UTF8) else 0
            if text := line[mark:].strip():
                yield number, offset + mark, text
            offset += len(line)


class _Pgn(_Book):
    """PGN: the moves of each game, without variations."""

    _is_in_tags = False
    _is_in_moves = False

    def __init__(self, file: IO[bytes], name: str, game: Chess, plies: int | None) -> None:
        super().__init__(file, name, game)
        self._plies = plies
        self._once: set[bytes] = set()

    def begins(self, line: bytes) -> bool:
        """Whether a line is the first one of a game.

        Such a line is a tag after moves, moves after a result, or a tag that each game has once: a
        game before it then consists of tags alone.
        """
        if not self.is_in_comment and line.startswith((b"[", b"%")):
            tag = next((tag for tag in _TAGS_ONCE if line.startswith(tag)), line[:0])
            is_first = line.startswith(b"[") and (not self._is_in_tags or tag in self._once)
            if is_first:
                self._is_in_tags, self._is_in_moves = True, False
                self._once.clear()
            self._once |= {tag} - {b""}
            return is_first
        commented = b"{" + line if self.is_in_comment else line
        self.is_in_comment = False
        moves = _COMMENT.sub(self._without, commented)
        is_first = not (self._is_in_tags or self._is_in_moves)
        if is_first and not moves.strip():
            return False  # a comment between games is none of them
        self._is_in_tags = False
        close = b"-".join(part.strip() for part in moves.split(b"-"))
        self._is_in_moves = self.is_in_comment or not close.endswith(_ENDS)
        return is_first

    def read(self, text: str) -> tuple[str, State]:
        """Return the opening of a game: its first moves, as far as it is not over by the rules."""
        fen, first = START, []
        words = _main_line(text)
        for found in words:
            if found["tag"] == "FEN":
                fen = _start(self._game, found["value"], found.start("value"))
            elif found["tag"] == "Variant":
                _check_variant(self._game, found)
            elif found["tag"] is None:
                first.append(found)
                break
        words = islice(chain(first, words), self._plies)
        moves, state = _played(replace(self._game, fen=fen), words)
        has_start = self._game.chess960 or fen != START
        if not (has_start or moves):
            raise _BookError(0, 1, "a game without moves")
        return opening_line(fen if has_start else None, moves), state

    def _without(self, comment: re.Match[bytes]) -> bytes:
        self.is_in_comment = comment[0].startswith(b"{") and not comment[0].endswith(b"}")
        return b" "


class _Epd(_Book):
    """EPD and FEN: a position in each line, with or without counters and operations."""

    def begins(self, line: bytes) -> bool:
        """Whether a line is the first one of an opening: each is."""
        return bool(line)

    def read(self, text: str) -> tuple[str, State]:
        """Return the position of a line."""
        fen = _start(self._game, text.rstrip(), 0)
        return opening_line(fen, ()), replace(self._game, fen=fen).start(2, 0)


def _main_line(text: str) -> Iterator[re.Match[str]]:
    """Yield the tags of a game and the moves of its main line."""
    depth, is_over = 0, False
    for found in _tokens(text):
        if is_over:
            detail = "text after the result of a game; the next one begins on a line of its own"
            raise _BookError(found.start(), 1, detail)
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth < 0:
            raise _BookError(found.start(), 1, "this variation has no beginning")
        is_result = found["result"] is not None or found[0] in _RESULTS
        is_over = depth == 0 and is_result
        if depth == 0 and not is_result and found[0] != ")":
            yield found
    if depth:
        raise _BookError(0, 1, "a variation of this game does not end")


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Yield tags, moves, results and the brackets of variations; no comments and numbers."""
    at = 0
    while at < len(text):
        if (found := _TOKEN.match(text, at)) is None:
            what = {"{": "this comment does not end", "[": 'a tag is written [Name "value"]'}
            raise _BookError(at, 1, what.get(text[at], f"{quoted(text[at])} is not a move"))
        at = found.end()
        if found["skipped"] is None:
            yield found


def _played(game: Chess, words: Iterable[re.Match[str]]) -> tuple[list[str], State]:
    """Return the moves that do not end the game, in notation, and the position after them."""
    state, moves = game.start(2, 0), []
    for word in words:
        if len(word[0]) > MAX_MOVE:
            raise _BookError(word.start(), 1, f"a move of {len(word[0]):,} characters")
        try:
            move = game.parse_in(state, word[0].translate(_PROMOTED))
            after = game.apply(state, move)
        except RuleError as error:
            raise _BookError(word.start(), len(word[0]), str(error)) from None
        if game.outcome(after) is not None:
            break
        moves.append(game.notation(move))
        state = after
    return moves, state


def _start(game: Chess, text: str, place: int) -> str:
    """Return a start position as Arena writes it, or raise _BookError."""
    try:
        given = book_fen(text, is_960=game.chess960)
        fen = write_fen(read_fen(given, is_960=game.chess960))
        replace(game, fen=fen)
    except (FenError, OptionError) as error:
        is_other = isinstance(error, OtherVariantError)
        width = len(text)
        raise _BookError(place, width, str(error), is_of_other_variant=is_other) from None
    return fen


def _check_variant(game: Chess, found: re.Match[str]) -> None:
    variant = found["value"].lower().replace(" ", "")
    if variant in USUAL or (variant in CHESS960 and game.chess960):
        return
    detail = f"a game of {quoted(found['value'][:40])}, not of chess"
    if variant in CHESS960:
        detail = "a game of Chess960; for such a book add chess960: true to the game"
    width = len(found["value"])
    raise _BookError(found.start("value"), width, detail, is_of_other_variant=True)


def _skipped_text(skipped: Sequence[Problem]) -> str:
    """Return a line about the openings that were skipped."""
    first = min(skipped, key=lambda problem: problem.line or 0)
    what = "1 opening" if len(skipped) == 1 else f"{len(skipped):,} openings"
    others = "" if len(skipped) == 1 else ", the first"
    return f"{what} that cannot be read skipped{others} in line {first.line}: {first.detail}"


def _problem(name: str, opening: _Opening, text: str, error: _BookError) -> Problem:
    """Return an error of an opening at its place in the file."""
    begin = text.rfind("\n", 0, error.place) + 1
    line = text[begin:].partition("\n")[0].rstrip("\r")
    number = opening.line + text.count("\n", 0, error.place)
    return Problem(name, str(error), number, error.place - begin + 1, line, error.width)
