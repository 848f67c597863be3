"""What all formats keep to."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from outcomes import drawn, keys, played, sat
from three_formats import FORMATS, TERMS, Decided, chancy

from arena.event.play.agenda import Agenda
from arena.formats.encounters import EncounterTerms, tally
from arena.formats.format import Format


@FORMATS
def test_the_order_of_finished_matches_has_no_effect(make: Callable[[], Format]) -> None:
    whole = played(make(), chancy())

    for seed in range(5):
        format_ = make()
        mixed = played(format_, chancy(), chance=Random(seed))
        assert mixed == whole
        assert keys(format_.known(mixed)) == keys(make().known(whole))
        assert format_.text(mixed) == make().text(whole)


@FORMATS
def test_an_event_resumes_from_its_results_alone(make: Callable[[], Format]) -> None:
    whole = played(make(), chancy())

    for stop in range(0, len(whole), 7):
        part = played(make(), chancy(), matches=stop, chance=Random(stop))
        known = keys(make().known(part))
        assert set(part) <= set(known)
        assert known == [key for key in keys(make().known(whole)) if key in known]


@FORMATS
def test_earlier_queries_change_no_answer(make: Callable[[], Format]) -> None:
    format_ = make()
    first = keys(format_.known({}))
    whole = played(format_, chancy())

    assert keys(format_.known({})) == first
    assert keys(format_.known(whole)) == keys(make().known(whole))


@FORMATS
def test_results_of_other_matches_change_nothing(make: Callable[[], Format]) -> None:
    whole = played(make(), chancy())
    stranger = {"bot98,bot99/b0/0": drawn(make().known({})[0])}

    assert keys(make().known({**stranger, **whole})) == keys(make().known(whole))


@FORMATS
def test_the_total_is_exact_at_the_end_and_never_below_the_known_matches(
    make: Callable[[], Format],
) -> None:
    format_ = make()
    whole = played(format_, chancy())

    assert format_.total(whole) == len(whole) == len(format_.known(whole))
    assert make().total({}) >= len(make().known({}))


@FORMATS
def test_voids_and_absences_block_nothing(make: Callable[[], Format]) -> None:
    format_ = make()

    results = played(format_, lambda pairing: () if pairing.repeat == 0 else drawn(pairing))

    assert len(results) == format_.total(results)
    assert format_.text(results)


def test_an_encounter_is_played_from_both_seats_on_every_board_in_every_variant() -> None:
    terms = EncounterTerms(2, 2, ("normal", "misere"))

    matches = list(terms.encounter(("ann", "bob")))

    assert len(matches) == terms.matches == 8
    assert terms.is_even
    assert keys(matches[:4]) == [
        "ann,bob/b0/normal/0",
        "bob,ann/b0/normal/0",
        "bob,ann/b0/misere/0",
        "ann,bob/b0/misere/0",
    ]


@pytest.mark.parametrize(
    ("terms", "lead"),
    [
        (EncounterTerms(1), 1),
        (EncounterTerms(3), 1),
        (EncounterTerms(1, 2), 0),
        (EncounterTerms(1, 3), 1),
    ],
)
def test_an_odd_number_of_repeats_evens_out_over_an_even_number_of_boards(
    terms: EncounterTerms, lead: int
) -> None:
    firsts = [match.players[0] for match in terms.encounter(("ann", "bob"))]

    assert firsts.count("ann") - firsts.count("bob") == lead
    assert terms.is_even is (lead == 0)


def test_a_void_match_of_an_encounter_is_a_draw() -> None:
    first, second = TERMS.encounter(("ann", "bob"))

    results = {first.key: (), second.key: drawn(second)}
    came_to = tally(("ann", "bob"), [first, second], results, TERMS)

    assert came_to is not None
    assert came_to.text() == "1-1"


def test_a_match_without_points_is_lost_by_both_where_the_game_says_so() -> None:
    terms = replace(TERMS, is_pointless_draw_lost=True)
    pair = ("ann", "bob")
    first, second = terms.encounter(pair)
    with_points = [sat(player, points=1) for player in second.players]

    came_to = tally(
        pair, [first, second], {first.key: drawn(first), second.key: with_points}, terms
    )

    assert came_to is not None
    assert came_to.text() == "0.5-0.5"


@pytest.mark.parametrize("end", [Agenda.put_back, Agenda.give_up])
def test_a_dropped_running_match_is_not_repeated(
    end: Callable[[Agenda, str], None],
) -> None:
    agenda = Agenda(Decided(), {}, ())
    one, other, late = agenda.begin(), agenda.begin(), agenda.begin()
    agenda.finish(one.key, drawn(one))

    end(agenda, late.key)

    agenda.finish(other.key, drawn(other))
    assert (list(agenda.pending), agenda.undecided) == ([], [])
    assert agenda.missing == 0


def test_an_agenda_drops_the_matches_dropped_by_its_format() -> None:
    agenda = Agenda(Decided(), {}, ())
    one, other = agenda.begin(), agenda.begin()
    late = agenda.begin()
    agenda.finish(one.key, drawn(one))

    assert list(agenda.pending) == []
    assert agenda.missing == 2
    agenda.finish(late.key, drawn(late))
    agenda.finish(other.key, drawn(other))
    assert agenda.missing == 0
