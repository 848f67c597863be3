"""Matches that repeat others: two deterministic bots, again and again from the same position."""

from collections.abc import Sequence
from contextlib import closing
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from events import job_of, keep, new_event, new_store, rekeyed
from fakes import FakeBot, played

from arena.ratings.repeats import LEAST_PLIES
from arena.reports.notes import notes_of
from arena.results.store import Store
from referee.records.record import Record

OPENING = ({"seat": 0, "move": {"v": 0, "h": 0}}, {"seat": 1, "move": {"v": 3, "h": 3}})
OTHER = ({"seat": 0, "move": {"v": 0, "h": 0}}, {"seat": 1, "move": {"v": 3, "h": 4}})


def course(*names: str, plies: int = LEAST_PLIES, **fields: Any) -> Record:
    job = job_of(*names, max_plies=plies, **fields)
    return played(job, [FakeBot(), FakeBot()]).record


def note(store: Store, event: int) -> str:
    row = store.event(event)
    assert row is not None
    return dict(notes_of(store, row)).get("repeated matches", "")


def test_repeated_matches_are_counted_over_all_boards(tmp_path: Path) -> None:
    with closing(new_store(tmp_path)) as store:
        event = new_event(store, ["ann", "bob"])
        matches = [
            course("ann", "bob"),
            course("ann", "bob", seed=8),
            course("ann", "bob", board_seed=12),  # Pente starts alike on every board
            course("bob", "ann"),
        ]
        for number, record in enumerate(matches):
            keep(store, event, rekeyed(record, str(number)), board=number)

        said = note(store, event)

        assert "\nthe errors of Elo are larger than shown." in said
        assert said.startswith("2 matches repeat an earlier one move by move")
        assert "openings: {random_plies: 4}" in said


def test_other_openings_boards_and_short_matches_are_no_repeats(tmp_path: Path) -> None:
    options = {"dimension": 8, "objectives": "misere"}
    sticks: dict[str, Any] = {"game": "matchsticks", "options": options}
    with closing(new_store(tmp_path)) as store:
        event = new_event(store, ["ann", "bob"], openings={"random_plies": 2})
        matches = [
            course("ann", "bob"),
            course("ann", "bob", history=OPENING),
            course("bob", "ann", plies=LEAST_PLIES - 1),
            course("bob", "ann", plies=LEAST_PLIES - 1),
            course("ann", "bob", **sticks),
            course("ann", "bob", **sticks, board_seed=12),
        ]
        for number, record in enumerate(matches):
            keep(store, event, rekeyed(record, str(number)))

        assert note(store, event) == ""


def test_the_note_says_how_to_avoid_repeats(tmp_path: Path) -> None:
    with closing(new_store(tmp_path)) as store:
        event = new_event(store, ["ann", "bob"])
        for number in range(2):
            keep(store, event, rekeyed(course("ann", "bob"), str(number)), board=number)

        assert note(store, event) == (
            "1 match repeats an earlier one move by move, without new information:\n"
            "the errors of Elo are larger than shown.\n"
            "Openings make matches differ: arena match ... --openings 4,\n"
            "or openings: {random_plies: 4} in a config."
        )


def test_the_same_moves_in_other_seats_or_other_moves_are_no_repeats(tmp_path: Path) -> None:
    other = {"type": "play", "move": {"v": 3, "h": 4}}
    with closing(new_store(tmp_path)) as store:
        event = new_event(store, ["ann", "bob"], openings={"random_plies": 2})
        records = [course(*names) for names in permutations(("ann", "bob")) for _ in range(2)]
        moved = played(job_of("ann", "bob", max_plies=LEAST_PLIES), [FakeBot(), FakeBot(other)])
        assert moved.record.plies == LEAST_PLIES
        for number, record in enumerate([*records, moved.record]):
            keep(store, event, rekeyed(record, str(number)))

        assert note(store, event).startswith("2 matches repeat an earlier one")


@pytest.mark.parametrize(("matches", "said"), [(99, "98"), (100, "at least 99"), (101, "at least")])
def test_of_very_many_matches_some_are_compared(matches: int, said: str, tmp_path: Path) -> None:
    with closing(new_store(tmp_path)) as store:
        event = new_event(store, ["ann", "bob"])
        record = course("ann", "bob")
        for number in range(matches):
            keep(store, event, rekeyed(record, str(number)))

        assert note(store, event).startswith(f"{said} ")


def test_a_damaged_record_repeats_nothing(tmp_path: Path) -> None:
    with closing(new_store(tmp_path)) as store:
        event = new_event(store, ["ann", "bob"], openings={"random_plies": 2})
        for number in range(3):
            keep(store, event, rekeyed(course("ann", "bob"), str(number)))
        with store.database.transaction() as db:
            db.execute("UPDATE record SET body = 'no record' WHERE match = 2")

        assert note(store, event).startswith("1 match repeats an earlier one")
        assert "--openings" not in note(store, event)


@pytest.mark.parametrize(
    ("boards", "config", "errors"),
    [
        ((0, 1, 2, 3), {}, "allow for this"),
        ((0, 1, 2, 3), {"format": "gate"}, "are larger than shown"),
        ((0, 1, 2, 3), {"format": "tune"}, "are larger than shown"),
        ((0, 1, 0, 1), {}, "allow for this"),
        ((0, 2, 0, 2), {}, "are larger than shown"),
    ],
    ids=["openings used again", "gate", "tune", "boards used again", "one opening"],
)
def test_repeats_of_one_opening_are_in_the_errors_beside_other_openings(
    boards: Sequence[int], config: dict[str, Any], errors: str, tmp_path: Path
) -> None:
    lines = {"openings": {"file": "two.txt"}, "opening_lines": ["0,0 3,3", "0,0 3,4"]}
    with closing(new_store(tmp_path)) as store:
        event = new_event(store, ["ann", "bob"], **lines, **config)
        for number, board in enumerate(boards):
            history = OPENING if board % 2 == 0 else OTHER
            record = rekeyed(course("ann", "bob", history=history), str(number))
            keep(store, event, record, board)

        assert f"\nthe errors of Elo {errors}." in note(store, event)
