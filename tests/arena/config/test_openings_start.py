"""The first opening of a file or a book that an event plays."""

from pathlib import Path

import pytest

from arena.config.event import Config
from arena.config.quick import quick_config
from arena.config.same_event import conflicts, lasting
from arena.errors import ConfigError, UsageError
from arena.gate.request import GateRequest

LINES = ("0,0 1,1", "0,0 2,2", "0,0 3,3", "0,0 4,4")


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("openings.txt").write_text("\n".join(LINES))
    moves = ["e4 e5", "d4 d5", "c4 c5", "Nf3 Nf6", "b3 b6"]
    Path("book.pgn").write_text("\n\n".join(f"1. {each} *" for each in moves))


def quick(*settings: str, file: str = "openings.txt", games: int = 4) -> Config:
    game = "pente" if file == "openings.txt" else "chess"
    return quick_config(
        ["starter/python"] * 2,
        game=game,
        games=games,
        options=[],
        settings=settings,
        openings=file,
        seed=1,
    )


@pytest.mark.parametrize("start", [1, 2, 4])
def test_an_event_begins_with_the_opening_that_is_named(start: int) -> None:
    config = quick(f"openings.start={start}")

    assert config.opening_lines == LINES[start - 1 :]


def test_openings_of_a_book_are_counted_in_the_order_of_the_draw() -> None:
    whole = quick(file="book.pgn", games=8)

    assert quick("openings.start=3", file="book.pgn").opening_lines == whole.opening_lines[2:4]


@pytest.mark.parametrize(
    ("settings", "file", "says"),
    [
        ("openings.start=5", "openings.txt", "start is 5, but the file has 4 openings"),
        ("openings.start=0", "openings.txt", "openings.start must be 1 or more"),
        ("openings.start=2", "4", "start is for openings of a file; remove it"),
        ("openings.file=x", "openings.txt", "not for openings, which the command sets itself"),
    ],
)
def test_a_wrong_start_is_refused(settings: str, file: str, says: str) -> None:
    with pytest.raises((ConfigError, UsageError), match=says):
        quick(settings, file=file)


def test_an_event_is_resumed_if_its_openings_are_the_same() -> None:
    old, moved = quick("openings.start=2"), quick("openings.start=3")

    assert conflicts(old, quick("openings.start=2")) == []
    assert [each.partition(":")[0] for each in conflicts(old, moved)] == ["openings.file"]
    assert lasting(quick("openings.start=1")) == lasting(quick())
    Path("openings.txt").write_text("\n".join(LINES[1:]))
    assert conflicts(old, quick()) == []


def test_the_advice_for_a_file_with_too_few_openings_is_accepted() -> None:
    request = GateRequest(
        game="pente", settings=("openings.book=again",), openings="openings.txt"
    ).values([("a", "random"), ("b", "greedy")])

    assert request["openings"] == {"book": "again", "file": "openings.txt"}
