"""Bots of different teams that play alike move by move, and the sources of bots for other tools.

Both matches of a pair begin in the same position, with the seats changed. As long as all moves so
far are equal, one bot has a position in the first match that the other has in the second: each
such move is a comparison. A bot and its copy agree to the end of both matches.
"""

import shutil
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, UsageError
from arena.league.files import place
from arena.league.folder import League
from arena.league.handed_in import PYTHON, handed_in
from arena.league.seasons.deadlines import season_now
from arena.league.site.models import Bot
from arena.results.store import Store
from referee.errors import UNCHECKED
from referee.records.record import Record
from referee.sandbox import private_directory

MOST_UNITS = 20
"""Pairs of matches of two bots that are read, the latest ones."""
LEAST = 20
"""Comparisons without which two bots are not listed."""
Move = tuple[Any, Any]
"""Seat and move, as on the wire."""


@dataclass(frozen=True)
class Alike:
    """How often two bots have moved alike in the same position."""

    one: str
    other: str
    same: int
    compared: int
    has_same_files: bool = False

    @property
    def part(self) -> float:
        """Part of the comparisons in which they moved alike."""
        return self.same / self.compared if self.compared else 0.0


def alike(store: Store | None, event: int, most: int | None = None) -> list[Alike]:
    """Return the pairs of bots of different teams, the most alike first.

    `most` limits the matches that are looked at, the latest ones of all.
    """
    bots = list(Bot.objects.exclude(team=None).exclude(active=None).select_related("active"))
    owners = {bot.active.player: bot for bot in bots}
    units = {} if store is None else _units(store, event, owners, most)
    found = []
    for one, other in combinations(sorted(owners), 2):
        mine, its = owners[one], owners[other]
        if mine.team_id == its.team_id:
            continue
        counts = [_compared(store, *unit) for unit in units.get((one, other), ()) if store]
        same, compared = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
        has_same_files = mine.active.tree == its.active.tree
        if has_same_files or compared >= LEAST:
            found.append(Alike(mine.name, its.name, same, compared, has_same_files))
    return sorted(found, key=lambda each: (not each.has_same_files, -each.part, each.one))


def alike_in(league: League, most: int | None = None) -> list[Alike]:
    """Return the same from the matches of a league's season."""
    season = season_now()
    with league.matches() as store:
        event = None if season is None or store is None else store.latest_event(season.name)
        return alike(None if event is None else store, 0 if event is None else event.id, most)


def alike_text(found: Sequence[Alike]) -> list[str]:
    """Return the list for people, with what is usual in this league."""
    if not found:
        return [f"no two bots of different teams have been compared in {LEAST} positions yet"]
    usual = statistics.median(each.part for each in found)
    lines = [
        f"{each.one} and {each.other}: {'the same files; ' if each.has_same_files else ''}"
        f"{each.same} of {each.compared} moves alike in the same position"
        f" ({100 * each.part:.0f} %)"
        for each in found
    ]
    return [*lines, f"the median of these pairs is {100 * usual:.0f} %"]


def _units(
    store: Store, event: int, owners: Mapping[str, Bot], most: int | None
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Return the numbers of both matches of the latest units of each two players."""
    firsts: dict[int, int] = {}
    found: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for number, board, one, other in store.database.rows(
        _MATCHES, (event, -1 if most is None else most)
    ):
        if one not in owners or other not in owners:
            continue
        if (first := firsts.pop(board, None)) is None:
            firsts[board] = number
        elif len(found[min(one, other), max(one, other)]) < MOST_UNITS:
            found[min(one, other), max(one, other)].append((first, number))
    return found


_MATCHES = (
    "SELECT match.id, match.board, one.player, other.player FROM match"
    " JOIN seat one ON one.match = match.id AND one.seat = 0"
    " JOIN seat other ON other.match = match.id AND other.seat = 1"
    " WHERE match.event = ? AND match.aside = 0 ORDER BY match.id DESC LIMIT ?"
)


def _compared(store: Store, first: int, second: int) -> tuple[int, int]:
    """Return the number of equal moves of a unit, and of comparisons."""
    try:
        return compared(store.record(first), store.record(second))
    except (ArenaError, *UNCHECKED):  # its record is gone or damaged
        return 0, 0


def compared(one: Record, other: Record) -> tuple[int, int]:
    """Return the number of equal moves from the begin, and of comparisons."""
    same = 0
    for mine, its in zip(_moves(one), _moves(other), strict=False):
        if mine != its:
            return same, same + 1
        same += mine[0] is not None  # a draw of the game is nobody's move
    return same, same


def _moves(record: Record) -> Iterator[Move]:
    return ((call.seat, call.move) for call in record.calls if call.move is not None)


def write_sources(league: League, target: Path) -> int:
    """Write the files of each bot into a folder of its own; raises UsageError, BotError.

    This is the form that JPlag, Dolos and Moss read: a folder a submission.
    """
    if target.exists():
        raise UsageError(f"{target} exists; give a new folder")
    bots = Bot.objects.exclude(team=None).exclude(active=None).filter(is_remote=False)
    bots = bots.select_related("active")
    target.mkdir(mode=0o700)
    for bot in bots.order_by("name"):
        version = bot.active
        archive = place(league.files, version.digest)
        with private_directory() as made:
            if version.suffix == PYTHON:  # without the kit, which all bots share
                (target / bot.name).mkdir()
                shutil.copyfile(archive, target / bot.name / "main.py")
                continue
            folder = handed_in(archive, version.suffix, bot.name, made).folder
            if folder is not None:
                shutil.copytree(folder, target / bot.name, symlinks=True)
    return len(bots)
