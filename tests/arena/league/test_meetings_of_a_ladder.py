"""Meetings of the ladder, with leagues whose matches last as long as the test says."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from arena.league.ladder.field import FRESH_MATCHES, Version, most_running, weights
from arena.league.ladder.meetings import Ladder, Meeting, Reason


def entrants(number: int, *, house: int = 0, matches: int = 0) -> list[Version]:
    found = [
        Version(id=f"v{at:02}", bot=f"bot{at}", owner=f"owner{at}", matches=matches)
        for at in range(number)
    ]
    found += [
        Version(id=f"h{at}", bot=f"h{at}", owner="", is_house=True, matches=matches)
        for at in range(house)
    ]
    return found


def test_a_meeting_has_a_match_in_each_rotation_of_the_seats() -> None:
    assert Meeting(("a", "b")).matches == (("a", "b"), ("b", "a"))
    assert Meeting(("a", "b", "c")).matches == (("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b"))
    assert Meeting(("a",)).matches == (("a",),)


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_all_seats_have_different_bots(seats: int) -> None:
    field = entrants(6, house=2)
    dice = random.Random(seats)

    for _ in range(50):
        meeting = Ladder(seats=seats).next_meeting(field, slots=2, dice=dice)

        assert meeting is not None
        assert len(set(meeting.seats)) == seats


def test_a_seed_and_a_field_in_any_order_give_the_same_meeting() -> None:
    field = entrants(9, house=2)

    one = Ladder(seats=2).next_meeting(field, slots=2, dice=random.Random(3))
    other = Ladder(seats=2).next_meeting(field[::-1], slots=2, dice=random.Random(3))

    assert one == other


def test_a_fresh_version_has_three_times_the_weight_until_its_matches_are_played() -> None:
    field = entrants(80, matches=100)
    field[0] = replace(field[0], matches=FRESH_MATCHES - 1)
    field[1] = replace(field[1], error=14.0)

    found = weights(field, seats=2)

    assert (found["v00"], found["v01"], found["v02"]) == (3.0, 0.2, 1.0)


def test_a_version_takes_at_most_a_tenth_of_the_slots() -> None:
    field = entrants(40, matches=100)
    field = [replace(field[0], matches=0), *(replace(each, error=10.0) for each in field[1:])]

    found = weights(field, seats=2)

    # it is in a tenth of all matches when it has a twentieth of the seats
    assert found["v00"] / sum(found.values()) == pytest.approx(0.05, rel=1e-4)


def test_a_version_runs_on_a_tenth_of_the_slots_or_twice_its_equal_part() -> None:
    assert most_running(entrants(60), slots=2, seats=2) == 1
    assert most_running(entrants(60), slots=30, seats=2) == 3
    assert most_running(entrants(4), slots=4, seats=2) == 4


def test_a_parked_version_is_not_chosen() -> None:
    field = [replace(entrants(1)[0], is_parked=True), *entrants(5)[1:]]
    ladder = Ladder(seats=2)
    dice = random.Random(1)

    for _ in range(100):
        meeting = ladder.next_meeting(field, slots=4, dice=dice)
        assert meeting is not None
        assert "v00" not in meeting.seats


def test_bots_of_one_owner_meet_only_where_others_are_few() -> None:
    team = [replace(each, owner="team") for each in entrants(3)]
    others = entrants(9)[3:]
    dice = random.Random(1)

    def met(field: list[Version]) -> Counter[bool]:
        meetings = (Ladder(seats=2).next_meeting(field, slots=4, dice=dice) for _ in range(50))
        team_ids = {each.id for each in team}
        return Counter(set(each.seats) <= team_ids for each in meetings if each is not None)

    assert met([*team, *others])[True] == 0
    assert met(team)[True] == 50


def test_a_league_of_settled_versions_rests() -> None:
    field = [replace(each, error=12.0) for each in entrants(5, house=2, matches=3000)]
    fresh = replace(field[0], matches=0, error=300.0)
    ladder = Ladder(seats=2)

    assert ladder.next_meeting(field, slots=4, dice=random.Random(1)) is None
    meeting = ladder.next_meeting([fresh, *field[1:]], slots=4, dice=random.Random(1))
    assert meeting is not None


def test_near_a_deadline_most_meetings_are_of_undecided_pairs() -> None:
    field = entrants(20, matches=100)
    ladder = Ladder(seats=2)
    dice = random.Random(5)

    reasons = Counter[Reason]()
    for _ in range(400):
        meeting = ladder.next_meeting(field, slots=40, dice=dice, undecided=[("v03", "v04")])
        assert meeting is not None
        reasons[meeting.reason] += 1
        if meeting.reason is Reason.DEADLINE:
            assert set(meeting.seats) == {"v03", "v04"}

    assert 270 < reasons[Reason.DEADLINE] < 330


def test_house_bots_play_each_other_only_where_nobody_else_is_there() -> None:
    ladder, dice = Ladder(seats=2), random.Random(2)

    meeting = ladder.next_meeting(entrants(0, house=3), slots=4, dice=dice)

    assert meeting is not None


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("slowness", [1.0, 3.0, 30.0])
def test_quick_and_slow_entrants_of_a_new_league_meet_house_bots(
    number: int, slowness: float
) -> None:
    field = entrants(number, house=3)
    ladder, dice = Ladder(seats=2), random.Random(1)
    cost = dict.fromkeys(["v01", "v02"], slowness)
    met: Counter[tuple[str, ...]] = Counter()

    for _ in range(1500):
        meeting = ladder.next_meeting(field, slots=1, dice=dice)
        assert meeting is not None
        met[tuple(sorted(meeting.seats))] += 1
        seconds = {each: cost.get(each, 1.0) for each in meeting.seats}
        ladder.charge(field, meeting, seconds)
        field = [
            replace(
                each,
                matches=each.matches + 2 * (each.id in meeting.seats),
                slot_seconds=each.slot_seconds + seconds.get(each.id, 0.0),
            )
            for each in field
        ]

    for entrant in field[:number]:
        own = {pair: count for pair, count in met.items() if entrant.id in pair}
        by_house = sum(count for pair, count in own.items() if pair[0].startswith("h"))
        assert by_house > 0.05 * sum(own.values()), met
