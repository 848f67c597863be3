"""Knockout: the loser of an encounter is out; the winner of the last encounter wins.

Players are seeded: the best two can only meet in the final, the best four not before the
semi-finals, and so on. If their number is not a power of two, the best have a bye in the first
round. An even encounter continues on a new board each time, from both seats in each variant, until
it is decided or `tie_breaks` boards were played. Then the higher sum of scores decides, then the
better seed.

The next encounter of two players is known as soon as both have won theirs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from arena import text
from arena.formats.encounters import EncounterResult, EncounterTerms, Pair, tally
from arena.formats.format import Results
from arena.results.standings import Ranking
from arena.schedule.pairing import Pairing


@dataclass(frozen=True)
class BracketNode:
    """One place of the bracket: an encounter, or a bye."""

    pair: tuple[str | None, str | None]
    """The two players, None while unknown; in the first round None is a bye."""
    matches: tuple[Pairing, ...] = ()
    """Known matches; their results may add tie breaks."""
    tally: EncounterResult | None = None
    """Result of the matches, once all have ended."""
    winner: str | None = None
    how: str = ""
    """Reason for the win, if not points."""


class _Progress:
    """How far each encounter is, by results that are added but never taken back.

    Going through all matches after each result would take as long as the square of their number.
    """

    def __init__(self, terms: EncounterTerms, results: Results) -> None:
        self._terms = terms
        self.results = results
        self._ended: dict[tuple[Pair, int], int] = {}
        """Number of matches known to have ended, the first ones, by players and all matches."""
        self._tallies: dict[tuple[Pair, int], EncounterResult | None] = {}

    def tally(self, pair: Pair, matches: tuple[Pairing, ...]) -> EncounterResult | None:
        """Return the result of an encounter, or None until all of its matches have ended."""
        key = pair, len(matches)
        ended = self._ended.get(key, 0)
        while ended < len(matches) and matches[ended].key in self.results:
            ended += 1
        self._ended[key] = ended
        if ended == len(matches) and key not in self._tallies:
            self._tallies[key] = tally(pair, matches, self.results, self._terms)
        return self._tallies.get(key)


class Knockout:
    """A knockout of the given players, the best seed first."""

    is_fixed: ClassVar[bool] = False
    imbalance: ClassVar[tuple[str, ...]] = ()

    def __init__(self, players: Sequence[str], terms: EncounterTerms, tie_breaks: int) -> None:
        self._seeds = {player: number for number, player in enumerate(players, start=1)}
        self._players = tuple(players)
        self._rounds = (len(players) - 1).bit_length()
        self._terms = terms
        self._tie_break = EncounterTerms(2, 1, terms.variants)
        self._tie_breaks = tie_breaks
        self._matches = lru_cache(maxsize=None)(self._matches_of)
        self._known: tuple[list[tuple[Pairing, ...]], tuple[Pairing, ...]] = [], ()
        """The known matches of each encounter as of the last look, and all of them."""
        self._progress = _Progress(terms, {})

    def known(self, results: Results) -> Sequence[Pairing]:
        """Return the matches of all encounters with two known players, round by round."""
        parts = [node.matches for nodes in self.bracket(results) for node in nodes]
        if parts != self._known[0]:
            self._known = parts, tuple(match for matches in parts for match in matches)
        return self._known[1]

    def total(self, results: Results) -> int:
        """Return the number of matches, assuming no further tie breaks."""
        nodes = [node for round_nodes in self.bracket(results) for node in round_nodes]
        known = sum(len(node.matches) for node in nodes)
        encounters = len(self._players) - 1
        begun = sum(bool(node.matches) for node in nodes)
        return known + (encounters - begun) * self._terms.matches

    def bracket(self, results: Results) -> list[list[BracketNode]]:
        """Return the bracket: one list of nodes per round, from the first to the final."""
        if results is not self._progress.results:
            self._progress = _Progress(self._terms, results)
        rounds: list[list[BracketNode]] = []
        winners = self._places()
        for _ in range(self._rounds):
            is_first = not rounds
            nodes = [
                self._node((one, other), has_byes=is_first)
                for one, other in zip(winners[::2], winners[1::2], strict=True)
            ]
            rounds.append(nodes)
            winners = [node.winner for node in nodes]
        return rounds

    def ranking(self, results: Results) -> Ranking:
        """Return the places: losers of the same round share one, players still in the first."""
        ranks = dict.fromkeys(self._players, 1)
        for number, nodes in enumerate(self.bracket(results), start=1):
            for node in nodes:
                if node.winner is not None and None not in node.pair:
                    loser = node.pair[node.pair[0] == node.winner]
                    ranks[str(loser)] = 2 ** (self._rounds - number) + 1
        places = sorted((rank, self._seeds[player], player) for player, rank in ranks.items())
        return Ranking("round reached", tuple((rank, player) for rank, _, player in places))

    def text(self, results: Results) -> str:
        """Return the bracket and the decisions of even encounters."""
        bracket = self.bracket(results)
        over = sum(all(node.winner for node in nodes) for nodes in bracket)
        players = [self._seeded(player) for player in self._places()]
        lines = [
            f"knockout, {text.plural(over, 'round')} of {self._rounds} played",
            bracket_text([players, *([self._label(node) for node in nodes] for nodes in bracket)]),
        ]
        lines += [
            f"{node.winner} advances against {node.pair[node.pair[0] == node.winner]}: {node.how}"
            for nodes in bracket
            for node in nodes
            if node.how
        ]
        return "\n".join(lines)

    def _places(self) -> list[str | None]:
        """Return the players of the first round from the top of the bracket; None for a bye."""
        return [
            self._players[seed - 1] if seed <= len(self._players) else None
            for seed in _seed_order(self._rounds)
        ]

    def _node(self, pair: tuple[str | None, str | None], *, has_byes: bool) -> BracketNode:
        one, other = pair
        if one is None or other is None:
            return BracketNode(pair, winner=(one or other) if has_byes else None)
        matches = self._matches((one, other), 0)
        result = self._progress.tally((one, other), matches)
        for number in range(1, self._tie_breaks + 1):
            if result is None or result.halves[0] != result.halves[1]:
                break
            matches = self._matches((one, other), number)
            result = self._progress.tally((one, other), matches)
        if result is None:
            return BracketNode(pair, matches)
        winner, how = self._decided((one, other), result)
        return BracketNode(pair, matches, result, winner, how)

    def _matches_of(self, pair: Pair, tie_breaks: int) -> tuple[Pairing, ...]:
        """Return the matches of an encounter with the given number of tie breaks."""

        def parts() -> Iterator[Pairing]:
            yield from self._terms.encounter(pair)
            for number in range(tie_breaks):
                yield from self._tie_break.encounter(pair, self._terms.boards + number)

        return tuple(parts())

    def _decided(self, pair: Pair, result: EncounterResult) -> tuple[str, str]:
        """Return the winner of an ended encounter, and the reason if not points."""
        one, other = result.halves
        if one != other:
            return pair[one < other], ""
        one_score, other_score = result.scores
        if one_score != other_score:
            scores = f"{text.score(max(result.scores))} to {text.score(min(result.scores))}"
            return pair[one_score < other_score], f"the scores are {scores}"
        return min(
            pair, key=self._seeds.__getitem__
        ), "points and scores are equal; the better seed advances"

    def _seeded(self, player: str | None) -> str:
        return f"{player} ({self._seeds[player]})" if player is not None else ""

    def _label(self, node: BracketNode) -> str:
        """Return the winner of an encounter with the points, winner first; "?" if undecided."""
        if node.winner is None:
            return "?"
        if node.tally is None:
            return self._seeded(node.winner)
        halves = node.tally.halves if node.winner == node.pair[0] else node.tally.halves[::-1]
        return f"{node.winner} {EncounterResult(halves).text()}"


def _seed_order(rounds: int) -> list[int]:
    """Return the seeds from the top of the bracket to the bottom: 1 8 4 5 2 7 3 6 for eight."""
    order = [1]
    for _ in range(rounds):
        size = 2 * len(order)
        order = [seed for best in order for seed in (best, size + 1 - best)]
    return order


GAP = 3
"""Width in columns of the joining lines between two rounds."""


def bracket_text(rounds: Sequence[Sequence[str]]) -> str:
    """Return the bracket; `rounds` are the labels of each round, from the players to the winner.

    An empty label is a bye: its opponent is shown in the next round only.
    """
    columns = [_without_byes(rounds[0]), *rounds[1:]]
    widths = [max(map(len, labels), default=0) for labels in columns]
    height = 2 * len(columns[0]) - 1
    canvas = [[" "] * (sum(widths) + GAP * len(widths)) for _ in range(height)]
    left = 0
    for number, labels in enumerate(columns):
        for place, label in enumerate(labels):
            _write(canvas[_row(number, place)], left, label)
        if number + 1 < len(columns):
            for place in range(0, len(labels), 2):
                if labels[place]:
                    rows = (_row(number, place), _row(number, place + 1))
                    _join(canvas, rows, labels[place : place + 2], (left, widths[number]))
        left += widths[number] + GAP
    lines = ["".join(row).rstrip() for row in canvas]
    return "\n".join(line for line in lines if line.strip(" │"))


def _without_byes(players: Sequence[str]) -> list[str]:
    shown = list(players)
    for place in range(0, len(shown), 2):
        if not (shown[place] and shown[place + 1]):
            shown[place : place + 2] = ["", ""]
    return shown


def _row(number: int, place: int) -> int:
    return ((2 * place + 1) << number) - 1


def _write(row: list[str], left: int, text: str) -> None:
    row[left : left + len(text)] = text


def _join(
    canvas: list[list[str]], rows: tuple[int, int], labels: Sequence[str], span: tuple[int, int]
) -> None:
    """Draw the lines from two labels to their middle, right of their column."""
    left, width = span
    for row, label, corner in zip(rows, labels, "┐┘", strict=True):
        line = "─" * (width - len(label)) + corner
        _write(canvas[row], left + len(label), f" {line}" if label else line)
    for row in range(rows[0] + 1, rows[1]):
        canvas[row][left + width + 1] = "│"
    _write(canvas[(rows[0] + rows[1]) // 2], left + width + 1, "├")
