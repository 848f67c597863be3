"""Books of openings: what is read of PGN, EPD and FEN, what is drawn, and what is refused."""

import tracemalloc
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from arena.books.book import MAX_TEXT, is_book, read_book
from arena.config.event import Config
from arena.config.loading import make_config
from arena.config.same_event import conflicts, lasting
from arena.errors import ConfigError
from arena.event.plan import Plan, make_plan
from referee.job import Job, Player
from referee.options import make_game
from referee.rules.chess_text import START, start_960

CHESS = make_game("chess", {})
ONCE = {"openings": {"file": "b.epd", "book": "once"}}
CHESS960 = make_game("chess", {"chess960": True})
ENDGAME = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 17"
PGN = f"""\ufeff[Event "a {{ brace"]
[White "no\\"body"]

1. e4 {{a comment
[Event "in a comment"] }} e5 (1... c5 2. Nf3 (2. c3 {{)}} d5) d6) 2.Nf3!? $14 Nc6 ; not ( read {{
% neither is }} this
3 Bb5+ ! a6 1-0

[Event "two, and a game without tags"]

1. d4 d5 2. c4 1/2-1/2
1. e4 c5 *
[Event "three"]
[SetUp "1"]
[FEN "{ENDGAME}"]

17... Kd7 18. e4 *
[Event "to its end"]

1. f3 e5 2. g4 Qh4# {{the rest is not read}} zz
"""
EPD = """rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 bm e5; id "no e3";

rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - hmvc 7; fmvn 9; id "two";
rnbqkb1r/pp1p1ppp/4pn2/2pP4/2P5/8/PP2PPPP/RNBQKBNR w KQkq - 0 4
rnbqkb1r/pppppppp/5n2/8/2P5/8/PP1PPPPP/RNBQKBNR w KQkq - 1 2; c0 "x";
"""


def read(
    folder: Path, text: str, kind: str = "pgn", *, game: Any = CHESS, count: int | None = None
) -> tuple[str, ...]:
    path = folder / f"book.{kind}"
    path.write_bytes(text.encode())
    return read_book(path, path.name, game, count, 0)


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["unix", "dos"])
def test_the_main_line_of_each_game_is_an_opening(tmp_path: Path, ends: str) -> None:
    assert set(read(tmp_path, PGN.replace("\n", ends))) == {
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
        "d2d4 d7d5 c2c4",
        "e2e4 c7c5",
        f"fen {ENDGAME} moves e8d7 e2e4",
        "f2f3 e7e5 g2g4",  # the next move ends the game
    }


TO_ROOK = "1. a4 b5 2. axb5 a6 3. bxa6 e6 4. a7 e5 5. axb8"
ROOKED = "a2a4 b7b5 a4b5 a7a6 b5a6 e7e6 a6a7 e6e5 a7b8"


@pytest.mark.parametrize("result", ["1/2", "½-½", "1/2-1/2", "½ - ½", "1/2 -1/2", "0.5 - 0.5"])
@pytest.mark.parametrize("coding", ["utf-8", "latin-1"])
def test_a_draw_ends_a_game_however_it_is_written(tmp_path: Path, result: str, coding: str) -> None:
    assert_ends(tmp_path / "book.pgn", result.encode(coding))


@pytest.mark.parametrize("result", [b"1 - 0", b"1- 0", b"0 -1", b"0-1", b"*", b"1-0"])
def test_a_win_ends_a_game_however_it_is_written(tmp_path: Path, result: bytes) -> None:
    assert_ends(tmp_path / "book.pgn", result)


def assert_ends(path: Path, result: bytes) -> None:
    """Assert that games end with a result, and that castling ends none."""
    castled = b"1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0-0 0-0"
    games = b'1. e4 e5 %b\n1. d4 (1. c4 %b) %b\n[Event "a"]\n\n%b %b\n'
    path.write_bytes(games % (result, result, result, castled, result))

    assert set(read_book(path, path.name, CHESS, None, 0)) == {
        "e2e4 e7e5",
        "d2d4",
        "e2e4 e7e5 g1f3 g8f6 f1e2 f8e7 e1g1 e8g8",
    }


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ('[White-Elo "1"]\n[A:b+c=#1 "x"]\n\n1. e4 *', "e2e4"),
        ("1. e4 a6 2. e5 d5 3. exd6 e.p. cxd6 *", "e2e4 a7a6 e4e5 d7d5 e5d6 c7d6"),
        ("1. e4 e5? ± 2. Nf3 = N Nc6 ∓ +- 3. Bb5 -/+ a6 +/= *", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"),
        ('[Event "a \\"b\\" \\\\ c]"]\n\n1.e2-e4!? $1 e7-e5?? *', "e2e4 e7e5"),
        *((f"{TO_ROOK}{piece} *", f"{ROOKED}r") for piece in ("(R)", "=R", "R", "r", "=r", "(R)!")),
        (f"{TO_ROOK}(R)(5. axb8(Q) (5. d4) d5) 5... c6 *", f"{ROOKED}r c7c6"),
    ],
)
def test_what_other_programs_write_is_read(tmp_path: Path, text: str, opening: str) -> None:
    assert read(tmp_path, text) == (opening,)


def test_only_games_with_moves_are_openings(tmp_path: Path) -> None:
    text = (
        ';; <Paulsen // Raphael * (R3.1) 25 1-0>\n;; 1857\n\n[Event "1"]\n\n1. e4 c5 1-0\n'
        '; 2\n{ two\nlines }\n[Event "2"]\n[Result "0-1"]\n\n0-1\n{ one\ntwo } 1. d4 *\n; end\n'
    )

    assert set(read(tmp_path, text)) == {"e2e4 c7c5", "d2d4"}


def test_games_are_cut_after_a_number_of_plies_and_equal_beginnings_drawn_once(
    tmp_path: Path,
) -> None:
    path = tmp_path / "games.pgn"
    ends = [f"1. e4 e5 2. {move} Nc6 *\n" for move in ("Nf3", "Nc3", "Bc4", "d4", "a3", "b3", "c3")]
    path.write_text("".join([*ends, "1. d4 d5 2. c4 {the last} e6 *\n", "1. Nf3 d5 *\n"]))

    three = {"e2e4 e7e5", "d2d4 d7d5", "g1f3 d7d5"}

    assert "d2d4 d7d5 c2c4" in read_book(path, path.name, CHESS, None, 0, plies=3)
    assert set(read_book(path, path.name, CHESS, 3, 0, plies=2)) == three


def test_each_line_of_an_epd_file_is_a_start_position(tmp_path: Path) -> None:
    assert set(read(tmp_path, EPD, "epd")) == {
        "fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 moves",
        "fen rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 7 9 moves",
        "fen rnbqkb1r/pp1p1ppp/4pn2/2pP4/2P5/8/PP2PPPP/RNBQKBNR w KQkq - 0 4 moves",
        "fen rnbqkb1r/pppppppp/5n2/8/2P5/8/PP1PPPPP/RNBQKBNR w KQkq - 1 2 moves",
    }


def test_every_opening_of_chess960_has_its_position(tmp_path: Path) -> None:
    text = f'[Variant "Chess960"]\n[FEN "{start_960(7)}"]\n\n1. e4 *\n[Event "usual"]\n\n1. d4 *\n'

    assert set(read(tmp_path, text, game=CHESS960)) == {
        f"fen {start_960(7)} moves e2e4",
        f"fen {START} moves d2d4",
    }


def test_a_position_is_drawn_once(tmp_path: Path) -> None:
    text = "1. e4 e5 *\n1. e4 e5 2. Nf3 *\n\n1. e4   e5 *\n1. Nf3 e5 2. e4 *\n1. e4 e5 1-0\n"

    assert len(read(tmp_path, text)) == 2
    assert len(read(tmp_path, text, count=2)) == 2


def test_openings_are_drawn_by_the_seed_whatever_their_order(tmp_path: Path) -> None:
    lines = [f"{start_960(number)}\n" for number in range(300)]
    path = tmp_path / "book.fen"

    def drawn(count: int, seed: int, given: list[str]) -> tuple[str, ...]:
        path.write_text("".join(given))
        return read_book(path, "book.fen", CHESS960, count, seed)

    first = drawn(20, 1, lines)
    assert drawn(20, 1, lines[::-1]) == first
    assert drawn(30, 1, lines)[:20] == first
    assert len(set(first) & set(drawn(20, 2, lines))) < 10
    places = [lines.index(f"{line[4:-6]}\n") for line in first]
    assert sum(place >= 100 for place in places) > 5  # not from its beginning


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        (
            "pgn",
            '[White "x"]\n\n1. e4 e5\n2. Nf3 Nf4 *',
            'b.pgn:4:8: "Nf4": no knight can go to f4',
        ),
        ("pgn", "1. e4 e5 2. Ke3 *", 'b.pgn:1:13: "Ke3": no king can go to e3'),
        ("pgn", "1. e4 ) *", "b.pgn:1:7: this variation has no beginning"),
        ("pgn", "1. e4 " + "(" * 50_000, "b.pgn:1:1: a variation of this game does not end"),
        ("pgn", "1. e4 " + "(" * 40_000 + ")" * 40_001, "b.pgn:1:80007: this variation"),
        ("pgn", '1. e4 *\n[A "b"]\n1. d4 {\n*', "b.pgn:3:1: a comment does not end"),
        ("pgn", "1. e4 *\n; a comment\n{ another\n", "b.pgn:3:1: a comment does not end"),
        ("pgn", "1. e4 -- 2. d4 *", 'b.pgn:1:7: "--" is not a move'),
        ("pgn", '[Result "1-0"]\n\n1-0', "b.pgn:1:1: a game without moves"),
        ("pgn", "1. e4 * 1. d4 *", "b.pgn:1:12: text after the result of a game"),
        ("pgn", '[FEN "8/8 w"]\n*', "b.pgn:1:7: expected a position of 4 to 6 fields"),
        ("pgn", "[FEN 8/8]\n*", 'b.pgn:1:1: a tag is written [Name "value"]'),
        ("pgn", '[Variant "Atomic"]\n*', 'b.pgn:1:11: a game of "Atomic", not of chess'),
        ("pgn", '[Variant "Chess960"]\n*', "b.pgn:1:11: a game of Chess960; for such a book add"),
        ("pgn", "1. \0\0 *", 'b.pgn:1:4: "'),
        ("pgn", "z" * 900_000, "b.pgn:1:1: a move of 900,000 characters"),
        ("pgn", "e4 " * MAX_TEXT, "b.pgn:1:1: a line of more than 1 MiB"),
        ("pgn", f"1. e4\n{'e5 ' * 300_000}\n" * 2, "b.pgn:1:1: a game of more"),
        ("pgn", " \n\n", "b.pgn: has no openings"),
        ("epd", "\n", "b.epd: has no openings"),
        ("epd", "\n8/8/8/8/8/8/8/8 w\n", "b.epd:2:1: expected a position of 4 to 6 fields"),
        ("epd", "8/8/8/8/8/8/8/8 w - -", "b.epd:1:1: White has 0 kings; one is needed"),
        ("epd", "7k/5KQ1/8/8/8/8/8/8 b - -", "b.epd:1:1: the game is over in this position: che"),
        ("epd", "7k/5KQ1/8/8/8/8/8/8 w - -", "b.epd:1:1: the side that is not to move is in che"),
        ("epd", "k6K/" + "QQQQQQQQ/" * 2 + "8/8/8/8/8 w - -", "b.epd:1:1: White has more than 16"),
        ("fen", "\0" * 1000 + " a b c", "b.fen:1:1: a FEN has at most 100 characters"),
    ],
    ids=lambda value: "" if len(value) > 30 else None,
)
def test_errors_have_their_place(tmp_path: Path, kind: str, text: str, says: str) -> None:
    (tmp_path / f"b.{kind}").write_text(text)

    with pytest.raises(ConfigError) as error:
        read_book(tmp_path / f"b.{kind}", f"b.{kind}", CHESS, None, 0)

    assert str(error.value).startswith(says)
    assert len(str(error.value)) < 1_000


def test_a_game_of_endless_moves_takes_little_memory(tmp_path: Path) -> None:
    (tmp_path / "b.pgn").write_text("a " * 200_000)

    tracemalloc.start()
    with pytest.raises(ConfigError, match=r'b\.pgn:1:1: "a" is not a move'):
        read_book(tmp_path / "b.pgn", "b.pgn", CHESS, None, 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 100_000_000


def test_errors_of_a_whole_book_are_few(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, "".join(f"x{number} a b c\n" for number in range(9_000)), "epd")

    assert len(error.value.problems) == 20


@pytest.mark.parametrize("kind", ["absent", "folder", "huge", "long"])
def test_an_unreadable_book_is_reported(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "b.epd"
    says = {
        "absent": "cannot be read: No such file",
        "folder": "is not a regular file",
        "huge": "is larger than 1 GiB",
        "long": "has more than 100,000 openings; set boards",
    }
    if kind == "folder":
        path.mkdir()
    elif kind != "absent":
        path.write_text("".join(f"{number}\n" for number in range(100_001)))
    if kind == "huge":
        with path.open("r+b") as file:
            file.truncate(2**30 + 1)

    with pytest.raises(ConfigError, match=says[kind]):
        read_book(path, "b.epd", CHESS, None, 0)


def test_only_books_of_chess_are_read_as_books() -> None:
    assert is_book("chess", "a/b.PGN")
    assert not is_book("chess", "pgn")
    assert not is_book("chess", "openings.txt")
    assert not is_book("damspel", "b.pgn")


def config(folder: Path, **values: Any) -> Config:
    """Return a config of chess between two bots, with the book EPD."""
    for name in ("ann", "bob"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "bot.yaml").write_text("run: [./bot]\n")
    (folder / "b.epd").write_text(EPD)
    given: dict[str, Any] = {
        "name": "event",
        "game": {"name": "chess"},
        "bots": ("./ann", "./bob"),
        "openings": {"file": "b.epd"},
        **values,
    }
    return make_config(given, folder=folder, origin="a test")


def planned(config: Config) -> Plan:
    players = {
        name: Player(name=name, argv=("bot",), folder=".", content=name) for name in ("ann", "bob")
    }
    return make_plan(config, players, 7)


def jobs(config: Config) -> list[Job]:
    plan = planned(config)
    return [plan.job_of(pairing) for pairing in plan.pairings]


def test_both_matches_on_a_board_begin_in_its_position(tmp_path: Path) -> None:
    starts = [job.options["fen"] for job in jobs(config(tmp_path))]

    assert len(starts) == 8
    assert [starts.count(start) for start in starts] == [2] * 8
    assert all(job.options["chess960"] is False for job in jobs(config(tmp_path)))


def test_moves_of_a_book_begin_in_its_position(tmp_path: Path) -> None:
    (tmp_path / "b.pgn").write_text(f'[FEN "{ENDGAME}"]\n\n17... Kd7 *\n')

    (job, _) = jobs(config(tmp_path, openings={"file": "b.pgn"}))

    assert job.options["fen"] == ENDGAME
    assert [entry["seat"] for entry in job.history] == [1]


def test_an_event_takes_more_openings_of_a_book_later(tmp_path: Path) -> None:
    few, more = config(tmp_path, boards=2), config(tmp_path, boards=4)

    assert few.opening_lines == more.opening_lines[:2]
    assert conflicts(few, more) == []
    assert conflicts(few, config(tmp_path, boards=2, seed=3)) != []


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"boards": 5, **ONCE}, "5 boards need as many openings, but the file has 4 openings"),
        ({"format": "gate", "gate": {"cap": 20}, **ONCE}, "cap must be 8 at most"),
        ({"game": {"name": "chess", "fen": START}}, "remove the option fen"),
        ({"game": {"name": "chess", "chess960": True, "number": 5}}, "remove the option number"),
    ],
    ids=["boards", "gate", "fen", "number"],
)
def test_events_that_a_book_does_not_fit_are_refused(
    tmp_path: Path, values: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        config(tmp_path, **values)


def test_a_book_with_too_few_openings_is_used_again_in_order_with_a_warning(
    tmp_path: Path,
) -> None:
    again = config(tmp_path, boards=6)
    plan = planned(again)

    starts = [job.options["fen"] for job in jobs(again)]
    assert starts[:2] == starts[8:10]
    assert plan.openings is not None
    warning = plan.openings.warning(plan.pairings)
    assert warning.startswith("4 openings for 6 boards: they are used again in order")
    assert plan.openings.warning(plan.pairings[:8]) == ""


@pytest.mark.parametrize(
    ("settings", "is_once"),
    [("go: nodes 900", True), ("go: depth 4\noptions: {Threads: 2}", False), ("", False)],
)
def test_engines_that_repeat_their_moves_exactly_use_each_opening_once(
    tmp_path: Path, settings: str, *, is_once: bool
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "engine").touch(mode=0o700)
        text = f"name: {name}\nprotocol: uci\nrun: [./engine]\n{settings}\n"
        (tmp_path / name / "bot.yaml").write_text(text)

    with pytest.raises(ConfigError) if is_once else nullcontext():
        config(tmp_path, boards=6, bots=("./one", "./two"), game={"name": "chess"})


def test_a_gate_with_a_larger_cap_is_the_same_gate(tmp_path: Path) -> None:
    (tmp_path / "big.fen").write_text("\n".join(map(start_960, range(50))))
    game = {"name": "chess", "chess960": True}
    openings = {"file": "big.fen"}
    small, large = (
        config(tmp_path, game=game, openings=openings, format="gate", gate={"cap": cap})
        for cap in (20, 40)
    )

    assert lasting(small) == lasting(large)
    assert conflicts(small, large) == []


def test_a_gate_and_a_ladder_take_what_they_can_use(tmp_path: Path) -> None:
    assert len(config(tmp_path, format="ladder", matches=4).opening_lines) == 2
    assert config(tmp_path, game={"name": "chess", "chess960": True}).boards == 4


def test_skipped_openings_are_a_note_of_the_config(tmp_path: Path) -> None:
    (tmp_path / "c.epd").write_text(f"{EPD}nonsense\n")

    (note,) = config(tmp_path, openings={"file": "c.epd"}).notes

    assert note.startswith("warning: c.epd: 1 opening that cannot be read skipped in line 6: ")
