"""Ratings and mean scores as text."""

from collections import Counter
from collections.abc import Iterator, Sequence

from arena import text
from arena.ratings.mean_scores import Interval, MeanScore, mean_scores
from arena.ratings.rating import Rating, Ratings, rate_outcomes
from arena.results.secrecy import seed_part
from arena.results.standings import Outcome, outcome_of
from arena.results.store import EventRow, MatchRow, Store
from arena.text import db_option
from referee.job import PERSON


def rate_text(store: Store, event: EventRow) -> str:
    """Return the ratings and mean scores of an event, with their errors."""
    if not is_rated(event):
        return f"{event.name} (event {event.id}{seed_part(event)})\n\nnot rated: a person played"
    outcomes: Counter[Outcome] = Counter()

    def counted() -> Iterator[MatchRow]:
        for match in store.matches(event.id):
            outcomes[outcome_of(match.seats)] += 1
            yield match

    means = mean_scores(counted())
    ratings = rate_outcomes(outcomes)
    parts = [f"{event.name} (event {event.id}{seed_part(event)})"]
    if event.config.get("format") == "gate":
        db = db_option(store.path)
        parts.append(
            "ratings from all matches, one by one; the verdict of the gate estimates the Elo"
            f" difference from its counted pairs: arena show {event.id}{db}"
        )
    parts.append(ratings_text(ratings))
    if means:
        is_sure = any(each.interval for each in means)
        why = "95 % intervals from its spread over boards" if is_sure else "one board: no intervals"
        parts += [f"mean score of a match ({why}):", mean_scores_text(means)]
    return "\n\n".join(parts)


def is_rated(event: EventRow) -> bool:
    """Whether only bots played: a person may take moves back, ask for hints, and has no clock."""
    return PERSON not in event.entrants.values()


def ratings_text(ratings: Ratings) -> str:
    """Return the ratings as one table per group, with the value of moving first."""
    if not ratings.players:
        return _ignored(ratings.ignored) if ratings.ignored else "no matches yet"
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
    first = f"{round(ratings.first_move):+d} ±{ratings.first_move_error:.0f} Elo"
    lines = [f"advantage of the first move: {first}"]
    if ratings.ignored:
        lines.append(_ignored(ratings.ignored))
    parts.append("\n".join(lines))
    return "\n\n".join(parts)


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
    return {
        each.player: f"{round(each.elo):+d} ±{each.error:.0f}" for each in compared(event, ratings)
    }


def mean_scores_text(means: Sequence[MeanScore]) -> str:
    """Return the mean scores as a table."""
    header = ["#", "bot", "mean", "95 %", "ahead of the next", "95 %", "matches"]
    rows = [
        [
            str(number),
            each.player,
            f"{each.mean:.2f}",
            _span(each.interval),
            "" if each.ahead is None else f"{each.ahead:.2f}",
            _span(each.ahead_interval),
            str(each.matches),
        ]
        for number, each in enumerate(means, start=1)
    ]
    return text.table(header, rows, left=2)


def _group_text(group: Sequence[Rating]) -> str:
    header = ["#", "bot", "Elo", "±95%", "stronger than the next", "matches"]
    rows = [
        [
            str(number),
            each.player,
            f"{round(each.elo):+d}",
            f"{each.error:.0f}",
            "" if each.superiority is None else f"{100 * each.superiority:.1f} %",
            str(each.matches),
        ]
        for number, each in enumerate(group, start=1)
    ]
    return text.table(header, rows, left=2)


def _ignored(matches: int) -> str:
    return f"matches without information on strength (one player, or all at fault): {matches}"


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}"
