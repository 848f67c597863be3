"""Grades: rules on house bots, decided by sequential tests that stop as soon as they may.

A rule asks whether a version's mean score against a house bot is above a mark. After each pair of
matches two bets are made, one against "at most the mark", one against "at least the mark"
(`arena.ratings.sprt`): a decision is wrong with the stated probability at most, however often it is
looked at. Matches of the ladder count; from the deadline on the ladder adds those that are missing.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from django.utils import timezone

from arena.league.folder import GradeSection, League
from arena.league.persons.people import by_name
from arena.league.seasons.deadlines import counts, season_now
from arena.league.site.models import Bot, HandIn, Person, Version
from arena.ratings.sprt import REACH, ScoreTest
from arena.results.store import Store

STEP = 1 / REACH
"""Distance of the two means of a bet: then its reach is the whole range of scores, 0 to 1."""
FINENESS = 7
"""Halvings of the range for an end of an interval: it is right to 1 %."""
LOOK_S = 10.0
"""Time in seconds between two looks for the matches that grades need."""
Decision = Literal["passed", "failed", "open", "undecided", "none"]


@dataclass(frozen=True)
class Evidence:
    """A rule applied to the scores of pairs, in the order in which they ended."""

    decision: Decision
    pairs: int
    """Pairs until the decision."""
    score: float | None
    """Mean score of these pairs."""


def evidence(scores: Sequence[float], rule: GradeSection) -> Evidence:
    """Return the decision of a rule."""
    mark, bound = rule.score / 100, _bound(rule)
    passed = _refuted_after(scores, mark, bound, is_from_below=True)
    failed = _refuted_after(scores, mark, bound, is_from_below=False)
    most = min(len(scores), rule.pairs)
    ends = [end for end in (passed, failed) if end is not None and end <= rule.pairs]
    used = min(ends, default=most)
    mean = sum(scores[:used]) / used if used else None
    if ends:
        return Evidence("passed" if used == passed else "failed", used, mean)
    return Evidence("undecided" if most == rule.pairs else "open", used, mean)


def interval(scores: Sequence[float], rule: GradeSection) -> tuple[float, float]:
    """Return the marks between which the mean lies, with the certainty of the rule."""
    bound = _bound(rule)

    def is_above(mark: float) -> bool:
        return _refuted_after(scores, mark, bound, is_from_below=True) is not None

    def is_below(mark: float) -> bool:
        return _refuted_after(scores, mark, bound, is_from_below=False) is not None

    return _last(is_above), 1 - _last(lambda part: is_below(1 - part))


def _last(holds: Callable[[float], bool]) -> float:
    """Return the last number from 0 to 1 up to which this holds, 0 if it never does."""
    low, high = 0.0, 1.0
    for _ in range(FINENESS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _bound(rule: GradeSection) -> float:
    """Return the evidence for a decision; half of the error is for each side."""
    return -math.log((1 - rule.certainty / 100) / 2)


def _refuted_after(
    scores: Sequence[float], mark: float, bound: float, *, is_from_below: bool
) -> int | None:
    """Return the number of pairs that refute a mean of at most (or at least) the mark, or None."""
    test = ScoreTest(mark, mark + STEP) if is_from_below else ScoreTest(mark - STEP, mark)
    total = squares = stake = 0.0
    for pairs, score in enumerate(scores):
        growth = test.growth(pairs, total, squares, score)
        stake += growth.passing if is_from_below else growth.failing
        total, squares = total + score, squares + score * score
        if stake >= bound:
            return pairs + 1
    return None


@dataclass(frozen=True)
class Grade:
    """What a person gets by a rule, and why."""

    person: str
    team: str
    bot: str
    rule: GradeSection
    evidence: Evidence
    reason: str
    scores: Sequence[float] = ()
    version: Version | None = None
    hand_in: HandIn | None = None


class Grading:
    """The grades by some rules, from the matches of an event; without a store none was played."""

    def __init__(
        self, rules: Sequence[GradeSection], store: Store | None = None, event: int = 0
    ) -> None:
        self._rules = rules
        self._store = store
        self._event = event

    def grades(self) -> Iterator[Grade]:
        """Yield a grade for each person, bot and rule, by name; raises StoreError."""
        scores = self._scores()
        people = Person.objects.filter(is_staff=False).prefetch_related("teams")
        for person in by_name(people):
            teams = by_name(person.teams.all())
            bots = by_name(Bot.objects.filter(team__in=teams).select_related("team", "active"))
            for rule in self._rules:
                for bot in bots:
                    yield self._grade(person, bot, rule, scores)
                if not bots:
                    team = ", ".join(team.name for team in teams)
                    nothing = Evidence("none", 0, None)
                    yield Grade(person.name, team, "", rule, nothing, "no bot was named")

    def undecided(self) -> list[tuple[str, str]]:
        """Return the pairs of a version and a house bot that a grade still needs."""
        if not self._rules:
            return []
        scores = self._scores()
        bots = Bot.objects.exclude(team=None).exclude(active=None)
        bots = bots.filter(parked="", is_remote=False)
        found = []
        for player in bots.order_by("pk").values_list("active__player", flat=True):
            for rule in self._rules:
                house = _house(rule)
                played = scores.get((player, house), [])
                if house and evidence(played, rule).decision == "open":
                    found.append((player, house))
        return list(dict.fromkeys(found))

    def _grade(
        self,
        person: Person,
        bot: Bot,
        rule: GradeSection,
        scores: dict[tuple[str, str], list[float]],
    ) -> Grade:
        version = bot.active
        if version is None or bot.is_remote:
            nothing = Evidence("none", 0, None)
            return Grade(person.name, bot.team.name, bot.name, rule, nothing, _nothing(bot))
        played = scores.get((version.player, _house(rule)), [])
        found = evidence(played, rule)
        return Grade(
            person.name,
            bot.team.name,
            bot.name,
            rule,
            found,
            _reason(bot, rule, found),
            played[: found.pairs],
            version,
            version.hand_ins.order_by("is_late", "received").first(),
        )

    def _scores(self) -> dict[tuple[str, str], list[float]]:
        """Return the scores of the pairs against the house bots of the rules, as they ended."""
        if self._store is None:
            return {}
        return {
            key: scores
            for house in sorted({_house(rule) for rule in self._rules} - {""})
            for key, scores in _against(self._store, self._event, house).items()
        }


@contextmanager
def grading_of(league: League) -> Iterator[Grading]:
    """Yield the grades of a league."""
    season = season_now()
    with league.matches() as store:
        event = None if season is None or store is None else store.latest_event(season.name)
        if store is None or event is None:
            yield Grading(league.site.grades)
        else:
            yield Grading(league.site.grades, store, event.id)


class Needed:
    """The pairs of matches that grades need after the deadline, looked up now and then."""

    def __init__(
        self,
        rules: Sequence[GradeSection],
        store: Store,
        event: int,
        now_s: Callable[[], float],
    ) -> None:
        self._grading = Grading(rules, store, event)
        self._now_s = now_s
        self._next_s = -math.inf
        self._pairs: list[tuple[str, str]] = []

    def pairs(self) -> list[tuple[str, str]]:
        """Return the pairs of a version and a house bot."""
        if (now_s := self._now_s()) >= self._next_s:
            self._next_s = now_s + LOOK_S
            season = season_now()
            is_over = season is not None and season.deadline and season.deadline < timezone.now()
            self._pairs = self._grading.undecided() if is_over else []
        return self._pairs


def _against(store: Store, event: int, house: str) -> dict[tuple[str, str], list[float]]:
    rows = store.database.rows(_AGAINST, (house, event))
    halves: dict[tuple[str, int], float] = {}
    found: dict[tuple[str, str], list[float]] = {}
    for player, board, own, other in rows:
        score = 0.5 if own == other else float(own < other)
        if (first := halves.pop((player, board), None)) is None:
            halves[player, board] = score
        else:
            found.setdefault((player, house), []).append((first + score) / 2)
    return found


_AGAINST = (
    "SELECT own.player, match.board, own.place, house.place FROM seat house"
    " JOIN seat own ON own.match = house.match AND own.seat <> house.seat"
    " JOIN match ON match.id = house.match"
    " WHERE house.player = ? AND match.event = ? AND match.aside = 0 ORDER BY match.id"
)


def _house(rule: GradeSection) -> str:
    """Return the player of the house bot of a rule; empty before it is ready."""
    bot = Bot.objects.filter(name=rule.against, team=None).select_related("active").first()
    return "" if bot is None or bot.active is None else str(bot.active.player)


def _reason(bot: Bot, rule: GradeSection, found: Evidence) -> str:
    if found.decision in ("passed", "failed"):
        return ""
    if not _house(rule):
        return f"{rule.against} is no house bot of this season"
    played = f"{found.pairs} of at most {rule.pairs} pairs were played"
    if bot.parked:
        return f"parked: {bot.parked}; {played}"
    return f"{played} without a decision" if found.decision == "undecided" else played


def _nothing(bot: Bot) -> str:
    """Return why no version of a bot is graded."""
    if bot.is_remote:
        return "a remote bot is not graded: nobody here sees which program plays"
    last = bot.hand_ins.exclude(state=HandIn.REPLACED).order_by("-pk").first()
    if last is None:
        return "nothing was handed in"
    if last.is_open:
        return f"hand-in {last.pk} waits for its check"
    if last.state == HandIn.REFUSED:
        why = str(last.report[-1]) if last.report else "without a report"
        return f"hand-in {last.pk} was refused: {why}"
    if not counts(season_now(), last) or last.state == HandIn.LATE:
        return f"hand-in {last.pk} was received late, at {last.received:%Y-%m-%d %H:%M:%S} UTC"
    return "the bot was withdrawn"
