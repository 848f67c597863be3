"""The last screen of the bench: 24 rows, the whole event first, missed bounds, a busy machine."""

from tests.bench.figures import Figure
from tests.bench.screen import COLUMNS, ROWS, screen

EVENT = [
    Figure("event, 1 slot: wall a ply", 44.0, "us", most=33.0, floor=27.5, of=27.5),
    Figure("event, 1 slot: CPU of the bot a ply", 9.0, "us"),
    Figure("event, 1 slot: CPU of the referee a ply", 21.0, "us", most=22.0, floor=42.0, of=30.0),
]
MET = [Figure("a", 1.0, "s", most=2.0), Figure("b", 1.0, "s")]


def test_the_event_comes_first_with_bounds_and_floors_and_misses_are_marked() -> None:
    lines = screen({"wire": MET, "event": EVENT, "rules": MET}, [])

    assert lines[0] == "3 of 4 bounds met; the machine was quiet"
    assert [" ".join(line.split()) for line in lines[2:4]] == [
        "1 slot: wall a ply 44 us <= 33 1.60 <= 1.20 NO",
        "1 slot: CPU of the referee a ply 21 us <= 22 0.50 <= 0.73",
    ]
    assert lines[4:] == ["within all bounds: wire 1, rules 1"]


def test_a_part_shows_its_worst_miss_and_counts_the_others() -> None:
    figures = [Figure("a", 3.0, "s", most=2.0), Figure("b", 10.0, "/s", least=100.0)]

    (row,) = screen({"wire": figures}, [])[2:]

    assert " ".join(row.split()) == "wire +1: b 10 /s >= 100 NO"


def test_a_busy_machine_is_reported() -> None:
    assert screen({"wire": MET}, ["wire"])[0].endswith("BUSY before wire: trust CPU and ratios")
    assert "BUSY before wire and 2 more" in screen({"wire": MET}, ["wire", "a", "b"])[0]


def test_any_number_of_parts_and_any_name_fit_into_the_screen() -> None:
    missed = [Figure("a name that is longer than the columns it has" * 2, 1e6, "us", most=1e5)]
    parts = {f"a part {number}": missed for number in range(40)}
    met = {f"part {number}": MET for number in range(15)}

    lines = screen({"event": EVENT, **parts, **met}, list(parts))

    assert len(lines) <= ROWS
    assert max(map(len, lines)) <= COLUMNS
    assert sum("more parts with a missed bound" in line for line in lines) == 1
