"""What an event is compared by when it goes on: the canonical form of its config.

Two configs with the same canonical form describe the same event. How it is played on this machine
may change between runs, and an event may grow; all else would make the matches incomparable.
"""

from collections.abc import Mapping, Sequence
from math import factorial
from operator import le
from typing import Any

from arena.config.event_config import Config
from arena.reading.quantities import format_duration, format_size
from referee.options import game_options

_OF_THE_MACHINE = frozenset({"slots", "pin", "isolation", "transport"})
_OF_THE_TABLE = frozenset({"bonus"})


def canonical(config: Config) -> dict[str, Any]:
    """Return all of a config as JSON has it, defaults included, times and sizes with units.

    `seed` is None where the config leaves it to be drawn.
    """
    time, limits, score = config.time, config.limits, config.score
    return {
        "name": config.name,
        "game": {"name": config.game.name, **game_options(config.game)},
        "bots": [
            {
                "name": entrant.name,
                "bot": entrant.reference,
                "args": list(entrant.args),
                "isolation": entrant.isolation,
                "scratch": entrant.scratch,
            }
            for entrant in config.entrants
        ],
        "format": config.format,
        "repeat": config.repeat,
        "boards": config.boards,
        "seats": list(config.seats),
        "seat_orders": config.seat_orders,
        "matches": config.matches,
        "seed": config.seed,
        "claims": config.claims,
        "max_plies": config.max_plies,
        "time": {
            "clock": time.clock,
            "start": format_duration(time.start_ns),
            "init": format_duration(time.init_ns),
            "per_move": format_duration(time.per_move_ns),
            "bank": None if time.bank_ns is None else format_duration(time.bank_ns),
            "display": format_duration(time.display_ns),
            "term": format_duration(time.term_ns),
            "grace": format_duration(time.grace_ns),
            "strikes": time.strikes,
            "ponder": time.ponder,
        },
        "score": {
            name: None if value is None else format(value.normalize(), "f")
            for name, value in vars(score).items()
        },
        "limits": {
            "memory": None if limits.memory_bytes is None else format_size(limits.memory_bytes),
            "processes": limits.processes,
            "files": limits.files,
            "disk": format_size(limits.disk_bytes),
            "scratch": format_size(limits.scratch_bytes),
            "output": format_size(limits.output_bytes),
        },
        "isolation": config.isolation,
        "slots": config.slots,
        "pin": config.pin,
        "cores": config.cores,
        "withdraw_after": config.withdraw_after,
        "restart": config.restart,
        "transport": config.transport,
        "bonus": {name: format(part.normalize(), "f") for name, part in config.bonus.items()},
    }


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return what forbids going on with `old` by the config `new`, a line each; both canonical.

    Lines read "time.per_move: 2s -> 1s". Not in it is what may change: how the event is played on
    this machine, a bonus, and what only adds matches: more bots at the end, repeats and boards.
    """
    lines: list[str] = []
    # a wanted number of matches is shared out anew when anything is added
    is_growing = old["matches"] is None
    for key in [*old, *(key for key in new if key not in old)]:
        before: Any = old.get(key)
        after: Any = new.get(key)
        if key in _OF_THE_MACHINE | _OF_THE_TABLE or (key == "seed" and after is None):
            continue
        if key == "boards" and is_growing and before < after:
            continue
        if key == "repeat" and is_growing and _is_more(_repeats(old), _repeats(new)):
            continue
        if key == "bots":
            lines += _bot_lines(before, after, is_growing=is_growing)
        else:
            lines += _lines(key, before, after)
    return lines


def _repeats(form: Mapping[str, Any]) -> list[int]:
    """Return how often the same players meet on a board, for each number of seats."""
    is_all = form["seat_orders"] == "all"
    return [form["repeat"] or (factorial(size) if is_all else size) for size in form["seats"]]


def _is_more(before: Sequence[int], after: Sequence[int]) -> bool:
    return len(before) == len(after) and all(map(le, before, after))


def _lines(path: str, before: Any, after: Any) -> list[str]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        keys = [*before, *(key for key in after if key not in before)]
        return [
            line
            for key in keys
            for line in _lines(f"{path}.{key}", before.get(key), after.get(key))
        ]
    return [] if before == after else [f"{path}: {_shown(before)} -> {_shown(after)}"]


def _bot_lines(
    before: list[dict[str, Any]], after: list[dict[str, Any]], *, is_growing: bool
) -> list[str]:
    """Compare players by name and terms; what their bots consist of is compared by hash."""
    old = {bot["name"]: _terms(bot) for bot in before}
    new = {bot["name"]: _terms(bot) for bot in after}
    lines = [f"bots: {name} is gone" for name in old if name not in new]
    for name, terms in old.items():
        lines += _lines(f"bots.{name}", terms, new.get(name, terms))
    if not lines and list(new)[: len(old)] != list(old):
        lines.append(f"bots: {', '.join(old)} -> {', '.join(new)} (new ones go to the end)")
    if not is_growing:
        lines += [f"bots: {name} is new" for name in new if name not in old]
    return lines


def _terms(bot: Mapping[str, Any]) -> dict[str, Any]:
    return {"args": bot["args"], "scratch": bot["scratch"]}


def _shown(value: Any) -> str:
    if value is None:
        return "absent"
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)
