"""Questions before a match: their help is wrapped at the width of the terminal, and paged there."""

import contextlib
import re
import sys
from collections.abc import Iterator
from io import StringIO

import pytest
from fake_screen import FakeScreen

from arena.people.game_help import rules_text
from arena.people.person import Quit
from arena.terminal import questions, screen
from arena.terminal.questions import ask_game
from referee.games.damspel import Damspel

EXPLANATION = (
    "which side you play: white begins Enter takes the value in brackets, quit or q leaves."
)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def answered(monkeypatch: pytest.MonkeyPatch, typed: str, *keys: str) -> tuple[str, FakeScreen]:
    """Return what is printed, and the screen of the pages, in a terminal of 40 columns."""
    fake = FakeScreen(*keys, size=(10, 40))

    @contextlib.contextmanager
    def full_screen() -> Iterator[FakeScreen]:
        yield fake

    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(screen, "full_screen", full_screen)
    monkeypatch.setattr(questions, "has_screen", lambda: True)
    monkeypatch.setattr(sys, "stdin", StringIO(typed))
    monkeypatch.setattr(sys, "stdout", printed := Terminal())
    with pytest.raises(Quit):
        ask_game("damspel", None, (), (sys.stdin, sys.stdout))
    return printed.getvalue(), fake


def test_the_help_is_paged_and_no_word_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    said, shown = answered(monkeypatch, "?\nquit\n", "space", "end", "q")

    assert "Capturing" not in said
    first, *_, last = shown.frames
    assert first[-1] == "space: more, arrows scroll, q: back"
    assert last[-1] == "arrows scroll, q: back"
    words = {word for page in shown.frames for line in page[1:-1] for word in line.split()}
    assert words <= {*rules_text(Damspel()).split(), *EXPLANATION.split()}
    assert all(len(line) <= 40 for page in shown.frames for line in page)


def test_questions_are_wrapped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    said, _ = answered(monkeypatch, "green\nwhite\n99\nquit\n")

    lines = re.split(r"\n|\? \[\w+\] ", said)  # what is typed is not echoed here
    assert max(map(len, lines)) <= 40
    assert "explains, quit leaves)" in said


def test_q_leaves_a_question_as_it_leaves_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    answered(monkeypatch, "white\nq\n")


@pytest.mark.parametrize(
    ("typed", "seat"),
    [
        ("Zoë", 2),
        ("zoë", 2),
        ("JÖ", 0),
        ("käthe", 1),
        ("Kä", 1),
        ("Ost", 3),
        ("OSTEN", 4),
        ("Straße", 5),
        ("STRASSE", 5),
        ("", 0),
    ],
)
def test_a_side_is_found_by_its_name_in_any_case(
    monkeypatch: pytest.MonkeyPatch, typed: str, seat: int
) -> None:
    names = ("Jörg", "Käthe", "Zoë", "Ost", "Osten", "Straße")
    monkeypatch.setattr(Damspel, "seat_names", names)
    monkeypatch.setattr(Damspel, "asked_options", ())

    assert ask_game("damspel", None, (), (StringIO(f"{typed}\n"), StringIO()))[1] == seat


def test_the_beginning_of_two_names_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Damspel, "seat_names", ("Ostern", "Osten"))
    monkeypatch.setattr(Damspel, "asked_options", ())
    said = StringIO()

    assert ask_game("damspel", None, (), (StringIO("oste\nOSTEN\n"), said))[1] == 1
    assert "answer Ostern or Osten" in said.getvalue()
