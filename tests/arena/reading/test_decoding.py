"""Files of users in the forms that editors and programs of any system write."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from arena.books.book import read_book
from arena.bots.manifest import find_bot
from arena.config.loading import load_config
from arena.errors import ConfigError
from arena.reading.decoding import NoTextError, decoded
from arena.remote.entrants import read_entrants
from arena.schedule.openings import read_openings
from referee.options import make_game

KEY = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
CHESS = make_game("chess", {})
PGN = """[Event "J\u00f6rg"]
[Result "*"]

1. e4 {a comment
of two lines} e5 ; to the end
2. Nf3 *

[Event "other"]

% escaped
1. d4 d5 1/2-1/2
"""
EPD = "4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/8/8/8/8/8/3P4/4K3 w - -\n"
Read: TypeAlias = Callable[[Path], Any]
TEXTS: dict[str, tuple[str, Read]] = {
    "bot.yaml": ("run: [./bot]\nname: J\u00f6rg\n", lambda path: find_bot(str(path), Path()).name),
    "cup.yaml": (
        "name: cup\ngame: {name: pente}\nbots: [random, greedy]\n",
        lambda path: load_config(str(path)).name,
    ),
    "entrants.yaml": (f'J\u00f6rg: "{KEY}"\n', lambda path: read_entrants(path).keys),
    "o.txt": ("e4 e5 # J\u00f6rg\nd4 d5\n", lambda path: read_openings(path, "o", CHESS, (2,))),
    "b.pgn": (PGN, lambda path: read_book(path, "b", CHESS, None, 0)),
    "b.epd": (EPD, lambda path: read_book(path, "b", CHESS, None, 0)),
}


@pytest.fixture(params=TEXTS)
def given(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, Read]:
    """Return the path of a file, its text, and a function that reads the file."""
    return (tmp_path / request.param, *TEXTS[request.param])


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_the_mark_of_utf_8_change_nothing(
    given: tuple[Path, str, Read], end: str, mark: str
) -> None:
    path, text, read = given
    path.write_text(text)
    plain = read(path)

    path.write_bytes((mark + text.replace("\n", end)).encode())

    assert read(path) == plain
    assert plain


@pytest.mark.parametrize("form", ["utf-16", "utf-16-be"])
def test_utf_16_is_named(given: tuple[Path, str, Read], form: str) -> None:
    path, text, read = given
    path.write_bytes(text.encode(form) if form == "utf-16" else f"\ufeff{text}".encode(form))

    with pytest.raises(ConfigError) as refusal:
        read(path)

    (problem,) = refusal.value.problems
    assert problem.detail.startswith("is UTF-16 text")
    assert problem.detail.endswith("save it as UTF-8")


def test_a_wrong_byte_has_its_line() -> None:
    for data in (b"a\n\xf6", b"\xef\xbb\xbfa\n\xf6"):
        with pytest.raises(NoTextError, match=r"^is not UTF-8 text: byte 0xf6 in line 2$"):
            decoded(data)
