"""The table of workers: one on which a player does worse than its rating predicts."""

import math
from pathlib import Path

import pytest
from events import crashed, job_of, keep, new_event, new_store, rekeyed, won_by

from arena.ratings.residuals import residuals, residuals_text
from arena.reports.notes import notes_of
from arena.results.workers import add_worker, workers_of
from referee.records.match_end import Worker
from referee.records.result import SeatRow

Seats = tuple[SeatRow, ...]
SLOW, FAST = Worker("slow", 0.5), Worker("fast", 1.0)


def seats_of(*players: str, places: tuple[int, ...]) -> Seats:
    return tuple(
        SeatRow(player, 0, place, "0", None, 0, 0, 0, 0)
        for player, place in zip(players, places, strict=True)
    )


def uneven_workers(draws: int = 0) -> list[tuple[Worker, Seats]]:
    """Return matches of ann and bob, as strong as each other, each with its worker.

    Of 10 on "slow", bob wins 9, of 10 on "fast", ann does; each begins half of them and of the
    draws on "fast". The first seat wins half of the 20.
    """
    played = []
    for number in range(10):
        places = (2, 1) if number == 9 else (1, 2)
        slow, fast = (seats_of(*names, places=places) for names in (("bob", "ann"), ("ann", "bob")))
        played.append((SLOW, slow if number % 2 else slow[::-1]))
        played.append((FAST, fast[::-1] if number % 2 else fast))
    draw = seats_of("ann", "bob", places=(1, 1))
    return played + [(FAST, draw[:: (1, -1)[number % 2]]) for number in range(draws)]


def test_a_player_that_loses_on_one_worker_only_is_shown_there(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    event = new_event(store, ["ann", "bob"])
    for number in range(30):
        is_odd = number % 3 == 2
        record = won_by(job_of("ann", "bob"), 1 if is_odd else 0)
        match = keep(store, event, rekeyed(record, f"match {number}"))
        add_worker(store, match.id, Worker("old" if is_odd else "new", 0.5 if is_odd else 1.0))
    broken = keep(store, event, rekeyed(crashed(job_of("ann", "bob"), 1), "broken"))
    add_worker(store, broken.id, Worker("old", 0.5))

    found = residuals(
        [(match.id, match.seats) for match in store.matches(event)],
        dict(workers_of(store, event)),
    )

    assert (len(found["old"].speeds), found["old"].faults, found["new"].faults) == (11, 1, 0)
    assert found["old"].deviations()["ann"] < -3
    assert found["new"].deviations()["ann"] > 1
    row = store.event(event)
    assert row is not None
    lines = residuals_text(store, row).splitlines()
    assert lines[0].split() == [
        "worker",
        "matches",
        "speed",
        "faults",
        "near",
        "limit",
        "score",
        "against",
        "expectation",
    ]
    (old,) = (line for line in lines if line.startswith("old"))
    assert old.endswith(" standard errors, look at this worker")
    assert " ann -" in old
    assert dict(notes_of(store, row))["workers"] == "\n".join(lines)
    store.close()


def test_a_match_with_both_at_fault_says_nothing_about_a_worker(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    event = new_event(store, ["ann", "bob"])
    for number in range(10):
        record = won_by(job_of("ann", "bob"), number % 2)
        keep(store, event, rekeyed(record, f"match {number}"))
        broken = keep(store, event, rekeyed(crashed(job_of("ann", "bob"), 0, 1), f"both {number}"))
        add_worker(store, broken.id, Worker("old", 0.5))

    (found,) = residuals(
        [(match.id, match.seats) for match in store.matches(event)],
        dict(workers_of(store, event)),
    ).values()

    assert (found.faults, found.deviations()) == (20, {})
    store.close()


def test_an_event_without_workers_has_no_table(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    event = new_event(store, ["ann", "bob"])
    keep(store, event, won_by(job_of("ann", "bob"), 0))
    row = store.event(event)

    assert row is not None
    assert residuals_text(store, row) == ""
    assert "workers" not in dict(notes_of(store, row))
    store.close()


@pytest.mark.parametrize("draws", [0, 20])
def test_a_deviation_is_the_surplus_of_points_in_its_standard_errors(draws: int) -> None:
    """Each is expected to score one half; draws have no part in the variance of a match."""
    played = dict(enumerate(uneven_workers(draws)))

    found = residuals(
        [(number, seats) for number, (_, seats) in played.items()],
        {number: worker for number, (worker, _) in played.items()},
    )

    matches = 20 + draws
    spread = (1 + 20 / 4) / (1 + matches / 4)  # one match of variance 1 is known before the first
    slow, fast = (4 / math.sqrt(count / 4 * spread) for count in (10, 10 + draws))
    assert found["slow"].deviations() == pytest.approx({"ann": -slow, "bob": slow}, abs=1e-6)
    assert found["fast"].deviations() == pytest.approx({"ann": fast, "bob": -fast}, abs=1e-6)


def test_a_match_decided_unplayed_or_of_three_has_no_expectation() -> None:
    unplayed = [
        seat._replace(fault="withdrawn", is_unplayed=True) if seat.player == "bob" else seat
        for seat in seats_of("ann", "bob", places=(1, 2))
    ]
    played = [
        *uneven_workers(),
        (Worker("third", 1.0), tuple(unplayed)),
        (Worker("third", 1.0), seats_of("ann", "bob", "cat", places=(1, 2, 3))),
    ]

    found = residuals(
        [(number, seats) for number, (_, seats) in enumerate(played)],
        {number: worker for number, (worker, _) in enumerate(played)},
    )

    assert (found["third"].speeds, found["third"].deviations()) == ([1.0, 1.0], {})


def test_matches_without_a_worker_count_in_the_expectation_only() -> None:
    played = uneven_workers()

    found = residuals(
        [(number, seats) for number, (_, seats) in enumerate(played)],
        {0: SLOW},
    )

    assert list(found) == ["slow"]
    assert found["slow"].deviations() == pytest.approx({"ann": -1, "bob": 1}, abs=1e-6)


def test_the_table_has_a_line_for_each_worker(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    event = new_event(store, ["ann", "bob"])
    matches = []
    for number, (worker, (one, other)) in enumerate(uneven_workers()):
        job = job_of(one.player, other.player)
        record = rekeyed(won_by(job, other.place == 1), f"match {number}")
        matches.append(keep(store, event, record))
        add_worker(store, matches[-1].id, worker)
    for seat, speed in enumerate((0.25, 0.75)):
        record = rekeyed(crashed(job_of("ann", "bob"), 0, 1), f"both {seat}")
        add_worker(store, keep(store, event, record).id, Worker("none", speed))
    with store.database.transaction() as db:
        db.execute("UPDATE seat SET near_limit = 2 + seat WHERE match = ?", (matches[0].id,))
    row = store.event(event)

    assert row is not None
    assert [line.split() for line in residuals_text(store, row).splitlines()[2:]] == [
        ["fast", "10", "1.00", "0", "0", "ann", "+2.5", "standard", "errors"],
        ["none", "2", "0.50", "4", "0", "-"],
        ["slow", "10", "0.50", "0", "5", "ann", "-2.5", "standard", "errors"],
    ]
    store.close()
