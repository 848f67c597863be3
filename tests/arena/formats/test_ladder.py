"""The ladder: distribution of matches, end, and saving."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from random import Random

import pytest
from outcomes import by_elo, by_strength, drawn, forfeited, keys, names, played, won

from arena.formats.encounters import EncounterTerms
from arena.formats.ladder import Ladder
from arena.ratings.rating import rate, rate_outcomes
from arena.results.standings import rated_match
from arena.schedule.meetings import first_meetings
from arena.schedule.pairing import Pairing
from referee.records.result import SeatRow

TERMS = EncounterTerms()


def ladder(count: int, *, certainty: float = 0.95, matches: int | None = None) -> Ladder:
    return Ladder(names(count), certainty=certainty, matches=matches, terms=TERMS)


@pytest.mark.parametrize("count", range(2, 30))
def test_the_first_encounters_connect_all_players(count: int) -> None:
    pairs = first_meetings(count)

    joined = {0}
    for _ in range(count):
        joined |= {player for pair in pairs if joined & set(pair) for player in pair}
    assert joined == set(range(count))
    assert len(set(pairs)) == len(pairs)


def test_a_ladder_ends_when_the_order_of_all_neighbours_is_certain() -> None:
    elo = {player: -150.0 * number for number, player in enumerate(names(6))}
    subject = ladder(6)

    results = played(subject, by_elo(elo, Random(1)))

    outcomes = Counter(
        rated_match(results[match.key], match.board) for match in subject.known(results)
    )
    ratings = rate_outcomes(outcomes).players
    assert [rating.player for rating in ratings] == names(6)
    assert all(rating.superiority is None or rating.superiority >= 0.95 for rating in ratings)
    assert len(results) < 600
    assert "every order of neighbours is clear" in subject.text(results)


def test_a_ladder_ends_at_its_cap_and_names_the_uncertain_neighbours() -> None:
    subject = ladder(4, matches=40)

    results = played(subject, drawn)

    assert len(results) == 40
    assert subject.total(results) == 40
    assert subject.text(results).splitlines()[-1].startswith("not clear yet: bot0")


def test_a_ladder_of_long_encounters_ends_after_the_first_rating() -> None:
    terms = EncounterTerms(repeat=100)  # 9 encounters before the first rating, of 600 matches
    subject = Ladder(names(6), certainty=0.95, matches=None, terms=terms)

    results = played(subject, drawn)

    assert len(results) == subject.total(results) == 900
    assert "rated after 900 matches of 900 at most" in subject.text(results)


def test_matches_are_spent_where_the_ranking_is_unclear() -> None:
    elo = {"bot00": 900.0, "bot01": 0.0, "bot02": 0.0, "bot03": -900.0}
    subject = ladder(4, certainty=0.999, matches=200)

    results = played(subject, by_elo(elo, Random(1)))

    met = Counter(frozenset(key.split("/")[0].split(",")) for key in results)
    assert met[frozenset(("bot01", "bot02"))] > len(results) / 2
    assert met[frozenset(("bot00", "bot03"))] == 2


def test_every_encounter_of_two_players_is_on_a_board_of_its_own_from_both_seats() -> None:
    results = played(ladder(3, matches=30), drawn)

    for one, other in combinations(names(3), 2):
        boards = [key for key in results if {one, other} == set(key.split("/")[0].split(","))]
        half = len(boards) // 2
        assert sorted(boards) == sorted(
            f"{first},{second}/b{board}/0"
            for first, second in ((one, other), (other, one))
            for board in range(half)
        )


def test_single_matches_are_begun_in_turn() -> None:
    subject = Ladder(["ann", "bob"], certainty=0.99, matches=6, terms=EncounterTerms(repeat=1))

    assert list(played(subject, drawn)) == [
        "ann,bob/b0/0",
        "bob,ann/b1/0",
        "ann,bob/b2/0",
        "bob,ann/b3/0",
        "ann,bob/b4/0",
        "bob,ann/b5/0",
    ]


def test_the_last_matches_are_for_the_least_certain_neighbours() -> None:
    subject = ladder(4, matches=10)

    def script(pairing: Pairing) -> Sequence[SeatRow]:
        return drawn(pairing) if "bot01" in pairing.players else won(pairing, "bot00")

    results = played(subject, script)

    # bot00 has beaten bot02 and bot03, who have only drawn against bot01
    assert [set(match.players) for match in subject.known(results)[8:]] == [{"bot02", "bot03"}] * 2


def test_a_ladder_ends_when_all_openings_are_used() -> None:
    subject = Ladder(
        ["ann", "bob"], certainty=0.99, matches=600, terms=TERMS, has_board=range(5).__contains__
    )

    results = played(subject, drawn)

    assert len(results) == 10
    assert subject.text(results).splitlines()[-2:] == [
        "not clear yet: ann - bob",
        "these pairs have played every opening; add openings to continue",
    ]


def test_two_absent_players_do_not_block_a_ladder() -> None:
    subject = ladder(4, matches=4000)

    def script(pairing: Pairing) -> Sequence[SeatRow]:
        absent = [player for player in pairing.players if player in ("bot02", "bot03")]
        return forfeited(pairing, *absent) if absent else by_strength(names(4))(pairing)

    results = played(subject, script)

    assert len(results) < 100
    assert "not clear yet" in subject.text(results)


def test_a_higher_cap_and_more_certainty_continue_from_the_results() -> None:
    def script(pairing: Pairing) -> Sequence[SeatRow]:
        elo = {player: -40.0 * number for number, player in enumerate(names(5))}
        return by_elo(elo, Random(pairing.key))(pairing)

    short = played(ladder(5, certainty=0.8, matches=60), script)
    long = played(ladder(5, certainty=0.95, matches=160), script)

    assert set(short) < set(long)


def test_bots_can_be_added_and_most_results_are_used() -> None:
    def script(pairing: Pairing) -> Sequence[SeatRow]:
        elo = {player: -60.0 * number for number, player in enumerate(names(7))}
        return by_elo(elo, Random(pairing.key))(pairing)

    before = played(ladder(6, matches=300), script)
    grown = ladder(7, matches=350)
    results = dict(before)
    while waiting := [match for match in grown.known(results) if match.key not in results]:
        results[waiting[0].key] = script(waiting[0])

    used = set(keys(grown.known(results))) & set(before)
    assert len(used) > len(before) / 2
    assert played(ladder(7, matches=350), script).keys() == set(keys(grown.known(results)))


def test_a_ladder_needs_fewer_matches_than_a_round_robin_for_the_same_certainty() -> None:
    """Both play until every neighbour is stronger with 95 %; seeds and strengths are the same."""
    elo = {player: -100.0 * number for number, player in enumerate(names(8))}
    of_ladder, of_round_robin = [], []
    for seed in range(3):
        of_ladder.append(len(played(ladder(8, matches=20_000), by_elo(elo, Random(seed)))))
        of_round_robin.append(round_robin_until_certain(by_elo(elo, Random(seed)), 8))

    assert sum(of_ladder) < 0.5 * sum(of_round_robin)


def round_robin_until_certain(script: Callable[[Pairing], Sequence[SeatRow]], count: int) -> int:
    """Return the number of matches in full rounds."""
    results: list[Sequence[SeatRow]] = []
    while True:
        for one, other in combinations(names(count), 2):
            results += map(script, TERMS.encounter((one, other)))
        ratings = rate(results).players
        if all((one.superiority or 0) >= 0.95 for one, _ in pairwise(ratings)):
            return len(results)


class Counted(dict[str, Sequence[SeatRow]]):
    """Results that count how often they are looked up."""

    lookups = 0

    def __contains__(self, key: object) -> bool:
        self.lookups += 1
        return super().__contains__(key)

    def __getitem__(self, key: str) -> Sequence[SeatRow]:
        self.lookups += 1
        return super().__getitem__(key)


def test_the_work_after_each_match_does_not_grow_with_the_earlier_ones() -> None:
    subject = Ladder(names(4), certainty=0.95, matches=1200, terms=EncounterTerms(repeat=60))
    results = Counted()

    while pending := [match for match in subject.known(results) if match.key not in results.keys()]:  # noqa: SIM118 - not counted
        for match in pending:
            results[match.key] = drawn(match)
            subject.total(results)

    assert len(results) == 1200
    assert results.lookups <= 5 * len(results)
