"""The schedule: the players, seats and board of every match, in order of play.

A schedule is a pure function of the bots, the options and the seed. There are two kinds:

* By default every set of players meets, with rotated seats. The key of a match depends on its
  players only, so bots, repeats and boards can be added later without changing existing keys.
* With `matches`, only the given number of matches is scheduled. The sets of players are chosen by
  `arena.schedule.designs` and seated by `arena.schedule.seating`, as evenly as the search finds.

`Schedule.imbalance` describes any remaining inequality in words.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, factorial
from operator import itemgetter
from random import Random
from typing import ClassVar, NamedTuple

from arena.errors import ArenaError
from arena.schedule.balance import gauntlet_imbalance, imbalance
from arena.schedule.designs import Block, balanced_blocks
from arena.schedule.seating import PlayerOrder, Seating, SeatOrders, rounds, spread, turn
from referee.seeds import derive_seed

MAX_MATCHES = 2_000_000
MAX_CHOSEN = 100_000
"""Limit of matches chosen by search, which takes about half a minute."""


class ScheduleError(ArenaError):
    """Invalid options. `option` is the config key of the invalid one."""

    def __init__(self, option: str, detail: str) -> None:
        super().__init__(detail)
        self.option = option
        self.detail = detail


class Pairing(NamedTuple):
    """One match: its players by seat, and its board. A named tuple: an event may have millions."""

    players: tuple[str, ...]
    """Names of the bots by seat."""
    board: int
    """Index of the board or opening."""
    variant: str
    """Label of the variant, from `Game.variants`; "" if the game has only one."""
    repeat: int
    """Index among the matches with the same players by seat, board and variant."""

    @property
    def key(self) -> str:
        """Unique name of the match in its event, like `deep,greedy/b0/normal/0`."""
        variant = f"{self.variant}/" if self.variant else ""
        return f"{','.join(self.players)}/b{self.board}/{variant}{self.repeat}"


@dataclass(frozen=True)
class Schedule:
    """All matches of an event in order of play: a format that is independent of results."""

    pairings: tuple[Pairing, ...]
    imbalance: tuple[str, ...] = ()
    """Inequalities between bots, one line each; empty for a balanced schedule."""
    is_fixed: ClassVar[bool] = True

    def known(self, results: object) -> tuple[Pairing, ...]:
        """Return all matches."""
        return self.pairings

    def total(self, results: object) -> int:
        """Return the number of matches."""
        return len(self.pairings)

    def ranking(self, results: object) -> None:
        """Return None: the sum of scores ranks the players."""

    def text(self, results: object) -> str:
        """Return an empty text: the table shows everything."""
        return ""


@dataclass(frozen=True)
class _Cell:
    """A board and a variant."""

    board: int
    variant: str
    shift: int
    """Offset of the seat rotation, so that an odd number of repeats evens out over the boards."""


def round_robin(
    bots: Sequence[str],
    *,
    seats: Sequence[int],
    repeat: int | None = None,
    boards: int = 1,
    variants: Sequence[str] = ("",),
    seat_orders: SeatOrders = "rotate",
    matches: int | None = None,
    seed: int = 0,
) -> Schedule:
    """Return a schedule in which the bots meet, move first and occupy each seat equally often.

    Each number of `seats` (2 to 6 players per match) gives its own schedule; all are interleaved.
    `repeat` is the number of matches of the same players per board and variant, with rotated seats:
    by default one per seat; with `seat_orders="all"`, rounded up to a multiple of the k! orders of
    k players. `matches` is the total number instead, searched by `seed`. Raises ScheduleError for
    too few bots, or too few or too many matches.
    """
    _check(bots, variants)
    sizes = _sizes(seats, len(bots))
    cells = _cells(boards, variants)
    if matches is not None:
        _at_most("matches", matches)
        if matches < len(sizes):
            detail = f"matches is {matches}, it must be at least {len(sizes)}"
            raise ScheduleError("matches", detail)
        parts = _wanted(bots, sizes, matches, cells, seed)
        pairings = side_by_side(parts)
        return Schedule(pairings, imbalance((pairing.players for pairing in pairings), bots))
    repeats = {size: _repeats(size, repeat, seat_orders) for size in sizes}
    count = sum(comb(len(bots), size) * repeats[size] for size in sizes) * len(cells)
    _at_most("repeat", count, "; set `matches` to the number to play")
    pairings = side_by_side(
        [list(_every_table(bots, size, repeats[size], cells)) for size in sizes]
    )
    if all(repeats[size] % size == 0 for size in sizes):
        return Schedule(pairings)
    return Schedule(pairings, imbalance((pairing.players for pairing in pairings), bots))


def gauntlet(
    bots: Sequence[str],
    challengers: Collection[str],
    *,
    seats: Sequence[int],
    repeat: int | None = None,
    boards: int = 1,
    variants: Sequence[str] = ("",),
    seat_orders: SeatOrders = "rotate",
) -> Schedule:
    """Return the matches of a round robin with exactly one challenger; raises ScheduleError."""
    _check(bots, variants)
    sizes = _sizes(seats, len(bots) - len(challengers) + 1)
    cells = _cells(boards, variants)
    repeats = {size: _repeats(size, repeat, seat_orders) for size in sizes}
    others = len(bots) - len(challengers)
    tables = {size: len(challengers) * comb(others, size - 1) for size in sizes}
    _at_most("repeat", sum(tables[size] * repeats[size] for size in sizes) * len(cells))
    chosen = {bots.index(name) for name in challengers}
    pairings = side_by_side(
        [list(_every_table(bots, size, repeats[size], cells, chosen)) for size in sizes]
    )
    tables_played = (pairing.players for pairing in pairings)
    return Schedule(pairings, gauntlet_imbalance(tables_played, challengers))


def solo(
    bots: Sequence[str], *, repeat: int, boards: int, variants: Sequence[str] = ("",)
) -> Schedule:
    """Return the schedule of a one-seat game: `repeat` matches per bot and board."""
    _check(bots, variants)
    _at_most("repeat", len(bots) * repeat * boards * len(variants))
    return Schedule(
        tuple(
            Pairing((bot,), board, variant, number)
            for number in range(repeat)
            for board in range(boards)
            for variant in variants
            for bot in bots
        )
    )


# -- every table -----------------------------------------------------------------------------------


def _cells(boards: int, variants: Sequence[str]) -> list[_Cell]:
    return [
        _Cell(board, variant, board + number)
        for board in range(boards)
        for number, variant in enumerate(variants)
    ]


def _repeats(size: int, repeat: int | None, seat_orders: SeatOrders) -> int:
    """Return the number of matches of the same players per board and variant."""
    cycle = size if seat_orders == "rotate" else factorial(size)
    if repeat is None:
        return cycle
    return repeat if seat_orders == "rotate" else -(-repeat // cycle) * cycle


def _every_table(
    bots: Sequence[str],
    size: int,
    repeats: int,
    cells: Sequence[_Cell],
    challengers: Collection[int] = (),
) -> Iterator[Pairing]:
    """Yield every table `repeats` times, a board from all seats before the next one begins."""
    orders = _first_orders(len(bots), size)
    tables = [
        tuple(bots[player] for player in orders[table])
        for table in _playing_order(bots, size)
        if not challengers or sum(player in challengers for player in table) == 1
    ]
    for lap in range(0, repeats, size):
        for cell in cells:
            for number in range(lap, min(lap + size, repeats)):
                ranks = turn(size, number, cell.shift)
                for table in tables:
                    players = tuple([table[rank] for rank in ranks])
                    yield Pairing(players, cell.board, cell.variant, number // factorial(size))


def _first_orders(players: int, size: int) -> dict[Block, PlayerOrder]:
    """Map every set of players to the seat order of its first match.

    Sets with the newest player come last, so that later players do not change earlier orders.
    """
    seating = Seating(players, size)
    orders: dict[Block, PlayerOrder] = {}
    for newest in range(size - 1, players):
        tables = [(*others, newest) for others in combinations(range(newest), size - 1)]
        orders.update(zip(tables, seating.orders(tables), strict=True))
    return orders


def _playing_order(bots: Sequence[str], size: int) -> list[Block]:
    if size == 2:
        return rounds(len(bots))
    return spread(list(combinations(range(len(bots)), size)), len(bots))


# -- a wanted number of matches --------------------------------------------------------------------


def _wanted(
    bots: Sequence[str], sizes: Sequence[int], matches: int, cells: Sequence[_Cell], seed: int
) -> list[list[Pairing]]:
    """Return `matches` matches by number of seats: all rotations that fit, the rest searched."""
    played = [0] * len(bots)
    parts = []
    for number, size in enumerate(sizes):
        count = matches // len(sizes) + (number < matches % len(sizes))
        whole, rest = divmod(count, comb(len(bots), size) * size * len(cells))
        part = list(_every_table(bots, size, whole * size, cells)) if whole else []
        if rest:
            if rest > MAX_CHOSEN:
                detail = f"{rest:,} matches are too many to choose; the limit is {MAX_CHOSEN:,}"
                raise ScheduleError("matches", detail)
            chance = Random(derive_seed(seed, "schedule", size, len(bots), rest))  # noqa: S311 - no secret
            blocks = balanced_blocks(len(bots), size, rest, chance)
            tables = spread(_assigned(blocks, played, chance), len(bots))
            part += _seated(bots, tables, cells, part)
        parts.append(part)
    return parts


def _assigned(blocks: list[Block], played: list[int], chance: Random) -> list[Block]:
    """Replace the points of the blocks by bots, and add each bot's matches to `played`.

    The most frequent points go to the bots with the fewest matches; ties are broken at random.
    """
    occurs = Counter(point for block in blocks for point in block)
    lots = [chance.random() for _ in played]
    points = sorted(range(len(played)), key=lambda point: -occurs[point])
    bots = sorted(range(len(played)), key=lambda bot: (played[bot], lots[bot]))
    bot_at = dict(zip(points, bots, strict=True))
    for point, bot in bot_at.items():
        played[bot] += occurs[point]
    return [tuple(sorted(bot_at[point] for point in block)) for block in blocks]


def _seated(
    bots: Sequence[str], tables: Sequence[Block], cells: Sequence[_Cell], before: Sequence[Pairing]
) -> list[Pairing]:
    """Return one match per table with seats as even as possible, counting those of `before`.

    Each cell gets a contiguous part of the tables, since any prefix of them is fair. The cells are
    interleaved.
    """
    orders = Seating(len(bots), len(tables[0])).orders(tables)
    repeats = Counter((earlier.players, earlier.board, earlier.variant) for earlier in before)
    stretches: list[list[Pairing]] = [[] for _ in cells]
    for number, order in enumerate(orders):
        place = number * len(cells) // len(orders)
        cell = cells[place]
        same = (tuple([bots[player] for player in order]), cell.board, cell.variant)
        stretches[place].append(Pairing(*same, repeats[same]))
        repeats[same] += 1
    return list(side_by_side([stretch for stretch in stretches if stretch]))


# -- both ------------------------------------------------------------------------------------------


def side_by_side(parts: Sequence[Sequence[Pairing]]) -> tuple[Pairing, ...]:
    """Interleave the parts, each spread evenly over the whole."""
    if len(parts) == 1:
        return tuple(parts[0])
    placed = [
        ((number + 0.5) / len(part), pairing)
        for part in parts
        for number, pairing in enumerate(part)
    ]
    return tuple(pairing for _, pairing in sorted(placed, key=itemgetter(0)))


def _sizes(seats: Sequence[int], bots: int) -> list[int]:
    """Return the numbers of seats in increasing order, or raise ScheduleError."""
    sizes = sorted(seats)
    if sizes[0] < 2:
        raise ScheduleError("seats", f"{list(seats)} must be 2 or more")
    if bots < sizes[-1]:
        raise ScheduleError(
            "bots", f"a match of {sizes[-1]} seats needs {sizes[-1]} bots, not {bots}"
        )
    return sizes


def _check(bots: Sequence[str], variants: Sequence[str]) -> None:
    """Raise ScheduleError for names that would give two matches the same key."""
    for option, names in (("bots", bots), ("variants", variants)):
        if not names:
            raise ScheduleError(option, f"{option} must not be empty")
        if len(set(names)) < len(names):
            raise ScheduleError(option, "a name occurs twice")
        if any("/" in name or "," in name for name in names):
            raise ScheduleError(option, "a name contains a comma or a slash")


def _at_most(option: str, matches: int, hint: str = "") -> None:
    if matches > MAX_MATCHES:
        raise ScheduleError(
            option, f"the schedule would have {matches:,} matches, more than {MAX_MATCHES:,}{hint}"
        )
