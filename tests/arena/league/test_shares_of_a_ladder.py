"""Properties of the ladder for any field: shares, waits, caps, and parked versions.

Leagues play in a time of their own: a meeting ends when its slot seconds are over.
"""

import heapq
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena.league.ladder.breaker import FAULTS, WINDOW, Breaker
from arena.league.ladder.field import Version, most_running, weights
from arena.league.ladder.meetings import Ladder, Meeting, longest_wait


def entrant(at: int, seconds: float, kind: str = "regular") -> Version:
    """Return a version whose matches always last as long as now."""
    matches = {"fresh": 10, "regular": 100, "settled": 1000}[kind]
    return Version(
        id=f"v{at:02}",
        bot=f"bot{at}",
        owner=f"owner{at}",
        rating=1500 + 37 * (at % 7),
        error=10.0 if kind == "settled" else 100.0,
        matches=matches,
        slot_seconds=matches * seconds,
    )


def house_bot(at: int) -> Version:
    return replace(entrant(90 + at, 1.0), is_house=True)


@dataclass
class Play:
    """A ladder that plays a field on some slots."""

    versions: dict[str, Version]
    slots: int
    seed: int
    seats: int = 2
    now: float = 0.0
    seconds: Counter[str] = field(default_factory=Counter)
    waited: Counter[str] = field(default_factory=Counter)
    """Slot seconds of entrants that began since the last meeting of each version."""
    longest: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.ladder = Ladder(seats=self.seats)
        self.dice = random.Random(self.seed)
        self.running: list[tuple[float, int, Meeting]] = []
        self.begun = 0

    def step(self, seconds: float | None = None) -> Meeting | None:
        """Fill the slots, then end a meeting; return the last one that began."""
        meeting = None
        while len(self.running) < self.slots:
            found = self.ladder.next_meeting(
                list(self.versions.values()), slots=self.slots, dice=self.dice
            )
            if found is None:
                break
            self._begin(meeting := found)
        if self.running:
            self.now, _, ended = heapq.heappop(self.running)
            self._end(ended, dict.fromkeys(ended.seats, seconds) if seconds else self.costs(ended))
        return meeting

    def costs(self, meeting: Meeting) -> dict[str, float]:
        found = {}
        for each in meeting.seats:
            version = self.versions[each]
            mean = version.slot_seconds / version.matches if version.matches else 1.0
            found[each] = self.seats * mean
        return found

    def _begin(self, meeting: Meeting) -> None:
        self.begun += 1
        costs = self.costs(meeting)
        heapq.heappush(self.running, (self.now + sum(costs.values()), self.begun, meeting))
        new = sum(cost for each, cost in costs.items() if not self.versions[each].is_house)
        for each, version in self.versions.items():
            if each in meeting.seats:
                self.longest[each] = max(self.longest[each], self.waited[each])
                self.waited[each] = 0
                self.versions[each] = replace(version, running=version.running + 1)
            elif version.running == 0 and not version.is_parked:
                self.waited[each] += new  # type: ignore[assignment] # sums of seconds

    def _end(self, meeting: Meeting, seconds: Mapping[str, float]) -> None:
        self.ladder.charge(list(self.versions.values()), meeting, seconds)
        for each in meeting.seats:
            self.seconds[each] += seconds[each]  # type: ignore[assignment] # seconds
            self.versions[each] = replace(
                self.versions[each], running=self.versions[each].running - 1
            )


KINDS = st.sampled_from(["fresh", "regular", "settled"])
FIELDS = st.builds(
    lambda guests, house: {
        each.id: each
        for each in [
            *(entrant(at, seconds, kind) for at, (seconds, kind) in enumerate(guests)),
            *map(house_bot, range(house)),
        ]
    },
    st.lists(st.tuples(st.sampled_from([0.2, 1.0, 5.0, 20.0]), KINDS), min_size=2, max_size=12),
    st.integers(0, 3),
)
SLOTS = st.integers(1, 6)
SEEDS = st.integers(0, 99)


@settings(max_examples=25, deadline=None)
@given(FIELDS, SLOTS, SEEDS)
def test_no_version_waits_longer_than_the_stated_multiple_of_its_share(
    field: dict[str, Version], slots: int, seed: int
) -> None:
    play = Play(field, slots, seed)
    for _ in range(150):
        play.step()

    for each, version in field.items():
        if not version.is_house:
            limit = longest_wait(list(field.values()), each, 2)
            assert max(play.longest[each], play.waited[each]) <= limit


@settings(max_examples=10, deadline=None)
@given(FIELDS, SEEDS, st.sampled_from(["restart", "parked"]), st.lists(st.floats(0, 1e9)))
def test_no_turn_of_the_past_makes_a_version_wait_longer_than_that(
    field: dict[str, Version], seed: int, kind: str, turns: list[float]
) -> None:
    first, *others = [each for each in field.values() if not each.is_house]
    past = {each.bot: turn for each, turn in zip(others, turns, strict=False)}
    play = Play(field, 1, seed)
    play.ladder = Ladder(seats=2, turns=past | {first.bot: 1e9, "bot90": 3.0})
    if kind == "parked":
        play.versions[first.id] = replace(first, is_parked=True)
        play.step()
        play.versions[first.id] = first
    limit = longest_wait(list(field.values()), first.id, 2)
    while play.waited[first.id] <= limit and first.id not in play.seconds:
        play.step()
        if all(each.is_settled for each in field.values()):
            return

    assert first.id in play.seconds


@settings(max_examples=25, deadline=None)
@given(FIELDS, SLOTS, SEEDS, st.integers(2, 4))
def test_no_version_runs_more_often_than_allowed(
    field: dict[str, Version], slots: int, seed: int, seats: int
) -> None:
    play = Play(field, slots, seed, seats)
    for _ in range(40):
        play.step()
        most = most_running(list(field.values()), slots, seats)
        assert max(version.running for version in play.versions.values()) <= most
        assert all(version.running >= 0 for version in play.versions.values())


@pytest.mark.parametrize("slots", [2, 5])
def test_shares_are_those_of_the_weights_within_a_tenth(slots: int) -> None:
    # no version needs more than a quarter of the meetings: its rivals could not give them
    kinds = [("regular", at) for at in (1.0, 2.0, 3.0) * 2]
    kinds += [("fresh", 3.0)] * 3 + [("settled", at) for at in (1.0, 2.0, 3.0)]
    guests = [entrant(at, seconds, kind) for at, (kind, seconds) in enumerate(kinds)]
    field = {each.id: each for each in guests}
    weight = weights(list(field.values()), 2)
    play = Play(field, slots, seed=3)
    for _ in range(2500):
        play.step()

    total, all_ = sum(play.seconds.values()), sum(weight.values())
    for each, version in field.items():
        # four meetings are what a version may be ahead by: little in the end
        rest = 8 * version.slot_seconds / version.matches
        fair = total * weight[each] / all_
        assert 0.9 * fair - rest < play.seconds[each] < 1.1 * fair + rest


@settings(max_examples=20, deadline=None)
@given(
    FIELDS,
    SEEDS,
    st.lists(
        st.tuples(st.sampled_from(["park", "back", "leave", "join", "long"]), st.integers(0, 11)),
        max_size=40,
    ),
)
def test_after_any_history_each_active_version_plays_again(
    field: dict[str, Version], seed: int, history: list[tuple[str, int]]
) -> None:
    play = Play(dict(field), 3, seed)
    for event, number in history:
        name = f"v{number:02}"
        version = play.versions.get(name)
        if event == "join" and version is None:
            play.versions[name] = entrant(number, 1.0, "fresh")
        elif version and event in {"park", "back"}:
            play.versions[name] = replace(version, is_parked=event == "park")
        elif version and event == "leave" and not version.running and len(play.versions) > 3:
            del play.versions[name]
        play.step(60.0 if event == "long" else None)
    active = [each for each in play.versions.values() if not each.is_parked and not each.is_house]
    assume(len(active) >= 2 and not all(each.is_settled for each in play.versions.values()))
    before = Counter(play.seconds)
    weight = weights(active, 2)
    # the longest debt is two meetings of 60 s by the least weight, repaid at the others' rate
    for _ in range(int(900 * sum(weight.values()) / min(weight.values()))):
        play.step()
        if all(play.seconds[each.id] > before[each.id] for each in active):
            break

    assert [each.id for each in active if play.seconds[each.id] == before[each.id]] == []


@settings(max_examples=15, deadline=None)
@given(FIELDS, SLOTS, SEEDS, st.sets(st.integers(0, 11), max_size=6))
def test_parked_versions_are_never_chosen(
    field: dict[str, Version], slots: int, seed: int, parked: set[int]
) -> None:
    names = {f"v{at:02}" for at in parked}
    play = Play(
        {each: replace(version, is_parked=each in names) for each, version in field.items()},
        slots,
        seed,
    )
    for _ in range(30):
        meeting = play.step()
        assert meeting is None or not names & set(meeting.seats)


@settings(max_examples=10, deadline=None)
@given(FIELDS, SLOTS, SEEDS)
def test_a_seed_decides_the_whole_course(field: dict[str, Version], slots: int, seed: int) -> None:
    one, other = Play(dict(field), slots, seed), Play(dict(field), slots, seed)

    assert [one.step() for _ in range(60)] == [other.step() for _ in range(60)]


def test_a_slow_bot_takes_no_slots_of_others() -> None:
    field = {f"v{at:02}": entrant(at, 10.0 if at == 0 else 1.0) for at in range(10)}
    play = Play(field, 2, seed=1)
    for _ in range(2500):
        play.step()

    share = play.seconds["v00"] / sum(play.seconds.values())
    assert 0.08 < share < 0.12


def test_a_bot_that_answers_at_once_does_not_play_for_ever() -> None:
    field = {f"v{at:02}": entrant(at, 0.0 if at == 0 else 1.0) for at in range(10)}
    play = Play(field, 2, seed=1)
    met: Counter[str] = Counter()
    for _ in range(600):
        if meeting := play.step():
            met.update(meeting.seats)

    assert met["v00"] < 12 * met["v01"]


def test_a_crasher_is_parked_before_it_has_eaten_many_matches() -> None:
    field = {f"v{at:02}": entrant(at, 1.0, "fresh") for at in range(10)}
    play = Play(field, 2, seed=1)
    breaker, crashes = Breaker(), 0
    for _ in range(500):
        meeting = play.step()
        if meeting and "v00" in meeting.seats:
            for _match in meeting.matches:
                crashes += 1
                breaker = breaker.after_match(is_fault=True, now=play.now)
            play.versions["v00"] = replace(play.versions["v00"], is_parked=breaker.is_parked)

    assert FAULTS <= crashes <= WINDOW


def test_nobody_gains_slots_by_handing_in_again() -> None:
    field = {f"v{at:02}": entrant(at, 1.0) for at in range(10)}
    play = Play(field, 2, seed=1)
    for number in range(300):
        last = next(each for each in play.versions.values() if each.bot == "bot0")
        if not last.running:
            del play.versions[last.id]
            new = replace(entrant(0, 1.0, "fresh"), id=f"new{number:03}", matches=0, slot_seconds=0)
            play.versions[new.id] = new
        for _ in range(4):
            play.step()

    mine = sum(by for each, by in play.seconds.items() if each.startswith(("new", "v00")))
    # twice the equal part is the most that a fresh version of ten may take
    assert mine < 1.1 * sum(play.seconds.values()) * 2 / 10
