"""The knockout: seeds, byes, even encounters, places, and the bracket as text."""

from collections.abc import Sequence
from random import Random

import pytest
from outcomes import by_elo, by_strength, drawn, keys, names, played, sat, won

from arena.formats.encounters import EncounterTerms
from arena.formats.format import Results
from arena.formats.knockout import Knockout
from arena.schedule.pairing import Pairing
from referee.records.result import SeatRow

TERMS = EncounterTerms()


def met_of(knockout: Knockout, results: Results) -> list[list[tuple[str, str]]]:
    """Return the pairs of each round by their seeds' last digits, those with a bye left out."""
    return [
        [(node.pair[0], node.pair[1]) for node in nodes if node.pair[0] and node.pair[1]]
        for nodes in knockout.bracket(results)
    ]


def test_the_best_two_can_meet_in_the_final_only() -> None:
    knockout = Knockout(names(8), TERMS, 0)

    results = played(knockout, by_strength(names(8)))

    assert met_of(knockout, results) == [
        [("bot00", "bot07"), ("bot03", "bot04"), ("bot01", "bot06"), ("bot02", "bot05")],
        [("bot00", "bot03"), ("bot01", "bot02")],
        [("bot00", "bot01")],
    ]
    assert knockout.ranking(results).places == (
        (1, "bot00"),
        (2, "bot01"),
        (3, "bot02"),
        (3, "bot03"),
        (5, "bot04"),
        (5, "bot05"),
        (5, "bot06"),
        (5, "bot07"),
    )


@pytest.mark.parametrize("count", range(2, 18))
def test_the_best_have_the_byes_and_all_except_the_winner_lose_once(count: int) -> None:
    knockout = Knockout(names(count), TERMS, 0)
    results = played(knockout, by_strength(names(count)), chance=Random(count))

    first = {player for pair in met_of(knockout, results)[0] for player in pair}
    byes = count - len(first)
    assert set(names(count)) - first == set(names(count)[:byes])
    assert len(results) == knockout.total({}) == 2 * (count - 1)
    assert [place[1] for place in knockout.ranking(results).places] == names(count)


def test_players_still_in_a_knockout_share_the_first_place() -> None:
    knockout = Knockout(names(4), TERMS, 0)

    assert [rank for rank, _ in knockout.ranking({}).places] == [1, 1, 1, 1]
    results = played(knockout, by_strength(names(4)), matches=4)
    assert knockout.ranking(results).places == (
        (1, "bot00"),
        (1, "bot01"),
        (3, "bot02"),
        (3, "bot03"),
    )


def test_the_next_encounter_begins_as_soon_as_both_are_known() -> None:
    knockout = Knockout(names(4), TERMS, 0)
    results = played(knockout, by_strength(names(4)), matches=2)

    assert keys(knockout.known(results)) == keys(knockout.known({}))
    assert "?" in knockout.text(results)
    eight = Knockout(names(8), TERMS, 0)
    results = played(eight, by_strength(names(8)), matches=4)
    assert keys(eight.known(results))[8:] == ["bot00,bot03/b0/0", "bot03,bot00/b0/0"]


def test_even_encounters_continue_on_new_boards_until_decided() -> None:
    knockout = Knockout(["ann", "bob"], EncounterTerms(2, 3), 4)

    def script(pairing: Pairing) -> list[SeatRow]:
        return won(pairing, "bob") if pairing.board == 4 else won(pairing, pairing.players[0])

    results = played(knockout, script)

    assert keys(knockout.known(results))[6:] == [
        "ann,bob/b3/0",
        "bob,ann/b3/0",
        "ann,bob/b4/0",
        "bob,ann/b4/0",
    ]
    assert knockout.ranking(results).places == ((1, "bob"), (2, "ann"))
    assert knockout.total(results) == 10


def test_after_the_tie_breaks_the_higher_sum_of_scores_decides() -> None:
    knockout = Knockout(["ann", "bob"], TERMS, 1)

    def script(pairing: Pairing) -> list[SeatRow]:
        worth = {"ann": "7.5", "bob": "8"}
        winner = pairing.players[0]
        return [
            sat(player, place=1, score=worth[player]) if player == winner else sat(player, place=2)
            for player in pairing.players
        ]

    results = played(knockout, script)

    assert len(results) == 4
    assert knockout.ranking(results).places[0] == (1, "bob")
    assert "bob advances against ann: the scores are 16 to 15" in knockout.text(results)


def test_after_equal_sums_the_better_seed_advances() -> None:
    knockout = Knockout(["ann", "bob"], TERMS, 0)

    results = played(knockout, drawn)

    assert knockout.ranking(results).places[0] == (1, "ann")
    assert (
        "ann advances against bob: points and scores are equal; the better seed advances"
        in knockout.text(results)
    )


def test_the_bracket_shows_byes_seeds_and_scores() -> None:
    knockout = Knockout(["ann", "bob", "cat", "dan", "eve"], TERMS, 0)
    before = knockout.text({})
    results = played(knockout, by_strength(["ann", "cat", "bob", "eve", "dan"]))

    assert before == (
        "knockout, 0 rounds of 3 played\n"
        "          ann (1) ┐\n"
        "                  ├ ? ┐\n"
        "dan (4) ┐         │   │\n"
        "        ├ ? ──────┘   │\n"
        "eve (5) ┘             │\n"
        "                      ├ ?\n"
        "          bob (2) ┐   │\n"
        "                  ├ ? ┘\n"
        "          cat (3) ┘"
    )
    assert knockout.text(results) == (
        "knockout, 3 rounds of 3 played\n"
        "          ann (1) ┐\n"
        "                  ├ ann 2-0 ┐\n"
        "dan (4) ┐         │         │\n"
        "        ├ eve 2-0 ┘         │\n"
        "eve (5) ┘                   │\n"
        "                            ├ ann 2-0\n"
        "          bob (2) ┐         │\n"
        "                  ├ cat 2-0 ┘\n"
        "          cat (3) ┘"
    )


def test_a_large_knockout_is_known_quickly_and_won_by_a_good_one() -> None:
    elo = {player: -20.0 * number for number, player in enumerate(names(64))}
    knockout = Knockout(names(64), EncounterTerms(repeat=8), 3)

    results = played(knockout, by_elo(elo, Random(1)))

    assert knockout.ranking(results).places[0][1] in names(8)
    assert len(knockout.ranking(results).places) == 64


class Counted(dict[str, Sequence[SeatRow]]):
    """Results that count how often they are looked into."""

    looks = 0

    def __contains__(self, key: object) -> bool:
        self.looks += 1
        return super().__contains__(key)

    def get(self, key: str, default: object = None) -> object:  # type: ignore[override]
        self.looks += 1
        return super().get(key, default)


def test_looking_into_the_results_grows_linearly_with_the_matches() -> None:
    knockout = Knockout(names(4), EncounterTerms(100, 2), 0)
    results = Counted()
    script = by_strength(names(4))

    while waiting := [each for each in knockout.known(results) if not dict.get(results, each.key)]:
        for pairing in waiting:
            results[pairing.key] = script(pairing)
            knockout.known(results)
            knockout.total(results)
            knockout.ranking(results)

    assert len(results) == 600
    assert [place for _, place in knockout.ranking(results).places] == names(4)
    assert results.looks < 20 * len(results)


def test_other_results_are_looked_at_anew() -> None:
    knockout = Knockout(names(2), EncounterTerms(2), 0)
    matches = knockout.known({})
    outcomes = [{match.key: won(match, name) for match in matches} for name in names(2)]

    winners = [knockout.bracket(results)[0][0].winner for results in (*outcomes, {})]

    assert winners == [*names(2), None]
