from arena.league.ladder.breaker import FIRST_WAIT_S, LONGEST_WAIT_S, WINDOW, Breaker


def crashed(times: int, breaker: Breaker | None = None) -> Breaker:
    breaker = breaker or Breaker()
    for _ in range(times):
        breaker = breaker.after_match(is_fault=True, now=100.0)
    return breaker


def test_half_of_the_last_matches_with_a_fault_park_a_version() -> None:
    assert not crashed(4).is_parked
    assert crashed(5).is_parked


def test_faults_of_long_ago_do_not_count() -> None:
    breaker = crashed(4)
    for _ in range(WINDOW):
        breaker = breaker.after_match(is_fault=False, now=100.0)

    assert not crashed(4, breaker).is_parked


def test_a_parked_version_is_tested_after_a_wait_that_doubles() -> None:
    breaker = crashed(5)

    assert not breaker.is_test_due(100.0 + FIRST_WAIT_S - 1)
    assert breaker.is_test_due(100.0 + FIRST_WAIT_S)
    again = breaker.after_test(is_fault=True, now=1000.0)
    assert again.is_parked
    assert not again.is_test_due(1000.0 + 2 * FIRST_WAIT_S - 1)
    for _ in range(20):
        again = again.after_test(is_fault=True, now=1000.0)
    assert again.is_test_due(1000.0 + LONGEST_WAIT_S)


def test_a_test_without_a_fault_starts_a_new_window() -> None:
    breaker = crashed(5).after_test(is_fault=False, now=1000.0)

    assert not breaker.is_parked
    assert not crashed(4, breaker).is_parked
    assert crashed(5, breaker).is_parked


def test_matches_that_end_after_the_parking_change_nothing() -> None:
    parked = crashed(5)

    assert parked.after_match(is_fault=False, now=200.0) == parked
