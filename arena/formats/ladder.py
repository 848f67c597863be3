"""The ladder: play matches where the ranking is uncertain.

The first stage connects all players, so that they can be rated. After each stage the players are
rated. Two neighbours of the ranking have another encounter unless the higher one is stronger with
the wanted certainty. The event ends when all neighbours are certain, or when no matches are left.
Each encounter of the same two players uses another board: a repeated match says nothing about
deterministic bots.

The key of an encounter depends on its two players and the number of their earlier encounters, so
bots can be added later: the stages are computed again, and most of their matches already exist.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter

from arena import text
from arena.formats.encounters import EncounterTerms, Pair
from arena.formats.format import Results
from arena.formats.stages import Stage, StagedFormat
from arena.ratings.rating import Ratings, rate_outcomes
from arena.ratings.text import ratings_text
from arena.results.standings import Ranking, RatedMatch, rated_match
from arena.schedule.meetings import first_meetings
from arena.schedule.pairing import Pairing

USUAL_MATCHES = 100
"""Default limit of matches per player, unless the first rating needs more."""


@dataclass(frozen=True)
class Rung:
    """State at the start of a stage."""

    pairs: tuple[Pair, ...]
    """Encounters of this stage."""
    met: Mapping[Pair, int]
    """Number of earlier encounters per pair."""
    ratings: Ratings | None = None
    """Ratings from all earlier matches."""
    unclear: tuple[Pair, ...] = ()
    """Neighbours of the ranking without the wanted certainty."""
    matches: int = 0
    """Number of earlier matches."""
    outcomes: Counter[RatedMatch] = field(default_factory=Counter)
    """Number of earlier matches of each outcome."""


class Ladder(StagedFormat[Rung]):
    """A ladder of the given players."""

    def __init__(
        self,
        players: Sequence[str],
        *,
        certainty: float,
        matches: int | None,
        terms: EncounterTerms,
        has_board: Callable[[int], bool] = lambda _: True,
    ) -> None:
        """Create a ladder with the wanted certainty and at most `matches` matches.

        `has_board` is a pure function: whether a board exists. Boards after a missing one are
        missing too.
        """
        super().__init__()
        self._players = tuple(players)
        self._certainty = certainty
        least = len(first_meetings(len(players))) * terms.matches
        self._most = max(least, USUAL_MATCHES * len(players)) if matches is None else matches
        self._terms = terms
        self._has_board = has_board

    def first(self) -> Stage[Rung]:
        """Return the encounters before the first rating."""
        pairs = [
            (self._players[a], self._players[b]) for a, b in first_meetings(len(self._players))
        ]
        return self._stage(Rung(tuple(pairs), {}))

    def after(self, stages: Sequence[Stage[Rung]], results: Results) -> Stage[Rung]:
        """Return the encounters of all neighbours whose order is uncertain."""
        last = stages[-1]
        ended = [results[match.key] for match in last.matches]
        outcomes = last.state.outcomes + Counter(
            rated_match(seats, match.board)
            for match, seats in zip(last.matches, ended, strict=True)
            if seats
        )
        played = last.state.matches + len(ended)
        ratings = rate_outcomes(outcomes)
        met = Counter(last.state.met)
        met.update(_sorted(pair) for pair in last.state.pairs)
        unclear = self._unclear(ratings)
        idle = self._idle(last, results) | self._exhausted(met)
        open_ = [(pair, likely) for pair, likely in unclear if _sorted(pair) not in idle]
        pairs = tuple(self._affordable(open_, played))
        return self._stage(
            Rung(pairs, met, ratings, tuple(pair for pair, _ in unclear), played, outcomes)
        )

    def total(self, results: Results) -> int:
        """Return the limit of matches, or their number once the event is over."""
        stages = self.stages(results)
        return self._most if stages[-1].matches else stages[-1].state.matches

    def ranking(self, results: Results) -> Ranking | None:
        """Return the places by rating after the last completed stage; None before the first."""
        if (ratings := self.stages(results)[-1].state.ratings) is None:
            return None
        elo = ratings.strengths.elos()
        ranks: dict[tuple[int, int], int] = {}
        places = (
            (ranks.setdefault((group, round(elo[player])), rank), player)
            for rank, (player, group) in enumerate(ratings.ranked, start=1)
        )
        return Ranking("rating", tuple(places))

    def text(self, results: Results) -> str:
        """Return the ratings after the last completed stage, and the uncertain pairs."""
        last = self.stages(results)[-1]
        state = last.state
        played = text.plural(state.matches, "match")
        wanted = f"{100 * self._certainty:g} %"
        if state.ratings is None:
            return f"ladder, wanted certainty {wanted}: nothing is rated yet"
        lines = [f"ladder, wanted certainty {wanted}: rated after {played} of {self._most} at most"]
        lines += [ratings_text(state.ratings), ""]
        if state.unclear:
            pairs = ", ".join(" - ".join(pair) for pair in state.unclear)
            lines.append(f"not clear yet: {pairs}")
            if not last.matches and self._exhausted(state.met) & set(map(_sorted, state.unclear)):
                lines.append("these pairs have played every opening; add openings to continue")
        else:
            lines.append("every order of neighbours is clear")
        return "\n".join(lines)

    def _stage(self, rung: Rung) -> Stage[Rung]:
        matches: list[Pairing] = []
        for pair in map(_sorted, rung.pairs):
            board = rung.met.get(pair, 0)
            turned = pair if board % 2 == 0 else pair[::-1]
            matches += self._terms.encounter(turned, board)
        return Stage(rung, tuple(matches))

    def _unclear(self, ratings: Ratings) -> list[tuple[Pair, float]]:
        """Return the neighbours with uncertain order, and the likelihood of that order."""
        unclear = []
        for (one, group), (other, next_group) in pairwise(ratings.ranked):
            likelihood = ratings.superiority(one, other) if group == next_group else 0.0
            if likelihood < self._certainty:
                unclear.append(((one, other), likelihood))
        return unclear

    def _affordable(self, unclear: Sequence[tuple[Pair, float]], played: int) -> list[Pair]:
        """Return the pairs that the remaining matches allow, the least certain first."""
        encounters = (self._most - played) // self._terms.matches
        by_need = {pair for pair, _ in sorted(unclear, key=itemgetter(1))[:encounters]}
        return [pair for pair, _ in unclear if pair in by_need]

    def _exhausted(self, met: Mapping[Pair, int]) -> set[Pair]:
        """Return the pairs that have met on every board."""
        return {pair for pair, times in met.items() if not self._has_board(times)}

    def _idle(self, stage: Stage[Rung], results: Results) -> set[Pair]:
        """Return the pairs without a useful match in this stage: each void, or both at fault."""
        useful = {
            _sorted((match.players[0], match.players[1]))
            for match in stage.matches
            if any(seat.fault is None for seat in results[match.key])
        }
        return {_sorted(pair) for pair in stage.state.pairs} - useful


def _sorted(pair: Pair) -> Pair:
    """Return the pair in sorted order, the key of its encounters."""
    return min(pair), max(pair)
