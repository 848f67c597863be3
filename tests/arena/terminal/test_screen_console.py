"""A person's console on a screen and in lines, without a terminal."""

from io import StringIO

import pytest
from consoles import ScriptedConsole, people_job, play_people
from fake_screen import FakeScreen

from arena.people.person import PersonScene, Quit
from arena.terminal.lines import PlainConsole, header
from arena.terminal.screen_console import ScreenConsole

EVIL = "\x1b[2J\u202eevil"


def scene(game: str = "pente", names: tuple[str, ...] = ("ann", "bob")) -> PersonScene:
    """Return the first scene of a match."""
    console = ScriptedConsole("quit")
    with pytest.raises(Quit):
        play_people(people_job(names, game), console)
    return console.scenes[0]


def typed(*keys: str, size: tuple[int, int] = (24, 80)) -> tuple[str, FakeScreen]:
    screen = FakeScreen(*keys, size=size)
    console = ScreenConsole(screen)
    console.show(scene("down_n_out", ("ann",)))
    return console.read(), screen


@pytest.mark.parametrize(
    ("game", "names", "line"),
    [
        ("pente", ("ann", "bob"), "pente: ann (X) against bob (O)"),
        ("damspel", ("ann", "bob"), "damspel: ann (white W) against bob (black Z)"),
        ("matchsticks", ("ann", "bob"), "matchsticks: ann (seat 0) against bob (seat 1)"),
        ("down_n_out", ("ann",), "down_n_out: ann, alone"),
        ("chinese_checkers", tuple("abc"), "chinese_checkers: a (0) against b (1), c (2)"),
    ],
)
def test_the_header_says_who_plays_what_against_whom(
    game: str, names: tuple[str, ...], line: str
) -> None:
    assert header(scene(game, names)) == line


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (["1", ",", "2", "enter"], "1,2"),
        (["1", "space", "3", "backspace", "2", "enter"], "1 2"),
        (["x", "clear", "y", "enter"], "y"),
        (["x", "escape", "end of input"], None),
        (["x", "end of input", "enter"], "x"),
        (["up", "left", "page down", "F1", "resize", "unknown", "q", "enter"], "q"),
        (["\u202e", "\x1b", "\x00", "\u00e9", "enter"], "\u00e9"),
        ([*["9"] * 400, "enter"], "9" * 300),
    ],
)
def test_a_line_is_typed_key_by_key(keys: list[str], line: str | None) -> None:
    if line is None:
        with pytest.raises(Quit):
            typed(*keys)
    else:
        assert typed(*keys)[0] == line


@pytest.mark.parametrize("size", [(1, 1), (2, 5), (3, 10), (24, 80), (60, 200)])
def test_the_header_and_the_line_to_type_in_stay_on_every_screen(size: tuple[int, int]) -> None:
    _, screen = typed("1", "enter", size=size)

    for frame in screen.frames:
        assert frame[0].startswith("down_n_out: ann, alone")
        assert len(frame) <= max(4, size[0])
    if size[0] >= 24:
        assert screen.frames[-1][-1].startswith("your move: 1_")


def test_a_long_text_has_a_page_and_a_short_one_is_below_the_board() -> None:
    screen = FakeScreen("space", "q")
    console = ScreenConsole(screen)
    console.show(scene())
    console.say("short")
    console.say("\n".join(f"line {number}" for number in range(60)) + EVIL)

    assert screen.frames[1][1] == "line 0"
    assert screen.frames[2][1] == "line 22"
    assert "\x1b" not in "".join(line for frame in screen.frames for line in frame)


def test_lines_of_strangers_are_escaped_in_a_pipe() -> None:
    out = StringIO()
    console = PlainConsole((StringIO("0,0\n"), out))

    console.say(f"note: {EVIL}")
    console.show(scene())

    assert console.read() == "0,0\n"
    assert out.getvalue().startswith("note: \\x1b[2J\\u202eevil\n")
    with pytest.raises(Quit):
        console.read()
