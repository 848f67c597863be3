"""Ratings and mean scores as text."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arena import text
from arena.errors import UsageError
from arena.ratings.mean_scores import Interval, MeanScore, mean_scores
from arena.ratings.rating import PRIOR_ELO, Rating, Ratings, SeatValue, rate_outcomes
from arena.results.queries import start_of
from arena.results.secrecy import seed_part
from arena.results.standings import RatedMatch, rated_match
from arena.results.store import EventRow, MatchRow, Store
from arena.shell_words import db_option
from protocol.wording import quoted
from referee.job import kind_of

SURE = 0.9995
"""Least probability that would be printed as 100.0 %."""
WIDTH = 80
"""Limit of the columns of a line under a table."""


@dataclass(frozen=True, slots=True)
class RatingTerms:
    """How ratings are shown."""

    anchor: Mapping[str, float] = field(default_factory=dict)
    """Elo of a player, which fixes the scale in place of the config's."""
    has_differences: bool = False
    """Whether the difference of every two players is shown."""

    def rated(self, outcomes: Mapping[RatedMatch, int], anchor: Mapping[str, float]) -> Ratings:
        """Return the ratings, on the scale of an anchor of these terms or else of another one."""
        ratings = rate_outcomes(outcomes, self.anchor or anchor)
        for name in self.anchor:
            if name not in ratings.anchor:
                known = ", ".join(player for player, _ in ratings.ranked) or "none"
                raise UsageError(f"--anchor: no rated bot is named {quoted(name)}; rated: {known}")
        return ratings


def rate_text(store: Store, event: EventRow, terms: RatingTerms | None = None) -> str:
    """Return the ratings and mean scores of an event, with their errors."""
    terms = terms or RatingTerms()
    if not is_rated(event):
        return f"{event.name} (event {event.id}{seed_part(event)})\n\nnot rated: a person played"
    outcomes: Counter[RatedMatch] = Counter()

    def counted() -> Iterator[MatchRow]:
        for match in store.matches(event.id):
            outcomes[rated_match(match.seats, start_of(event, match.board))] += 1
            yield match

    means = mean_scores(counted())
    ratings = terms.rated(outcomes, event.config.get("anchor", {}))
    parts = [f"{event.name} (event {event.id}{seed_part(event)})"]
    if event.config.get("format") == "gate":
        db = db_option(store.path)
        parts.append(
            "ratings from all matches; the verdict of the gate estimates the Elo"
            f" difference from its counted pairs: arena show {event.id}{db}"
        )
    parts.append(ratings_text(ratings))
    if terms.has_differences and (differences := differences_text(ratings)):
        parts.append(differences)
    if means:
        is_sure = any(each.interval for each in means)
        why = "95 % intervals from its spread over boards" if is_sure else "no intervals: one board"
        parts += [f"mean score of a match ({why}):", mean_scores_text(means)]
    return "\n\n".join(parts)


def rated(event: EventRow, outcomes: Mapping[RatedMatch, int]) -> Ratings:
    """Return the ratings of an event, on the scale of its anchor if it has one."""
    return rate_outcomes(outcomes, event.config.get("anchor"))


def differences_text(ratings: Ratings) -> str:
    """Return the difference of every two players, its interval, and which is stronger."""
    header = ["bot", "over", "Elo", "95 %", "stronger"]
    rows = [
        [
            each.player,
            each.other,
            f"{round(each.elo.value):+d}",
            each.elo.errors(),
            percent(each.superiority),
        ]
        for each in ratings.differences()
    ]
    return f"differences:\n{text.table(header, rows, left=2)}" if rows else ""


def is_rated(event: EventRow) -> bool:
    """Whether players have a strength: a person may take moves back, ask for hints, has no clock.

    The sides of a search by SPSA are another player in each pair.
    """
    if (event.config.get("tune") or {}).get("method") == "spsa":
        return False
    return "person" not in map(kind_of, event.entrants.values())


def ratings_text(ratings: Ratings) -> str:
    """Return the ratings as one table per group, their scale, and the values of the seats."""
    if not ratings.players:
        return _left_out(ratings) or "no matches yet"
    parts = []
    if ratings.groups > 1:
        parts.append(
            f"{ratings.groups} groups of players without a match between them: compare ratings"
            " within a group only"
        )
    parts += [
        _group_text([each for each in ratings.players if each.group == group])
        for group in range(ratings.groups)
    ]
    parts.append("\n".join([scale_text(ratings), *_seats_lines(ratings)]))
    return "\n\n".join(parts)


def scale_text(ratings: Ratings) -> str:
    """Return what Elo is relative to, its prior, and which matches are left out, in short lines."""
    boards = ratings.comparisons.boards
    by = f" from {text.plural(boards, 'board')}" if boards > 1 else ""
    parts = [
        f"Elo {_relative(ratings)}; a draw is half a win; 95 % intervals{by}",
        f"with few matches, Elos stay close together (prior: normal, deviation {PRIOR_ELO:.0f})",
    ]
    rest = []
    if faulty := ratings.comparisons.faulty:
        rest.append(f"faults count as losses: {faulty}")
    if left_out := _left_out(ratings):
        rest.append(left_out)
    if rest:
        parts.append("; ".join(rest))
    return text.folded(";\n".join(parts), WIDTH)


def percent(likelihood: float) -> str:
    """Return a probability as text; no uncertain one is 0 or 100 %."""
    if likelihood >= SURE:
        return ">99.9 %"
    return "<0.1 %" if likelihood < 1 - SURE else f"{100 * likelihood:.1f} %"


def compared(event: EventRow, ratings: Ratings) -> Sequence[Rating]:
    """Return the ratings for the standings, none where they are no estimate of all strengths.

    Ratings of several groups do not compare, a person is not rated, and the verdict of a gate has
    its only estimate.
    """
    is_gate = event.config.get("format") == "gate"
    return () if ratings.groups > 1 or is_gate or not is_rated(event) else ratings.players


def elo_cells(event: EventRow, ratings: Ratings) -> dict[str, str]:
    """Return rating and error of every player with one, for the standings.

    Empty for a ladder too: its text has the ratings.
    """
    if event.config.get("format") == "ladder":
        return {}
    return {each.player: each.elo.text() for each in compared(event, ratings)}


def mean_scores_text(means: Sequence[MeanScore]) -> str:
    """Return the mean scores as a table."""
    header = ["#", "bot", "mean", "95 %", "ahead of the next", "95 %", "matches"]
    rows = [
        [
            str(number),
            each.player,
            f"{each.mean:z.2f}",
            _span(each.interval),
            "" if each.ahead is None else f"{each.ahead:z.2f}",
            _span(each.ahead_interval),
            str(each.matches),
        ]
        for number, each in enumerate(means, start=1)
    ]
    return text.table(header, rows, left=2)


def _relative(ratings: Ratings) -> str:
    if ratings.anchor:
        return " and ".join(f"with {name} at {elo:g}" for name, elo in ratings.anchor.items())
    if len(ratings.ranked) == 2:
        return "over the other bot"
    return "over the mean of each group" if ratings.groups > 1 else "over the bots' mean"


def _group_text(group: Sequence[Rating]) -> str:
    header = ["#", "bot", "Elo", "95 %", "stronger than the next", "matches"]
    rows = [
        [
            str(number),
            each.player,
            f"{round(each.elo.value):+d}",
            each.elo.errors(),
            "" if each.superiority is None else percent(each.superiority),
            str(each.matches),
        ]
        for number, each in enumerate(group, start=1)
    ]
    return text.table(header, rows, left=2)


def _seats_lines(ratings: Ratings) -> Iterator[str]:
    """Yield the values of the seats, and whether they are clear, by number of seats."""
    for size in sorted({each.seats for each in ratings.seats}):
        yield _seats_line([each for each in ratings.seats if each.seats == size])


def _seats_line(values: Sequence[SeatValue]) -> str:
    name = "advantage of the first move"
    if len(values) > 1:
        name = f"advantage of the seats of {len(values)} over their mean, in order"
    elos = ", ".join(each.elo.text() for each in values)
    if any(each.is_clear for each in values):
        return text.folded(f"{name}: {elos} Elo", WIDTH)
    return text.folded(f"{name}: not clear ({elos} Elo)", WIDTH)


def _left_out(ratings: Ratings) -> str:
    reasons = [
        (ratings.comparisons.unplayed, "unplayed"),
        (ratings.comparisons.ignored, "of one player, or with all at fault"),
    ]
    parts = [f"{number} {reason}" for number, reason in reasons if number]
    return f"left out: {', '.join(parts)}" if parts else ""


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval[0]:z.2f} to {interval[1]:z.2f}"
