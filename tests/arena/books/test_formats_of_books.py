"""Books of other programs: lenient FEN, gzip, Polyglot, and openings that are skipped."""

import gzip
from functools import reduce
from pathlib import Path
from struct import pack
from typing import Any

import pytest

from arena.books import files as book_files
from arena.books.book import read_book
from arena.books.formats import format_of
from arena.books.polyglot import position_key
from arena.config.openings import openings_value
from arena.errors import ConfigError
from referee.games.chess import Chess, State
from referee.options import make_game
from referee.rules.chess_text import start_960

CHESS = make_game("chess", {})
CHESS960 = make_game("chess", {"chess960": True})
ROOKS = "r3k2r/8/8/8/8/8/8/R3K2R"


def read(folder: Path, data: str | bytes, name: str = "b.epd", **given: Any) -> tuple[str, ...]:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    count = given.pop("count", None)
    return read_book(path, name, given.pop("game", CHESS), count, 0, **given)


@pytest.mark.parametrize(
    ("given", "fen"),
    [
        (f"{ROOKS} w KQkq - 0 0", f"{ROOKS} w KQkq - 0 1"),
        (f"{ROOKS} w KQkq -", f"{ROOKS} w KQkq - 0 1"),
        (f"{ROOKS} w KQkq - 12", f"{ROOKS} w KQkq - 12 1"),
        (f"{ROOKS}\tw  KQkq - 5 9", f"{ROOKS} w KQkq - 5 9"),
        (f"{ROOKS} w KQkq - hmvc 7; fmvn 0;", f"{ROOKS} w KQkq - 7 1"),
        (f"{ROOKS} w KKQq - 0 1", f"{ROOKS} w KQq - 0 1"),
        (f"{ROOKS} w HAha - 0 1", f"{ROOKS} w KQkq - 0 1"),
        ("r3k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1"),
        ("r3k3/8/8/8/8/8/8/3K4 w KQk - 0 1", "r3k3/8/8/8/8/8/8/3K4 w - - 0 1"),
        (f"{ROOKS} w KQkq e3 0 1", f"{ROOKS} w KQkq - 0 1"),
        (f"{ROOKS} b KQkq e3 0 1", f"{ROOKS} b KQkq - 0 1"),
        ("4k3/8/8/8/4Pp2/8/8/4K3 b - e3", "4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 1"),
    ],
)
@pytest.mark.parametrize("name", ["b.epd", "b.pgn"])
def test_a_fen_of_other_programs_is_read(tmp_path: Path, given: str, fen: str, name: str) -> None:
    text = f'[FEN "{given}"]\n\n*\n' if name == "b.pgn" else given

    assert read(tmp_path, text, name) == (f"fen {fen} moves",)


def test_a_game_of_tags_alone_ends_at_the_tags_of_the_next(tmp_path: Path) -> None:
    """No position begins the moves of another game, with or without a result in between."""
    bare = ["4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "4k3/8/8/8/8/8/1P6/4K3 w - - 0 1"]
    heads = [f'[Event "x"]\n[FEN "{fen}"]\n[SetUp "1"]\n\n' for fen in bare]
    text = f'{"".join(heads)}[Event "y"]\n\n[Site "z"]\n\n1. e4 e5 *\n'
    positions = {f"fen {fen} moves" for fen in bare}

    assert set(read(tmp_path, text, "b.pgn")) == {*positions, "e2e4 e7e5"}
    without_events = "".join(f'[FEN "{fen}"]\n\n' for fen in bare)
    assert set(read(tmp_path, without_events, "b.pgn")) == positions


def test_openings_that_cannot_be_read_are_skipped_with_one_warning(tmp_path: Path) -> None:
    warnings: list[str] = []
    good = [f"4k3/8/8/8/8/8/{'1' * k}P{'1' * (7 - k)}/4K3 w - -" for k in range(8)]
    lines = [*good[:3], f"{ROOKS} w - - 100 99", "nonsense", *good[3:], f"{ROOKS} x - - 0 1"]

    found = read(tmp_path, "\n".join(lines), warn=warnings.append)

    assert len(found) == 8
    (warning,) = warnings
    assert warning == (
        "b.epd: 3 openings that cannot be read skipped, the first in line 4:"
        " the plies without capture or move of a pawn must be 0 to 99"
    )


def test_a_skipped_opening_is_replaced_by_another_one(tmp_path: Path) -> None:
    games = "".join(f"1. {move} *\n" for move in ("e4", "d4", "--", "Nf3", "c4", "Ke2"))
    warnings: list[str] = []

    assert len(read(tmp_path, games, "b.pgn", count=4, warn=warnings.append)) == 4
    assert len(warnings) <= 1


@pytest.mark.parametrize(
    "line",
    [
        f"{ROOKS} w KQkq -\nnrkbbqrn/8/8/8/8/8/8/NRKBBQRN w GBgb - 0 1",
        f"{ROOKS} w KQkq -\n{start_960(7)}",
    ],
)
def test_a_book_of_chess960_says_what_to_add(tmp_path: Path, line: str) -> None:
    with pytest.raises(ConfigError, match="add chess960: true to the game"):
        read(tmp_path, line)
    assert len(read(tmp_path, line, game=CHESS960)) == 2


@pytest.mark.parametrize("name", ["b.epd.gz", "b.epd"])
def test_a_compressed_book_is_read(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, gzip.compress(f"{ROOKS} w KQkq -\n".encode()), name) == (
        f"fen {ROOKS} w KQkq - 0 1 moves",
    )
    assert read(tmp_path, gzip.compress(b"1. e4 e5 2. d4 *"), "g.pgn.gz", plies=2) == ("e2e4 e7e5",)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (gzip.compress(b"x" * 50_000), "is larger than 1 GiB unpacked"),
        (gzip.compress(b"some text")[:-4], "cannot be unpacked by gzip"),
        (b"\x1f\x8b\x08 and so on", "cannot be unpacked by gzip"),
        (gzip.compress(b"x") + b"trailing", "cannot be unpacked by gzip"),
    ],
    ids=["bomb", "cut", "no archive", "more behind it"],  # gzip writes the time into its bytes
)
def test_a_bomb_or_a_broken_archive_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, says: str
) -> None:
    monkeypatch.setattr(book_files, "MAX_BOOK", 10_000)

    with pytest.raises(ConfigError, match=says):
        read(tmp_path, data)


def test_formats_and_cuts_by_their_endings() -> None:
    assert [format_of(f"a/B.{end}") for end in ("PGN", "epd.gz", "bin", "txt", "gz")] == [
        "pgn",
        "epd",
        "bin",
        None,
        None,
    ]
    assert format_of(".epd") is format_of("epd") is None
    assert openings_value("b.pgn.gz:6") == {"file": "b.pgn.gz", "plies": 6}
    assert openings_value("b.bin:6") == {"file": "b.bin", "plies": 6}
    assert openings_value("b.epd:6") == {"file": "b.epd:6"}


def played(text: str) -> tuple[State, str]:
    state = reduce(
        lambda state, move: CHESS.apply(state, CHESS.parse_in(state, move)),
        text.split(),
        CHESS.start(2, 0),
    )
    return state, (text.split() or [""])[-1]


@pytest.mark.parametrize(
    ("moves", "key"),
    [
        ("", 0x463B96181691FC9C),
        ("e2e4", 0x823C9B50FD114196),
        ("e2e4 d7d5", 0x0756B94461C50FB0),
        ("e2e4 d7d5 e4e5", 0x662FAFB965DB29D4),
        ("e2e4 d7d5 e4e5 f7f5", 0x22A48B5A8E47FF78),
        ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652A607CA3F242C1),
        ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00FDD303C946BDD9),
        ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3C8123EA7B067637),
        ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5C3F9B829B279560),
    ],
)
def test_keys_are_those_published_with_the_format(moves: str, key: int) -> None:
    state, last = played(moves)

    assert position_key(state.board, last) == key


def entries(*given: tuple[str, int, int]) -> bytes:
    """Return a book: after these moves, this move as a number, with a weight."""
    keyed = []
    for moves, move, weight in given:
        state, last = played(moves)
        keyed.append((position_key(state.board, last), move, weight, 0))
    return b"".join(pack(">QHHI", *entry) for entry in sorted(keyed))


def number(move: str) -> int:
    start, target = move[:2], move[2:4]
    squares = [ord(at[0]) - ord("a") + 8 * (int(at[1]) - 1) for at in (target, start)]
    return squares[0] | squares[1] << 6 | " nbrq".index(move[4:] or " ") << 12


CASTLES = "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7"
BOOK = entries(
    ("", number("e2e4"), 3),
    ("", number("d2d4"), 1),
    ("", number("a2a4"), 0),
    ("", number("g1f3"), 1),
    *((" ".join(CASTLES.split()[:ply]), number(CASTLES.split()[ply]), 1) for ply in range(1, 6)),
    (CASTLES, number("e1h1"), 9),
    ("e2e4", number("e7e5"), 1),
    ("e2e4 e7e5", number("e1e8"), 1),
)


def test_openings_of_a_polyglot_book(tmp_path: Path) -> None:
    assert set(read(tmp_path, BOOK, "b.bin", count=9)) == {
        "e2e4 e7e5",  # the next entry is illegal
        "d2d4",
        f"{CASTLES} e1g1",
    }
    assert set(read(tmp_path, BOOK, "b.bin", count=9, plies=1)) == {"e2e4", "d2d4", "g1f3"}
    first = read(tmp_path, BOOK, "b.bin", count=2)
    assert read(tmp_path, BOOK, "b.bin", count=3)[:2] == first
    assert read(tmp_path, gzip.compress(BOOK), "b.bin.gz", count=2) == first


@pytest.mark.parametrize(
    ("data", "given", "says"),
    [
        (BOOK, {}, "a book of Polyglot has no list of openings; set boards"),
        (BOOK, {"count": 2, "game": CHESS960}, "not of Chess960"),
        (BOOK[:-1], {"count": 2}, "no whole entries of 16 bytes"),
        (b"", {"count": 2}, "no whole entries of 16 bytes"),
        (b"\xff" * 1600, {"count": 2}, "has no moves for the usual start position"),
    ],
)
def test_a_wrong_polyglot_book_is_refused(
    tmp_path: Path, data: bytes, given: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        read(tmp_path, data, "b.bin", **given)


def test_a_start_of_the_game_itself_is_no_book(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="remove the option fen"):
        read(tmp_path, BOOK, "b.bin", count=1, game=Chess(fen=f"{ROOKS} w - - 0 1"))
