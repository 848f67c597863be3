"""Each worker collects the same files, in an order of its own."""

from ordering import TESTS, files_in_turn


def test_each_worker_begins_elsewhere_and_has_all_files() -> None:
    orders = [files_in_turn(worker, 4) for worker in range(4)]

    assert len({order[0] for order in orders}) == 4
    assert all(sorted(order) == sorted(orders[0]) for order in orders)
    assert str(TESTS / "test_ordering.py") in orders[0]


def test_no_worker_has_a_file_that_is_ignored() -> None:
    every, left = files_in_turn(1, 4), files_in_turn(1, 4, [f"{TESTS}/games", f"{TESTS}/protocol/"])

    gone = set(every) - set(left)
    assert gone
    assert all(file.startswith((f"{TESTS}/games/", f"{TESTS}/protocol/")) for file in gone)
    assert not any("/games/" in file.removeprefix(str(TESTS)) for file in left)
