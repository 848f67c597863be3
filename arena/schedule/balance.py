"""Description of the inequalities of a schedule."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb

Table = tuple[str, ...]
"""The players of one match by seat."""


def imbalance(tables: Iterable[Table], bots: Sequence[str]) -> tuple[str, ...]:
    """Return one line per inequality; none for a balanced schedule.

    Compares matches per bot, meetings per pair, matches per bot and seat, and after whom a bot
    moves. With several numbers of seats, it compares each number separately, then all together,
    first moves included.
    """
    times = Counter(tables)
    sizes = sorted({len(table) for table in times})
    lines = []
    for size in sizes:
        prefix = f"{size} seats: " if len(sizes) > 1 else ""
        some = {table: number for table, number in times.items() if len(table) == size}
        lines += [prefix + line for line in _lines(some, bots, range(size))]
        lines += [prefix + line for line in _neighbours(some, bots, size)]
    if len(sizes) > 1:
        lines += ["overall: " + line for line in _lines(times, bots, range(1))]
    return tuple(lines)


def gauntlet_imbalance(tables: Iterable[Table], challengers: Collection[str]) -> tuple[str, ...]:
    """Return a line per challenger with uneven seats, and one for all opponents."""
    seated: dict[str, Counter[int]] = {}
    most_seats: Counter[str] = Counter()
    for table in tables:
        for seat, bot in enumerate(table):
            seated.setdefault(bot, Counter())[seat] += 1
            most_seats[bot] = max(most_seats[bot], len(table))
    ranges = {
        bot: _range([times[seat] for seat in range(most_seats[bot])], most_seats[bot])
        for bot, times in seated.items()
    }
    uneven = {bot: span for bot, span in ranges.items() if span[0] < span[1]}
    lines = [
        f"{bot} sits {span[0]} to {span[1]} times in a seat"
        for bot, span in uneven.items()
        if bot in challengers
    ]
    if others := [span for bot, span in uneven.items() if bot not in challengers]:
        low, high = min(low for low, _ in others), max(high for _, high in others)
        lines.append(f"opponents sit {low} to {high} times in a seat")
    return tuple(lines)


def _lines(times: Mapping[Table, int], bots: Sequence[str], seats: Iterable[int]) -> Iterator[str]:
    matches: Counter[str] = Counter()
    meetings: Counter[Table] = Counter()
    seated: Counter[tuple[str, int]] = Counter()
    for table, number in times.items():
        for seat, bot in enumerate(table):
            matches[bot] += number
            seated[bot, seat] += number
        for pair in combinations(sorted(table), 2):
            meetings[pair] += number
    low, high = _range(matches.values(), len(bots))
    if low < high:
        yield f"bots play {low} to {high} matches"
    low, high = _range(meetings.values(), comb(len(bots), 2))
    if low < high:
        yield f"pairs meet {low} to {high} times"
    for seat in seats:
        of_bots = [seated[bot, seat] for bot in bots]
        if min(of_bots) < max(of_bots):
            first = " (first)" if seat == 0 else ""
            yield f"seat {seat}{first}: {min(of_bots)} to {max(of_bots)} times per bot"


def _neighbours(times: Mapping[Table, int], bots: Sequence[str], size: int) -> Iterator[str]:
    """Yield how unequally often a bot moves right after each other one, with three or more seats.

    Once more or less is the best that most schedules can do.
    """
    moved: Counter[tuple[str, str]] = Counter()
    for table, number in times.items():
        for seat, bot in enumerate(table):
            moved[table[seat - 1], bot] += number
    low, high = _range(moved.values(), len(bots) * (len(bots) - 1))
    if size > 2 and low + 1 < high:
        yield f"a bot moves right after another one {low} to {high} times"


def _range(counts: Collection[int], number: int) -> tuple[int, int]:
    """Return the least and the greatest count of `number` things; missing ones count 0."""
    return (min(counts) if len(counts) == number else 0), max(counts)
