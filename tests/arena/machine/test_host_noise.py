"""What finished matches say of the host they were played on."""

from collections.abc import Iterable, Iterator

from arena.machine.host_noise import HostNoise
from arena.results.standings import Table
from arena.results.store import MatchRow
from referee.records.result import SeatRow

MS = 1_000_000


def match(*seats: tuple[str, int, int | None], late: str | None = None) -> MatchRow:
    """Return a match; a seat is a player, its replies near the limit, its null round trip."""
    rows = tuple(
        SeatRow(player, 0, 1, "0", "timeout" if player == late else None, 0, 0, 0, 0, near, null_ns)
        for player, near, null_ns in seats
    )
    return MatchRow(1, 1, "key", 0, "", "normal", "reason", 10, "2026", rows)


def noise_of(matches: Iterable[MatchRow]) -> HostNoise:
    table = Table(())
    for each in matches:
        table.add(each.seats)
    return HostNoise(table)


def evenly(null_ns: int, count: int = 20) -> Iterator[MatchRow]:
    return (match(("ann", 0, null_ns), ("bob", 0, null_ns)) for _ in range(count))


def test_replies_near_the_limit_are_added_up_by_player_most_first() -> None:
    noise = noise_of([match(("ann", 1, None), ("bob", 0, None)), match(("cat", 5, None))] * 2)

    assert noise.near_limit_text() == "replies within 10 % of their limit: cat 10, ann 2"


def test_without_anomalies_there_is_no_warning() -> None:
    for matches in ([], [match(("ann", 0, None))], list(evenly(50_000))):
        assert noise_of(matches).near_limit_text() == ""
        assert noise_of(matches).overload() == ""


def test_slow_null_calls_are_a_warning() -> None:
    assert noise_of(evenly(1 * MS)).overload() == ""
    assert noise_of(evenly(2 * MS)).overload() == (
        "the host seems overloaded: a null call took 2.0 ms, in the median; wall-clock"
        " times are unreliable, CPU times are reliable (clock: cpu); try fewer slots"
    )


def test_null_calls_much_slower_than_at_best_are_a_warning() -> None:
    uneven = [*evenly(20_000, 5), *evenly(400_000, 15)]

    assert "null calls took 20 times their minimum" in noise_of(uneven).overload()


def test_a_few_matches_are_no_evidence_of_uneven_calls() -> None:
    assert noise_of([*evenly(20_000, 1), *evenly(400_000, 8)]).overload() == ""


def test_a_slow_language_is_no_slow_host() -> None:
    mixed = (match(("c", 0, 20_000), ("java", 0, 800_000)) for _ in range(20))

    assert noise_of(mixed).overload() == ""


def test_a_remote_bot_says_nothing_of_this_host() -> None:
    far = (match(("near", 0, 50_000), ("far", 0, 30 * MS), late="far") for _ in range(20))
    table = Table(())
    for each in far:
        table.add(each.seats)

    assert "a null call took" in HostNoise(table).overload()
    assert HostNoise(table, remote=["far"]).overload() == ""
    assert HostNoise(table, remote=["far", "near"]).overload() == ""


def test_the_timeouts_of_remote_bots_are_none_of_this_host() -> None:
    table = Table(())
    for each in with_late("ann", "bob", "ann", count=20):
        table.add(each.seats)

    assert "by several bots" in HostNoise(table).time_losses()
    assert HostNoise(table, remote=["bob"]).time_losses() == ""


def with_late(*late: str, count: int) -> list[MatchRow]:
    """Return this number of matches; the first ones have timeouts."""
    seats = (("ann", 0, 20_000), ("bob", 0, 20_000))
    names = [*late, *[None] * (count - len(late))]
    return [match(*seats, late=name) for name in names]


def test_timeouts_of_several_bots_are_a_warning_with_their_rate() -> None:
    noise = noise_of(with_late("ann", "bob", "ann", count=20))

    assert noise.time_losses() == (
        "timeouts on this host: 3 in 20 matches (15%), by several bots: ann 2, bob 1; if they"
        " are fast enough on other hosts, try fewer slots or more grace"
    )
    assert noise.warnings({"clock": "cpu"}) == [noise.time_losses()]


def test_one_slow_bot_or_a_few_timeouts_are_no_warning() -> None:
    for matches in (
        with_late("ann", "ann", "ann", "ann", count=20),
        with_late("ann", "bob", count=20),
        with_late("ann", "bob", "ann", count=19),
    ):
        assert noise_of(matches).time_losses() == ""


def test_a_wall_clock_limit_half_used_by_null_calls_is_a_warning() -> None:
    noise = noise_of([match(("c", 0, 20_000), ("java", 0, 800_000))] * 3)

    assert noise.tight_limit({"clock": "wall", "per_move": "1ms"}) == (
        "per_move is 1ms by the wall clock, and a null call takes much of that on this host:"
        " java 800 µs in the median"
    )
    assert noise.tight_limit({"clock": "wall", "per_move": "2ms"}) == ""
    assert noise.tight_limit({"clock": "cpu", "per_move": "1ms"}) == ""
    assert noise.tight_limit({}) == ""
