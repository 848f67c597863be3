"""What an event is compared by when it goes on: the canonical form of its config.

Two configs with the same canonical form describe the same event. How it is played on this machine
may change between runs, and an event may grow; all else would make the matches incomparable.
"""

from collections.abc import Callable, Mapping
from math import factorial
from operator import le
from typing import Any, Final

from arena.config.event_config import Config
from arena.config.formats import BY_RESULTS
from arena.config.openings import OpeningRule
from arena.reading.quantities import format_duration, format_size
from referee.options import game_options

MAX_SHOWN = 100
"""Characters of a list that are shown."""
_OF_THE_MACHINE = frozenset(
    {"slots", "pin", "isolation", "installations", "build_network", "transport"}
)
_OF_THE_TABLE = frozenset({"bonus"})
_GROWING_GATE = frozenset({"cap", "max_faults"})
"""What lets a gate go on for longer; its question stays the same."""


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
                "share": list(entrant.share),
                "isolation": entrant.isolation,
                "scratch": entrant.scratch,
            }
            for entrant in config.entrants
        ],
        "format": config.format,
        "challengers": None if config.challengers is None else list(config.challengers),
        "rounds": config.rounds,
        "seeding": None if config.seeding is None else list(config.seeding),
        "tie_breaks": config.tie_breaks if config.format == "knockout" else None,
        "certainty": config.certainty if config.format == "ladder" else None,
        "repeat": config.repeat,
        "boards": config.boards,
        "openings": _openings(config.openings),
        "gate": None if config.gate is None else dict(vars(config.gate)),
        "seats": list(config.seats),
        "seat_orders": config.seat_orders,
        "matches": config.matches,
        "seed": config.seed,
        "claims": config.claims,
        "max_plies": config.max_plies,
        "time": {
            "clock": time.clock,
            "start": format_duration(time.start_ns),
            "start_free": format_duration(time.start_free_ns),
            "init": format_duration(time.init_ns),
            "per_move": format_duration(time.per_move_ns),
            "bank": None if time.bank_ns is None else format_duration(time.bank_ns),
            "wall_bank": None if time.wall_bank_ns is None else format_duration(time.wall_bank_ns),
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
        "installations": list(config.installations),
        "build_network": config.build_network,
        "slots": config.slots,
        "pin": config.pin,
        "cores": config.cores,
        "withdraw_after": config.withdraw_after,
        "restart": config.restart,
        "transport": config.transport,
        "bonus": {name: format(part.normalize(), "f") for name, part in config.bonus.items()},
    }


def lasting(config: Config) -> dict[str, Any]:
    """Return what of the canonical form cannot change while the event goes on, without names."""
    form = canonical(config)
    for key in ("name", "bots", *_OF_THE_MACHINE, *_OF_THE_TABLE):
        del form[key]
    if form["gate"]:
        form["gate"] = {key: form["gate"][key] for key in form["gate"].keys() - _GROWING_GATE}
    return form


def _openings(rule: OpeningRule | None) -> dict[str, Any] | None:
    if rule is None:
        return None
    balance = rule.balanced_by
    return {
        "random_plies": rule.random_plies,
        "file": list(rule.lines) or None,
        "balanced_by": f"{balance.name} {rule.balancer}".strip() if balance else None,
    }


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return what forbids going on with `old` by the config `new`, a line each; both canonical.

    Lines read "time.per_move: 2s -> 1s". Not in it is what may change: how the event is played on
    this machine, a bonus, and what only adds matches: more bots at the end, repeats and boards.
    """
    lines: list[str] = []
    for key in [*old, *(key for key in new if key not in old)]:
        before: Any = old.get(key)
        after: Any = new.get(key)
        if key in _OF_THE_MACHINE | _OF_THE_TABLE or (key == "seed" and after is None):
            continue
        if key in _GROWING and _GROWING[key](old, new):
            continue
        if key == "bots":
            lines += _bot_lines(before, after, is_growing=can_grow(old))
        else:
            lines += _lines(key, before, after)
    return lines


def can_grow(form: Mapping[str, Any]) -> bool:
    """Whether matches of more bots, repeats and boards only add to those there are.

    A wanted number of matches is shared out anew when anything is added. In a Swiss tournament and
    a knockout all that follows hangs on who was there at the beginning.
    """
    if form["format"] == "ladder":
        return True
    return form["matches"] is None and form["format"] not in BY_RESULTS


# -- what only adds matches ------------------------------------------------------------------------

_Form = Mapping[str, Any]


def _has_more_boards(old: _Form, new: _Form) -> bool:
    return can_grow(old) and bool(old["boards"] < new["boards"])


def _has_more_repeats(old: _Form, new: _Form) -> bool:
    before, after = _repeats(old), _repeats(new)
    is_fixed = can_grow(old) and old["format"] != "ladder"
    return is_fixed and len(before) == len(after) and all(map(le, before, after))


def _repeats(form: _Form) -> list[int]:
    """Return how often the same players meet on a board, for each number of seats."""
    is_all = form["seat_orders"] == "all"
    return [form["repeat"] or (factorial(size) if is_all else size) for size in form["seats"]]


def _has_more_matches(old: _Form, new: _Form) -> bool:
    """Whether a ladder may go on for longer: its stages so far stay what they were."""
    is_ladder = old["format"] == new["format"] == "ladder"
    return is_ladder and bool(old["matches"] and new["matches"] and old["matches"] < new["matches"])


def _is_surer(old: _Form, new: _Form) -> bool:
    is_ladder = old["format"] == new["format"] == "ladder"
    return is_ladder and bool(old["certainty"] < new["certainty"])


def _is_longer_gate(old: _Form, new: _Form) -> bool:
    """Whether a gate only goes on for longer, or bears more faults; its question is the same."""
    before, after = old.get("gate"), new["gate"]
    if not before or not after:
        return False
    return all(before[key] <= after[key] for key in _GROWING_GATE) and all(
        before[key] == after[key] for key in before.keys() - _GROWING_GATE
    )


def _has_more_openings(old: _Form, new: _Form) -> bool:
    """Whether a file of openings has more at its end; a ladder's have been used up by then."""
    before: Any = (old.get("openings") or {}).get("file")
    after: Any = (new["openings"] or {}).get("file")
    is_same = bool(before and after) and after[: len(before)] == before
    return is_same and old["format"] != "ladder"


_GROWING: Final[Mapping[str, Callable[[_Form, _Form], bool]]] = {
    "boards": _has_more_boards,
    "repeat": _has_more_repeats,
    "matches": _has_more_matches,
    "certainty": _is_surer,
    "gate": _is_longer_gate,
    "openings": _has_more_openings,
}


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
    if not isinstance(value, list):
        return str(value)
    text = " ".join(map(str, value)) or "none"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}... ({len(value)} of them)"
