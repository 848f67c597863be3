"""Matches that repeat an earlier match of their event move by move.

Two deterministic bots play the same match again whenever they start from the same position in the
same seats. A repeated match says nothing new about their strength, but counts in the ratings; their
errors allow for this where the matches have the same opening.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from arena.errors import StoreError
from arena.results.queries import start_of
from arena.results.store import EventRow, Store
from arena.text import plural

LEAST_PLIES = 10
"""Minimum number of plies: random players may repeat a shorter match."""
COMPARED_MATCHES = 100
"""Limit of matches to compare: to read a record takes as long as to store it."""
_DAMAGED = (StoreError, LookupError, TypeError, ValueError, AttributeError, RecursionError)
_ALIKE = """
    SELECT id, board FROM (
        SELECT id, board, players,
            count(*) OVER (PARTITION BY players, plies, reason, variant) AS times
        FROM (
            SELECT id, board, plies, reason, variant,
                (SELECT group_concat(player, char(10)) FROM
                    (SELECT player FROM seat WHERE match = match.id ORDER BY seat)) AS players
            FROM match
            WHERE event = ?1 AND aside = 0 AND plies >= ?2
                AND NOT EXISTS (SELECT 1 FROM seat WHERE match = match.id AND fault IS NOT NULL)
        ) WHERE instr(players, char(10))
    ) WHERE times > 1 LIMIT ?3
"""
"""Matches without a fault whose players by seat, length and end are those of another match."""
_BOARDS = "SELECT DISTINCT board FROM match WHERE event = ? AND aside = 0"


def repeats_text(store: Store, event: EventRow) -> str:
    """Return the number of repeated matches and how to avoid them; empty without any."""
    alike = list(store.database.rows(_ALIKE, (event.id, LEAST_PLIES, COMPARED_MATCHES)))
    groups = [group for group in _groups(store, alike) if len(group) > 1]
    if not groups:
        return ""
    repeats = sum(map(len, groups)) - len(groups)
    least = "at least " if len(alike) == COMPARED_MATCHES else ""
    verb = "repeats" if repeats == 1 else "repeat"
    errors = "allow for this" if _do_errors_hold(store, event, groups) else "are larger than shown"
    said = (
        f"{least}{plural(repeats, 'match')} {verb} an earlier one move by move, without new"
        f" information:\nthe errors of Elo {errors}."
    )
    if event.config.get("openings"):
        return said
    return (
        f"{said}\nOpenings make matches differ: arena match ... --openings 4,"
        "\nor openings: {random_plies: 4} in a config."
    )


def _do_errors_hold(store: Store, event: EventRow, groups: list[list[int]]) -> bool:
    """Whether the errors take the repeats as dependent, because they have the same opening.

    The test of a gate takes all pairs of matches as independent.
    """
    starts = {start_of(event, board) for (board,) in store.database.rows(_BOARDS, (event.id,))}
    is_gate = event.config.get("format") in ("gate", "tune")
    are_apart = any(len({start_of(event, board) for board in group}) > 1 for group in groups)
    return len(starts) > 1 and not are_apart and not is_gate


def _groups(store: Store, alike: list[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield the boards of matches that have the same start and the same moves."""
    courses: defaultdict[tuple[str, str, str], defaultdict[str, list[int]]]
    courses = defaultdict(lambda: defaultdict(list))
    for number, board in alike:
        with suppress(*_DAMAGED):  # a damaged record repeats nothing
            record = store.record_fields(number)
            players = [player["name"] for player in record["players"]]
            moves = record["calls"].get("notation")
            options = json.dumps(record["options"], sort_keys=True)
            course = json.dumps([players, record["history"], moves])
            courses[record["game"], options, course][record["board_seed"]].append(board)
    for (game, options, _), boards in courses.items():
        if len(boards) > 1 and _draws_boards(game, options):
            yield from boards.values()
        else:
            yield [board for group in boards.values() for board in group]


@cache
def _draws_boards(game: str, options: str) -> bool:
    """Whether the game's start depends on its seed; True if the game is not installed."""
    from arena.schedule.openings import draws_boards  # loads the rules of the game
    from referee.options import make_game

    try:
        return draws_boards(make_game(game, json.loads(options)))
    except Exception:  # noqa: BLE001 - a game of another package
        return True
