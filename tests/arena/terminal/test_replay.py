"""Stepping through a match by keys: what is shown, and where each key leads."""

from dataclasses import replace

import pytest
from events import job_of
from fake_screen import FakeScreen
from fakes import FIRST_LEGAL, RESIGN, FakeBot, play, played

from arena.terminal.replay import SPEEDS, ReplayScreen, Stepper, print_match
from arena.terminal.story import replay_lines, title_text
from referee.job import Player
from referee.records.record import Printed, Record

EVIL = "\x1b[2J\u202eevil"


def record_of(*names: str, note: str = "", **changes: object) -> Record:
    """Return a match of pente: 0,0, then stones in the corner, then seat 0 resigns."""
    move = play(FIRST_LEGAL, note=note) if note else play(FIRST_LEGAL)
    bots = [FakeBot(move, move, move, RESIGN), FakeBot(move, move, move)]
    job = replace(job_of(*(names or ("ann", "bob"))), **changes)  # type: ignore[arg-type]
    return played(job, bots).record


def stepped(
    record: Record, *keys: str, size: tuple[int, int] = (24, 80), at: int = 0
) -> FakeScreen:
    screen = FakeScreen(*keys, size=size)
    ReplayScreen(record, title_text(7, record), at).run(screen)
    return screen


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (["right"], 6),
        (["left"], 4),
        (["home"], 0),
        (["end"], 30),
        (["page down"], 15),
        (["page up"], 0),
        (["home", "left"], 0),
        (["end", "right"], 30),
        (["1", "2", "enter"], 12),
        (["1", "2", "backspace", "enter"], 1),
        (["9", "9", "9", "9", "9", "9", "9", "9", "enter"], 30),
        (["1", "2", "right"], 6),
        (["x", "F", "unknown"], 5),
    ],
)
def test_keys_lead_to_a_position_and_never_beyond_the_match(keys: list[str], place: int) -> None:
    stepper = Stepper(last=30, place=5)

    for key in keys:
        stepper = stepper.after(key)

    assert (stepper.place, stepper.typed) == (place, "")


def test_a_ply_is_counted_from_the_end_of_the_opening() -> None:
    assert Stepper(first=4, last=30).after("3").after("enter").place == 7


def test_autoplay_runs_at_a_speed_to_the_end_and_again_from_the_start() -> None:
    stepper = Stepper(last=2, place=0).after("space")
    assert stepper.wait_s == 1 / SPEEDS[2]
    assert stepper.after("+").wait_s == 1 / SPEEDS[3]
    assert stepper.after("-").after("-").after("-").wait_s == 1 / SPEEDS[0]

    stepper = stepper.advanced().advanced()
    assert (stepper.place, stepper.wait_s) == (2, None)
    again = stepper.after("space")
    assert (again.place, again.is_playing) == (0, True)
    assert not again.after("space").is_playing
    assert not again.after("right").is_playing


def test_a_screen_has_the_players_the_board_with_the_last_move_and_its_words() -> None:
    screen = stepped(record_of(), "right", "end")

    start, first, end = screen.frames
    assert start[0].startswith("match 7, pente: ann X - bob O ")
    assert start[0].endswith("ply 0 of 6, ? for keys")
    assert "[X]" in first[11]
    assert first[-1].startswith("ply 1: seat 0 ann plays 0,0, CPU ")
    assert end[-1] == "bob wins: resignation; points ann 0, bob 5"
    for frame in screen.frames:
        assert len(frame) <= 24
        assert all(len(line) <= 80 for line in frame)


def test_autoplay_moves_on_without_keys() -> None:
    screen = stepped(record_of(), "space", "", "", "+", "")

    assert [frame[0].split("ply ")[1] for frame in screen.frames] == [
        "0 of 6, ? for keys",
        "0 of 6, 1 a second, ? for keys",
        "1 of 6, 1 a second, ? for keys",
        "2 of 6, 1 a second, ? for keys",
        "2 of 6, 2 a second, ? for keys",
        "3 of 6, 2 a second, ? for keys",
    ]
    assert screen.waits[0] is None
    assert all(wait is not None and wait <= 1 for wait in screen.waits[1:])


@pytest.mark.parametrize("size", [(24, 80), (5, 20), (1, 1), (2, 2), (200, 300)])
def test_a_terminal_of_any_size_and_one_that_changes_it_is_drawn_on(size: tuple[int, int]) -> None:
    screen = stepped(
        record_of(), "right", "3x9", "down", "<", "1x1", "end", "?", "24x80", size=size
    )

    assert all(frame for frame in screen.frames)


def test_hostile_names_and_notes_are_escaped_and_a_long_note_has_a_page() -> None:
    record = record_of(EVIL, "bob", note=f"{EVIL} " + "word " * 100)

    screen = stepped(record, "right", "d", "q")

    shown = "".join(line for frame in screen.frames for line in frame)
    assert shown.isprintable()
    assert r"\x1b[2J\u202eevil" in screen.frames[0][0]
    assert screen.frames[1][-1].endswith("… (d)")
    assert sum(line.count("word") for line in screen.frames[2]) == 100
    assert "\x1b" not in "".join(replay_lines(record, has_boards=True))


def test_an_opening_is_stepped_through_before_ply_0() -> None:
    history = ({"seat": 0, "move": {"v": 0, "h": 0}}, {"seat": 1, "move": {"v": 1, "h": 1}})
    record = record_of(history=history)

    screen = stepped(record, "left", "home")

    assert [frame[-1] for frame in screen.frames] == [
        "start, after the opening 0,0 1,1",
        "opening: 1 of 2 moves",
        "opening: 0 of 2 moves",
    ]
    assert "[O]" in "".join(screen.frames[0])
    person = Player(name="you", argv=(), folder="", content="person")
    record.job = replace(record.job, players=(person, record.job.players[1]))
    screen = stepped(record)
    assert screen.frames[0][-1] == "start, after the moves kept by a take-back 0,0 1,1"


def test_all_boards_are_printed_each_with_its_move_and_the_result_last() -> None:
    lines = "\n".join(replay_lines(record_of(), has_boards=True)).splitlines()

    assert lines[0] == "start"
    assert sum(line.startswith("captured pairs") for line in lines) == 8
    assert sum(line.count("[X]") + line.count("[O]") for line in lines) == 6
    assert lines[-1] == "bob wins: resignation; points ann 0, bob 5"


def test_help_lists_the_keys_on_80_columns() -> None:
    screen = stepped(record_of(), "?", "q")

    assert "jump to that ply" in "".join(screen.frames[1])
    assert len(screen.frames[1]) == 8


def printing() -> Record:
    """Return a match in which seat 0 prints at its start, in its second move and at its end."""
    record = record_of()
    record.seats[0].printed = [
        Printed(0, "started\n"),
        Printed(3, f"depth 1\n  {EVIL}\n"),
        Printed(6, "the beginning\n"),
        Printed(6, "the end", dropped=9000),
    ]
    record.seats[1].printed = [Printed(2, "secret plan")]
    return record


def test_what_a_bot_printed_stands_under_its_move() -> None:
    lines = list(replay_lines(printing()))

    assert lines[:3] == ["start", "  ann printed at its start:", "    started"]
    assert lines[3].startswith("ply 1: seat 0 ann plays ")
    assert lines[4].startswith("ply 2: seat 1 bob plays ")
    assert lines[5:7] == ["  bob printed in this move:", "    secret plan"]
    assert lines[8:11] == [
        "  ann printed in this move:",
        "    depth 1",
        r"      \x1b[2J\u202eevil",
    ]
    end = lines.index("  ann printed in term:")
    assert lines[end + 1 : end + 4] == [
        "    the beginning",
        "    ... 9000 bytes of its output are not kept",
        "    the end",
    ]


def test_a_seat_reads_its_own_output_only() -> None:
    assert "secret plan" not in "\n".join(replay_lines(printing(), seat=0))
    assert "secret plan" in "\n".join(replay_lines(printing(), seat=1))


def test_one_position_has_the_output_of_its_move(capsys: pytest.CaptureFixture[str]) -> None:
    print_match(printing(), "a match", 2, has_boards=False, seat=None)

    assert capsys.readouterr().out.endswith("\n\n  bob printed in this move:\n    secret plan\n")


def test_the_screen_shows_the_output_of_a_move_below_the_board() -> None:
    screen = stepped(printing(), "d", "q", "q", size=(60, 80), at=2)

    below, whole, *_ = screen.frames
    assert below[-1].strip() == "secret plan"
    assert "    secret plan" in whole
