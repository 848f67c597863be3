"""Matches that repeat an earlier match of their event move by move.

Two deterministic bots play the same match again whenever they start from the same position in the
same seats. A repeated match says nothing new about their strength, but counts in the ratings.
"""

import json
from collections import Counter, defaultdict
from contextlib import suppress
from functools import cache

from arena.errors import StoreError
from arena.results.store import EventRow, Store
from arena.text import plural

LEAST_PLIES = 10
"""Minimum number of plies: random players may repeat a shorter match."""
MOST = 100
"""Limit of matches to compare: to read a record takes as long as to store it."""
_DAMAGED = (StoreError, LookupError, TypeError, ValueError, AttributeError, RecursionError)
_ALIKE = """
    SELECT id FROM (
        SELECT id, players, count(*) OVER (PARTITION BY players, plies, reason, variant) AS times
        FROM (
            SELECT id, plies, reason, variant,
                (SELECT group_concat(player, char(10)) FROM
                    (SELECT player FROM seat WHERE match = match.id ORDER BY seat)) AS players
            FROM match
            WHERE event = ?1 AND aside = 0 AND plies >= ?2
                AND NOT EXISTS (SELECT 1 FROM seat WHERE match = match.id AND fault IS NOT NULL)
        ) WHERE instr(players, char(10))
    ) WHERE times > 1 LIMIT ?3
"""
"""Matches without a fault whose players by seat, length and end are those of another match."""


def repeats_text(store: Store, event: EventRow) -> str:
    """Return the number of repeated matches and how to avoid them; empty without any."""
    ids = [number for (number,) in store.database.rows(_ALIKE, (event.id, LEAST_PLIES, MOST))]
    if not (repeats := _repeats(store, ids)):
        return ""
    least = "at least " if len(ids) == MOST else ""
    verb = "repeats" if repeats == 1 else "repeat"
    said = (
        f"{least}{plural(repeats, 'match')} {verb} an earlier one move by move, without new"
        " information:\nthe errors of Elo are larger than shown."
    )
    if event.config.get("openings"):
        return said
    return (
        f"{said}\nOpenings make matches differ: arena match ... --openings 4,"
        "\nor openings: {random_plies: 4} in a config."
    )


def _repeats(store: Store, ids: list[int]) -> int:
    """Return how many of the matches have the start and the moves of another one before them."""
    boards: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for number in ids:
        with suppress(*_DAMAGED):  # a damaged record repeats nothing
            record = store.record_fields(number)
            players = [player["name"] for player in record["players"]]
            moves = record["calls"].get("notation", [])
            options = json.dumps(record["options"], sort_keys=True)
            course = json.dumps([players, record["history"], moves])
            boards[record["game"], options, course][record["board_seed"]] += 1
    return sum(_repeated(game, options, seeds) for (game, options, _), seeds in boards.items())


def _repeated(game: str, options: str, boards: Counter[str]) -> int:
    """Return how many matches with the same moves are repeats, from their number on each board."""
    do_boards_differ = len(boards) > 1 and _draws_boards(game, options)
    return boards.total() - (len(boards) if do_boards_differ else 1)


@cache
def _draws_boards(game: str, options: str) -> bool:
    """Whether the game's start depends on its seed; True if the game is not installed."""
    from arena.schedule.openings import draws_boards  # loads the rules of the game
    from referee.options import make_game

    try:
        return draws_boards(make_game(game, json.loads(options)))
    except Exception:  # noqa: BLE001 - a game of another package
        return True
