"""The Swiss system: rounds between equals, byes, absences and standings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

import pytest
from outcomes import by_elo, by_strength, drawn, forfeited, names, played, won

from arena.formats.encounters import EncounterTerms
from arena.formats.swiss import Swiss
from arena.schedule.meetings import most_rounds, usual_rounds
from arena.schedule.pairing import Pairing
from referee.records.result import SeatRow

TERMS = EncounterTerms()
ONCE = EncounterTerms(repeat=1)


def met_of(swiss: Swiss, results: Mapping[str, Sequence[SeatRow]]) -> list[set[frozenset[str]]]:
    """Return the pairs of each round."""
    return [set(map(frozenset, stage.state.pairs)) for stage in swiss.stages(results)]


@pytest.mark.parametrize(
    ("players", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 4), (9, 5), (16, 5), (100, 8)]
)
def test_the_usual_number_of_rounds_finds_one_winner_and_can_always_be_paired(
    players: int, rounds: int
) -> None:
    assert usual_rounds(players) == rounds <= most_rounds(players)


@pytest.mark.parametrize("terms", [TERMS, ONCE])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 11, 16])
def test_nobody_meets_twice_and_byes_go_round(count: int, terms: EncounterTerms) -> None:
    for seed in range(5):
        chance = Random(seed)
        swiss = Swiss(names(count), None, terms)
        results = played(swiss, by_elo(dict.fromkeys(names(count), 0.0), chance))
        rounds = met_of(swiss, results)[:-1]

        assert len(rounds) == usual_rounds(count)
        met = Counter(pair for pairs in rounds for pair in pairs)
        assert set(met.values()) == {1}
        byes = [stage.state.bye for stage in swiss.stages(results)[:-1]]
        assert len(set(byes)) == len(byes) if count % 2 else set(byes) == {None}
        assert len(results) == len(rounds) * (count // 2) * terms.matches


def test_the_first_round_is_the_upper_half_against_the_lower_and_then_equals_meet() -> None:
    swiss = Swiss(names(8), 3, TERMS)
    results = played(swiss, by_strength(names(8)))

    first, second, third, _ = met_of(swiss, results)
    assert first == {frozenset((f"bot{n:02}", f"bot{n + 4:02}")) for n in range(4)}
    assert second == {
        frozenset(pair)
        for pair in [("bot00", "bot02"), ("bot01", "bot03"), ("bot04", "bot06"), ("bot05", "bot07")]
    }
    assert frozenset(("bot00", "bot01")) in third


def test_first_moves_even_out_in_encounters_of_one_match() -> None:
    swiss = Swiss(names(16), 5, ONCE)
    results = played(swiss, by_strength(names(16)))

    firsts = Counter(match.players[0] for match in swiss.known(results))
    assert all(firsts[player] in (2, 3) for player in names(16))


def test_an_encounter_is_worth_one_point_whatever_its_score() -> None:
    swiss = Swiss(["ann", "bob", "cat", "dan"], 1, TERMS)

    def script(pairing: Pairing) -> Sequence[SeatRow]:
        if "ann" in pairing.players:
            return won(pairing, "ann")
        return won(pairing, pairing.players[0])

    rows = swiss.standings(played(swiss, script))

    assert [(row.player, row.halves, row.taken) for row in rows] == [
        ("ann", 2, 4),
        ("bob", 1, 2),
        ("dan", 1, 2),
        ("cat", 0, 0),
    ]


def test_buchholz_breaks_ties_and_counts_a_bye_as_an_opponent_with_equal_points() -> None:
    swiss = Swiss(["ann", "bob", "cat"], 2, TERMS)

    results = played(swiss, by_strength(["ann", "bob", "cat"]))

    # ann beats bob, cat has a bye; ann beats cat, bob has a bye
    assert [
        (row.rank, row.player, row.halves, row.buchholz) for row in swiss.standings(results)
    ] == [
        (1, "ann", 4, 4),
        (2, "bob", 2, 6),
        (2, "cat", 2, 6),
    ]
    assert swiss.text(results).splitlines()[0] == "swiss, 2 rounds of 2 played"
    assert [line.split()[-2:] for line in swiss.text(results).splitlines()[3:]] == [
        ["2+", "3+"],
        ["1-", "bye"],
        ["bye", "1-"],
    ]


def test_standings_change_only_between_rounds() -> None:
    swiss = Swiss(names(5), 3, TERMS)
    results = played(swiss, by_strength(names(5)), matches=5)

    text = swiss.text(results)
    assert text.startswith("swiss, 1 round of 3 played")
    assert text.splitlines()[-1].endswith("has the bye of round 2")


def test_an_absent_player_forfeits_and_is_not_paired_again() -> None:
    swiss = Swiss(names(6), 3, TERMS)

    def script(pairing: Pairing) -> Sequence[SeatRow]:
        if "bot00" in pairing.players:
            return forfeited(pairing, "bot00")
        return by_strength(names(6))(pairing)

    results = played(swiss, script)

    rounds = met_of(swiss, results)
    assert [any("bot00" in pair for pair in pairs) for pairs in rounds[:3]] == [True, False, False]
    rows = {row.player: row for row in swiss.standings(results)}
    assert rows["bot00"].halves == 0
    assert rows["bot03"].halves >= 2
    assert "-f" in swiss.text(results)
    assert "+f" in swiss.text(results)
    assert swiss.total(results) == len(results) == 14


def test_the_total_counts_the_rounds_to_come_without_the_absent() -> None:
    swiss = Swiss(names(7), 3, TERMS)
    a_round = 3 * TERMS.matches
    strong = by_strength(names(7))

    assert swiss.total({}) == 3 * a_round
    assert swiss.total(played(swiss, strong, matches=1)) == 3 * a_round
    assert swiss.total(played(swiss, strong, matches=a_round)) == 3 * a_round

    def script(pairing: Pairing) -> Sequence[SeatRow]:
        absent = [player for player in ("bot00", "bot01") if player in pairing.players]
        return forfeited(pairing, *absent) if absent else strong(pairing)

    begun = played(swiss, script, matches=a_round)
    assert swiss.total(begun) == a_round + 2 * 2 * TERMS.matches


def test_buchholz_counts_an_unplayed_win_as_an_opponent_with_equal_points() -> None:
    swiss = Swiss(names(4), 2, TERMS)

    def script(pairing: Pairing) -> Sequence[SeatRow]:
        if "bot00" in pairing.players:
            return forfeited(pairing, "bot00")
        return by_strength(names(4))(pairing)

    rows = {row.player: row for row in swiss.standings(played(swiss, script))}

    # bot02 has a point for nothing from bot00, and then loses against bot01
    assert (rows["bot02"].halves, rows["bot01"].halves, rows["bot00"].halves) == (2, 4, 0)
    assert rows["bot02"].buchholz == rows["bot02"].halves + rows["bot01"].halves


def test_one_missed_match_is_not_an_absence() -> None:
    swiss = Swiss(names(4), 2, TERMS)

    def script(pairing: Pairing) -> Sequence[SeatRow]:
        if pairing.players[0] == "bot00":
            return forfeited(pairing, "bot00")
        return drawn(pairing)

    results = played(swiss, script)

    assert all(any("bot00" in pair for pair in pairs) for pairs in met_of(swiss, results)[:2])


def test_an_encounter_missed_by_both_gives_no_points() -> None:
    swiss = Swiss(names(4), 2, TERMS)

    def script(pairing: Pairing) -> Sequence[SeatRow]:
        if pairing.players[0] in ("bot00", "bot02"):
            return forfeited(pairing, "bot00", "bot02")
        return forfeited(pairing, *pairing.players)

    results = played(swiss, script)

    assert {row.halves for row in swiss.standings(results)} == {0}
    assert len(results) == 4
    assert "the event ends here" in swiss.text(results)


def test_blocked_races_give_no_points() -> None:
    blocked = Swiss(names(4), 2, EncounterTerms(is_pointless_draw_lost=True))
    halved = Swiss(names(4), 2, TERMS)

    assert [row.halves for row in blocked.standings(played(blocked, drawn))] == [0] * 4
    assert [row.halves for row in halved.standings(played(halved, drawn))] == [2] * 4


def test_more_rounds_than_can_be_paired_end_before_a_second_meeting() -> None:
    swiss = Swiss(names(6), 5, TERMS)

    results = played(swiss, by_strength(names(6)))

    rounds = met_of(swiss, results)
    met = Counter(pair for pairs in rounds for pair in pairs)
    assert set(met.values()) == {1}
    assert swiss.total(results) == len(results)


def test_a_stronger_player_is_ranked_higher() -> None:
    elo = {player: -80.0 * number for number, player in enumerate(names(12))}
    tops = []
    for seed in range(20):
        swiss = Swiss(names(12), None, EncounterTerms(repeat=6))
        rows = swiss.standings(played(swiss, by_elo(elo, Random(seed))))
        tops.append(rows[0].player)

    assert tops.count("bot00") > 10
    assert set(tops) <= {"bot00", "bot01", "bot02", "bot03"}
