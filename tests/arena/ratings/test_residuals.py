"""The table of workers: one on which a player does worse than its rating predicts."""

from pathlib import Path

from events import crashed, job_of, keep, new_event, new_store, rekeyed, won_by

from arena.ratings.residuals import residuals, residuals_text
from arena.reports.notes import notes_of
from arena.results.workers import add_worker, workers_of
from referee.records.match_end import Worker


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
    assert "look at this worker" in next(line for line in lines if line.startswith("old"))
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
