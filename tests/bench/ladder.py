"""The ladder and its ratings in simulated leagues: errors, shares, and what cheats gain.

`python -m tests.bench ladder` prints medians over SEEDS leagues of each kind.
"""

import math
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from statistics import median

from arena.league.ladder.ratings import Fit, fit
from arena.league.ladder.season import Entrant
from arena.league.ladder.tally import Tally
from arena.ratings.pentanomial import expected_score
from tests.bench.figures import Figure
from tests.bench.leagues import SPREAD, Bot, Kind, League, World

SEEDS = 3
LOOKS = 4
"""Fits from one look at the errors to the next."""
SHORT = 2400
"""Matches of a league whose errors are not compared with others."""
STANDARD = Kind("standard")
KINDS = (
    STANDARD,
    Kind("rewrites", gain=0, step=150),
    Kind("small steps", gain=5, step=15),
    Kind("draws", SHORT, draws=0.6),
    Kind("pairings differ", SHORT, effect=100),
    Kind("circle", SHORT, circle=150),
    Kind("crashers", SHORT, crashers=5),
    Kind("slow bots", SHORT, slow=5),
    Kind("farmer", SHORT, puppets=4),
    Kind("three seats", SHORT, seats=3),
)
AGES = ((0, 10), (10, 20), (20, 40), (40, 61))
"""Numbers of matches between which a version's error is shown apart."""


@dataclass
class Errors:
    """Errors of a rating, collected over many looks."""

    squares: list[float] = field(default_factory=list)
    right: int = 0
    """Pairs in the right order."""
    pairs: int = 0

    def look(self, found: dict[str, float], true: dict[str, float]) -> None:
        """Compare ratings with the truth, with equal means."""
        shift = statistics.fmean(found[each] - true[each] for each in true)
        self.squares += [(found[each] - true[each] - shift) ** 2 for each in true]
        for one, other in combinations(true, 2):
            self.right += (found[one] > found[other]) == (true[one] > true[other])
            self.pairs += 1

    @property
    def rmse(self) -> float:
        """Root of the mean square, in Elo."""
        return math.sqrt(statistics.fmean(self.squares))

    @property
    def order(self) -> float:
        """Part of the pairs in the right order."""
        return self.right / self.pairs


@dataclass
class Seen:
    """What is measured in a league."""

    ratings: Errors = field(default_factory=Errors)
    unrelated: Errors = field(default_factory=Errors)
    """Of a fit without predecessors."""
    elo: Errors = field(default_factory=Errors)
    """Of Elo by single matches."""
    by_age: dict[tuple[int, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    above: int = 0
    """Intervals wholly above the truth."""
    below: int = 0
    intervals: int = 0
    share: float = 1.0
    """Slot seconds of the bot with the least, as a part of the mean of those never parked."""
    friend: list[float] = field(default_factory=list)
    """Error of the rating of the bot to which puppets lose."""


def ladder(folder: Path) -> Iterator[Figure]:
    """Yield the figures of every kind of league, and how long a fit takes."""
    del folder
    yield from _fit_times()
    for kind in KINDS:
        leagues = [League(World(kind, seed)) for seed in range(SEEDS)]
        seen = [watched(league) for league in leagues]
        yield from _errors(kind, seen)
        yield from _special(kind, leagues, seen)
    uniform = [watched(League(World(STANDARD, seed), is_uniform=True)) for seed in range(SEEDS)]
    yield from _errors(replace(STANDARD, name="uniform pairs"), uniform)


def _errors(kind: Kind, seen: Sequence[Seen]) -> Iterator[Figure]:
    name = f"ladder, {kind.name}"
    kinds: dict[str, Callable[[Seen], Errors]] = {
        "": lambda each: each.ratings,
        " unrelated": lambda each: each.unrelated,
        " single": lambda each: each.elo,
    }
    for rating, errors in kinds.items():
        if rating != " single" or kind.seats == 2:
            yield Figure(f"{name}:{rating} rmse", median(errors(each).rmse for each in seen), "")
            yield Figure(f"{name}:{rating} order", median(errors(each).order for each in seen), "")
    for age in AGES:
        if errors_of := [error for each in seen for error in each.by_age[age]]:
            yield Figure(f"{name}: error, {age[0]}-{age[1] - 1} matches", median(errors_of), "")
    number = sum(each.intervals for each in seen) / 100
    yield Figure(f"{name}: interval too high", sum(each.above for each in seen) / number, "%")
    yield Figure(f"{name}: interval too low", sum(each.below for each in seen) / number, "%")
    yield Figure(f"{name}: worst share", median(each.share for each in seen), "")


def _special(kind: Kind, leagues: Sequence[League], seen: Sequence[Seen]) -> Iterator[Figure]:
    if kind.puppets:
        gained = median(statistics.fmean(each.friend) for each in seen)
        yield Figure(f"ladder, {kind.name}: gain above the truth", gained, "Elo")
    if kind.crashers:
        part = median(_part(league, crashed) for league in leagues)
        yield Figure(f"ladder, {kind.name}: their part of the seats", 100 * part, "%")
    if kind.slow:
        part = median(_part(league, is_slow) for league in leagues)
        yield Figure(f"ladder, {kind.name}: their part of the seats", 100 * part, "%")


def crashed(bot: Bot) -> bool:
    """Return whether a bot crashes."""
    return bot.crashes > 0


def is_slow(bot: Bot) -> bool:
    """Return whether a bot is slow."""
    return bot.seconds > 1


def _part(league: League, belongs: Callable[[Bot], bool]) -> float:
    """Return the part of the seats that such bots had."""
    matches = league.tally.matches
    mine = sum(matches[bot.id] for bot in league.world.bots.values() if belongs(bot))
    return mine / matches.total()


def _fit_times() -> Iterator[Figure]:
    """Yield how long a fit of 200 versions and 1,000,000 matches takes."""
    dice = random.Random(1)
    strengths = {f"v{at:03}": dice.gauss(0, SPREAD) for at in range(200)}
    tally = Tally()
    pairs = list(combinations(strengths, 2))
    for one, other in pairs:
        times = 1_000_000 // len(pairs)
        score = expected_score(strengths[one] - strengths[other])
        won = round(dice.gauss(times * score, math.sqrt(times * score * (1 - score))))
        tally.add_pairing(one, other, times=times, score=min(max(won, 0), times))
    entrants = [Entrant(name, is_house=name == "v000") for name in strengths]
    begun = time.process_time()
    fitted = fit(entrants, tally)
    yield Figure("ladder: fit of 200 versions", time.process_time() - begun, "s", most=2)
    begun = time.process_time()
    fit(entrants, tally, before=fitted)
    yield Figure("ladder: the next fit", time.process_time() - begun, "s", most=1)


def watched(league: League) -> Seen:
    """Play a league, and measure it."""
    seen = Seen()
    for number, fitted in enumerate(league.play()):
        if number % LOOKS == LOOKS - 1:
            _look(league, fitted, seen)
    used: Counter[str] = Counter()
    for bot in league.world.bots.values():
        used[bot.name] += round(league.seconds[bot.id])
    kept = [used[bot.name] for bot in league.active() if not bot.is_house]
    seen.share = min(kept) / statistics.fmean(kept)
    return seen


def _look(league: League, fitted: Fit, seen: Seen) -> None:
    present = league.active()
    true = league.world.truth(present)
    found = {name: fitted.elos[name].value for name in true}
    seen.ratings.look(found, true)
    plain = [Entrant(each.id, is_active=each.is_active) for each in league.entrants]
    seen.unrelated.look(dict(fit(plain, league.tally).strengths), true)
    seen.elo.look({bot.id: league.elo[bot.name] for bot in present}, true)
    for bot in present:
        _look_at(league, fitted, bot, (true[bot.id], seen))


def _look_at(league: League, fitted: Fit, bot: Bot, at: tuple[float, Seen]) -> None:
    true, seen = at
    elo, matches = fitted.elos[bot.id], league.tally.matches[bot.id]
    seen.intervals += 1
    seen.above += elo.low > true
    seen.below += elo.high < true
    if not bot.is_house and bot.number > 1:
        for least, most in AGES:
            if least <= matches < most:
                seen.by_age[least, most].append(abs(elo.value - true))
    if bot.name == league.world.friend:
        seen.friend.append(elo.value - true)
