"""How a gate counts: pairs in the order of the schedule, and what they decide."""

import random
from collections import Counter

import pytest
from outcomes import sat

from arena.config.gate import GateSection
from arena.errors import UsageError
from arena.gate.schedule import GateSchedule, Shard, gate_pairs, matches_of
from arena.gate.tally import GateProgress, GateTest, PairCounter, PairTally
from arena.ratings.sprt import GateOutcome
from arena.schedule.pairing import Pairing
from referee.records.result import SeatRow

ELO = GateSection(elo0=-50, elo1=0, alpha=0.05, beta=0.05, cap=600, max_faults=0)
SCORES = ELO.model_copy(update={"elo0": None, "elo1": None, "score0": -5, "score1": 0})
PAIRS = gate_pairs("new", "base", pairs=300, variants=[""])
ALONE = gate_pairs("new", "base", pairs=300, variants=[""], is_alone=True)


Results = dict[str, tuple[SeatRow, ...]]


def ended(pairing: Pairing, points: float, **facts: object) -> tuple[SeatRow, ...]:
    """Return a match of two with these points of NEW; `facts` are those of NEW."""
    places = {0.0: (2, 1), 0.5: (1, 1), 1.0: (1, 2)}[points]
    seats = []
    for name in pairing.players:
        place = places[name == "base"]
        score = str(10 * points) if name == "new" else str(10 - 10 * points)
        mine = facts if name == "new" else {}
        seats.append(sat(name, place, **{"score": score, **mine}))  # type: ignore[arg-type]
    return tuple(seats)


def results_of(points: str) -> Results:
    """Return the first matches of the gate: `1`, `0` and `=` are what NEW took of each."""
    taken = {"1": 1.0, "0": 0.0, "=": 0.5}
    return {
        pairing.key: ended(pairing, taken[each])
        for pairing, each in zip(matches_of(PAIRS), points, strict=False)
    }


def progress(results: Results, rule: GateSection = ELO) -> GateProgress:
    return PairCounter(GateTest(rule), "new", PAIRS).progress(results)


def test_pairs_are_counted_by_the_points_of_new_in_both_matches() -> None:
    tally = progress(results_of("111=10==0=0001")).tally

    assert tally.bins == (1, 1, 3, 1, 1)
    assert (tally.wins, tally.draws, tally.losses, tally.pairs) == (5, 4, 5, 7)


def test_a_gate_without_matches_is_open() -> None:
    assert progress({}) == GateProgress(GateOutcome.OPEN, PairTally(), 0)


def test_only_pairs_after_an_unbroken_row_of_finished_ones_count() -> None:
    results = results_of("11" * 5)
    del results[PAIRS[2][1].key]

    assert progress(results).ended == 2
    assert progress(results).tally.pairs == 2


def test_the_order_of_finished_matches_changes_nothing() -> None:
    dice = random.Random(1)
    points = "".join(dice.choice("10=1") for _ in range(600))
    whole = results_of(points)
    counter = PairCounter(GateTest(ELO), "new", PAIRS)
    keys = list(whole)
    dice.shuffle(keys)
    some: Results = {}
    for key in keys:
        some[key] = whole[key]
        assert counter.progress(some) == progress(some)

    assert counter.progress(whole) == progress(whole)


def test_fewer_results_than_before_restart_the_count() -> None:
    counter = PairCounter(GateTest(ELO), "new", PAIRS)
    counter.progress(results_of("11" * 5))

    assert counter.progress({}) == progress({})
    assert counter.progress(results_of("00" * 3)) == progress(results_of("00" * 3))


def test_a_gate_is_decided_at_the_first_crossing_of_a_bound() -> None:
    won = progress(results_of("11" * 300))
    lost = progress(results_of("00" * 300))

    assert (won.outcome, won.ended) == (GateOutcome.PASSED, 20)
    assert (lost.outcome, lost.ended) == (GateOutcome.FAILED, 23)


def test_later_pairs_do_not_change_the_decision() -> None:
    assert progress(results_of("11" * 20 + "00" * 280)) == progress(results_of("11" * 20))


def test_a_gate_that_is_not_decided_at_its_cap_is_undecided() -> None:
    equal = PairCounter(GateTest(ELO), "new", PAIRS[:10]).progress(results_of("1100" * 5))

    assert (equal.outcome, equal.ended) == (GateOutcome.UNDECIDED, 10)


def test_a_fault_of_new_ends_the_gate_unless_allowed() -> None:
    results = results_of("11" * 30)
    second = PAIRS[1][0]
    results[second.key] = ended(second, 0.0, fault="crash")

    assert (progress(results).outcome, progress(results).ended) == (GateOutcome.FAULTS, 2)
    assert progress(results, ELO.model_copy(update={"max_faults": 1})).outcome is GateOutcome.PASSED


def test_a_fault_of_base_is_counted_and_ends_nothing() -> None:
    results = results_of("11" * 30)
    first = PAIRS[0][0]
    results[first.key] = tuple(
        seat._replace(fault="crash") if seat.player == "base" else seat
        for seat in results[first.key]
    )

    assert progress(results).outcome is GateOutcome.PASSED
    assert progress(results).tally.base_faults == 1


def test_a_pair_with_an_undecided_match_is_left_out() -> None:
    results = results_of("11" * 3)
    results[PAIRS[1][0].key] = ()

    tally = progress(results).tally
    assert (tally.pairs, tally.void_pairs, tally.wins) == (2, 1, 4)


def test_a_pair_of_scores_is_the_mean_difference_per_match() -> None:
    first, second = PAIRS[0]
    results: Results = {
        first.key: (sat("new", 1, "7.5"), sat("base", 2, "5")),
        second.key: (sat("base", 1, "4"), sat("new", 2, "-1")),
    }

    tally = progress(results, SCORES).tally
    assert (tally.total, tally.squares) == (-1.25, 1.5625)


def test_a_pair_of_one_seat_matches_is_one_difference() -> None:
    results: Results = {}
    for number, (mine, other) in enumerate(ALONE[:3]):
        results[mine.key] = (sat("new", 1, str(100 + number)),)
        results[other.key] = (sat("base", 1, "100"),)

    tally = PairCounter(GateTest(SCORES), "new", ALONE).progress(results).tally
    assert (tally.pairs, tally.total, tally.squares) == (3, 3.0, 5.0)
    assert tally.bins == (0, 0, 0, 0, 0)
    assert (tally.wins, tally.draws, tally.losses) == (0, 0, 0)


@pytest.mark.parametrize(("mine", "beyond"), [("150", 0), ("45", 0), ("0", 1)])
def test_differences_that_cost_more_than_a_stake_are_counted(mine: str, beyond: int) -> None:
    results: Results = {}
    for number, (own, other) in enumerate(ALONE[:40]):
        results[own.key] = (sat("new", 1, "100" if number < 20 else mine),)
        results[other.key] = (sat("base", 1, "100"),)
        if number == 20:
            break

    assert PairCounter(GateTest(SCORES), "new", ALONE).progress(results).tally.beyond == beyond


FIELD = gate_pairs("new", "base", pairs=24, variants=[""], field=["x", "y"])


def test_both_take_the_same_seat_against_the_field_each_seat_and_order_as_often() -> None:
    pairs = gate_pairs("new", "base", pairs=24, variants=[""], field=["x", "y"])
    seen: Counter[tuple[int, tuple[str, ...]]] = Counter()
    for first, second in pairs:
        seat = first.players.index("new")
        assert second.players[seat] == "base"
        assert first.board == second.board
        others = tuple(name for name in first.players if name != "new")
        assert others == tuple(name for name in second.players if name != "base")
        seen[seat, others] += 1

    assert len({pairing.key for pairing in matches_of(pairs)}) == 48
    assert seen == {(seat, order): 4 for seat in range(3) for order in (("x", "y"), ("y", "x"))}


@pytest.mark.parametrize(("mine", "other", "place"), [(1, 2, 4), (2, 2, 2), (3, 1, 0)])
def test_a_pair_against_a_field_compares_the_places_in_the_same_seat(
    mine: int, other: int, place: int
) -> None:
    first, second = FIELD[0]
    results: Results = {
        first.key: (sat("new", mine, "5"), sat("x", 1, "9"), sat("y", 3, "0", fault="crash")),
        second.key: (sat("base", other, "2"), sat("x", 1, "9"), sat("y", 3, "0")),
    }

    tally = PairCounter(GateTest(ELO), "new", FIELD).progress(results).tally
    assert [number for number, count in enumerate(tally.bins) if count] == [place]
    assert (tally.wins, tally.draws, tally.losses) == (place == 4, place == 2, place == 0)
    assert (tally.total, tally.faults, tally.base_faults) == (3.0, 0, 0)


def test_a_field_of_one_makes_matches_of_two_in_which_the_rivals_do_not_meet() -> None:
    first, second = gate_pairs("new", "base", pairs=1, variants=[""], field=["x"])[0]
    results: Results = {
        first.key: (sat("new", 1, "5"), sat("x", 2, "0")),
        second.key: (sat("base", 1, "4"), sat("x", 2, "1")),
    }

    assert (first.players, second.players) == (("new", "x"), ("base", "x"))
    tally = PairCounter(GateTest(ELO), "new", [(first, second)]).progress(results).tally
    assert (tally.bins, tally.draws, tally.total) == ((0, 0, 1, 0, 0), 1, 1.0)


def test_faults_of_base_against_a_field_are_its_own() -> None:
    first, second = FIELD[0]
    results: Results = {
        first.key: (),
        second.key: (sat("base", 3, "0", fault="crash"), sat("x", 1, "9"), sat("y", 2, "4")),
    }

    tally = PairCounter(GateTest(ELO), "new", FIELD).progress(results).tally
    assert (tally.base_faults, tally.faults, tally.void_pairs) == (1, 0, 1)


def test_a_test_by_scores_needs_more_pairs_than_one_by_wins() -> None:
    assert (GateTest(ELO).least_pairs, GateTest(SCORES).least_pairs) == (10, 30)


def test_scores_decide_after_thirty_pairs_at_the_earliest() -> None:
    better = results_of("11" * 300)

    assert progress(better, SCORES).outcome is GateOutcome.PASSED
    assert progress(better, SCORES).ended == 30


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (-50, 0, GateOutcome.PASSED),
        (-50, -10, GateOutcome.PASSED),
        (0, 5, GateOutcome.FAILED),
        (-5, 5, GateOutcome.UNDECIDED),
    ],
)
def test_a_bot_against_itself_is_zero_better(low: float, high: float, outcome: GateOutcome) -> None:
    assert GateTest(ELO.model_copy(update={"elo0": low, "elo1": high})).of_equals() is outcome


@pytest.mark.parametrize(
    "rule",
    [
        ELO.model_copy(update={"elo0": 0, "elo1": 0}),
        ELO.model_copy(update={"elo0": 10, "elo1": -10}),
        SCORES.model_copy(update={"score0": 3, "score1": 2}),
        ELO.model_copy(update={"alpha": 0.5}),
        ELO.model_copy(update={"beta": 0}),
    ],
)
def test_an_undecidable_test_is_refused(rule: GateSection) -> None:
    with pytest.raises(UsageError):
        GateTest(rule)


def test_means_of_scores_have_an_error_once_there_are_two_pairs() -> None:
    assert PairTally(pairs=1, total=4, squares=16).ahead() == (4, None)
    mean, error = PairTally(pairs=2, total=4, squares=16).ahead()
    assert (mean, error) == pytest.approx((2, 25.4124))


# -- the schedule ----------------------------------------------------------------------------------


def schedule(cap: int = 300) -> GateSchedule:
    return GateSchedule(GateTest(ELO), "new", PAIRS[:cap])


def test_all_pairs_are_known_from_the_start_both_seats_of_each_in_a_row() -> None:
    known = schedule().known({})

    assert [pairing.key for pairing in known[:4]] == [
        "new,base/b0/0",
        "base,new/b0/0",
        "new,base/b1/0",
        "base,new/b1/0",
    ]
    assert len(known) == schedule().total({}) == 600


def test_pairs_after_the_decision_are_dropped() -> None:
    decided = schedule()
    results = results_of("11" * 21)

    assert decided.known(results) == matches_of(PAIRS[:20])
    assert decided.total(results) == 40
    assert decided.text(results) == ""


def test_while_it_is_open_the_same_matches_are_known() -> None:
    gate = schedule()

    assert gate.known(results_of("11" * 5)) is gate.known({})


def test_variants_take_turns_each_pair_on_a_board_of_its_own() -> None:
    pairs = gate_pairs("new", "base", pairs=4, variants=["normal", "misere"])

    assert [pairing.key for pairing in pairs[1]] == ["new,base/b1/misere/0", "base,new/b1/misere/0"]
    assert [(first.board, first.variant) for first, _ in pairs] == [
        (0, "normal"),
        (1, "misere"),
        (2, "normal"),
        (3, "misere"),
    ]
    assert all(
        (first.board, first.variant) == (second.board, second.variant) for first, second in pairs
    )


def test_an_event_of_a_shard_is_named_after_the_gate_and_its_part() -> None:
    assert Shard(2, 3).event_name("old-against-new") == "old-against-new.2-of-3"


def test_every_pair_is_in_exactly_one_shard() -> None:
    parts = [Shard(number, 3).part(PAIRS[:100]) for number in (1, 2, 3)]

    assert [len(part) for part in parts] == [34, 33, 33]
    assert sorted(pair[0].board for part in parts for pair in part) == list(range(100))


@pytest.mark.parametrize("text", ["1/1", "2/3", "1000/1000"])
def test_a_shard_is_read_as_it_is_written(text: str) -> None:
    assert str(Shard.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/1001", "1/2/3", "a/b", "²/3"]
)
def test_an_invalid_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--shard is i/n"):
        Shard.parse(text)
