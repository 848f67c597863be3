"""The policy for changes of a config between runs of one event.

The way an event is played on this machine may change, and an event may grow. Any other change
concerns finished matches and needs an update of the event (arena/event/resume/update.py).
"""

from collections.abc import Callable, Iterator, Mapping
from math import factorial
from operator import le
from typing import Any, Final

from arena.config.event import Event
from arena.config.model import OMITTED_IF_UNSET, BotSection, OwnTimeSection, own_time_text
from arena.reading.choices import FORMATS_BY_RESULTS
from arena.text import config_value
from referee.seeds import is_guessable

MAX_SHOWN = 100
"""Limit of characters of a list in a message."""
OPENINGS = 10
"""Number of openings of a file that tell events apart; every gate has as many pairs."""
_FREE: Final = frozenset(
    {
        "slots",
        "cluster",
        "pin",
        "isolation",
        "installations",
        "build_network",
        "transport",
        "bonus",
        "anchor",
        "broken",
        "folder",
        "kits",
        "is_closed",
        "own",
    }
    # the contents decide, not their paths
    | {"openings.file", "openings.plies", "openings.start", "openings.balanced_by"}
    | {"runner.run", "runner.time", "runner.output", "limits.output"}
)
"""Keys that may change."""
_OF_LATER_MATCHES: Final = frozenset(
    {"time", "limits", "withdraw_after", "absence", "cores", "restart", "certainty"}
)
"""First parts of the keys whose change leaves finished matches comparable."""
_SHOWN_AS: Final = {
    "opening_lines": "openings.file",
    "balancer_version": "openings.balanced_by",
    "shard": "gate.shard",
}


def conflicts(old: Event, new: Event) -> list[str]:
    """Return the changes that forbid resuming, as lines like "time.per_move: 2s -> 1s"."""
    return [*_bot_conflicts(old, new), *term_changes(old, new).values()]


def term_changes(old: Event, new: Event) -> dict[str, str]:
    """Return the lines of `conflicts` that concern no bot, by dotted key."""
    lines = {}
    before, after = _values(old), _values(new)
    for key in [*before, *(key for key in after if key not in before)]:
        was, now = before.get(key), after.get(key)
        if was != now and not (key in _GROWING and _GROWING[key](old, new)):
            lines[key] = f"{_SHOWN_AS.get(key, key)}: {_shown_term(key, was)} -> {_shown(now)}"
    return lines


def kit_change(old: Event, new: Event, name: str) -> str:
    """Return in words that Arena's files in a bot have changed; empty if they have not."""
    before, after = old.kits.get(name, {}), new.kits.get(name, {})
    is_other = any(after.get(file, digest) != digest for file, digest in before.items())
    return ", with Arena's own files in it (kit, bridge)" if is_other else ""


def is_limit(key: str) -> bool:
    """Whether a changed key holds for the missing matches only, and finished ones still count."""
    return key.partition(".")[0] in _OF_LATER_MATCHES


def has_raised_limits(old: Event, new: Event) -> bool:
    """Whether a limit is larger or gone: of time, of resources, or of faults in a row."""
    pairs = [
        (getattr(before, key), getattr(after, key))
        for section, before, after in (
            ("time", old.time, new.time),
            ("limits", old.limits, new.limits),
        )
        for key in type(before).model_fields
        # the omitted ones are a part of `moves_ns`
        if key not in OMITTED_IF_UNSET and f"{section}.{key}" not in _FREE
    ]
    pairs.append((old.withdraw_after or None, new.withdraw_after or None))
    pairs.append((old.time.control().moves_ns, new.time.control().moves_ns))
    return any(
        isinstance(was, int)
        and not isinstance(was, bool)
        and (now is None or (isinstance(now, int) and now > was))
        for was, now in pairs
    )


def lasting(event: Event) -> dict[str, Any]:
    """Return the values that cannot change during an event, without names; to be hashed."""
    free = {"name", "gate.cap", "gate.max_faults", "gate.exact_clock"}
    values = {key: value for key, value in _values(event).items() if key not in free}
    odds = [bot.time and own_time_text(bot.time) for bot in event.bots]
    if any(odds):
        values["bots.time"] = odds
    # a gate with a larger cap takes more openings of a book after these
    return values | {"opening_lines": values["opening_lines"][:OPENINGS]}


def can_grow(event: Event) -> bool:
    """Whether more bots, repeats and boards only add matches.

    With `matches` any addition redistributes all of them; in a Swiss tournament and a knockout
    everything depends on the players of the first round.
    """
    if event.format == "ladder":
        return True
    return event.matches is None and event.format not in FORMATS_BY_RESULTS


def _values(event: Event) -> dict[str, Any]:
    """Return the values that may not simply change, by dotted keys like "time.per_move"."""
    # events were stored without these keys before: their hashes stay valid
    absent = {key for key in ("tune", "adjudicate") if getattr(event, key) is None}
    form = event.model_dump(mode="json", exclude={"bots", *absent})
    if event.restart == "auto":
        form["restart"] = "match"  # the default of these events, whose matches count on
    return {
        key: value
        for key, value in _leaves(form, "")
        if key not in _FREE and key.partition(".")[0] not in _FREE
    }


def _leaves(form: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in form.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


# -- changes that only add matches -----------------------------------------------------------------


def _has_more_repeats(old: Event, new: Event) -> bool:
    before, after = _repeats(old), _repeats(new)
    is_fixed = can_grow(old) and old.format != "ladder"
    return is_fixed and len(before) == len(after) and all(map(le, before, after))


def _repeats(event: Event) -> list[int]:
    """Return the matches of the same players on a board, for each number of seats."""
    is_all = event.seat_orders == "all"
    return [event.repeat or (factorial(size) if is_all else size) for size in event.seats]


def _has_more_matches(old: Event, new: Event) -> bool:
    return _are_ladders(old, new) and bool(
        old.matches and new.matches and old.matches < new.matches
    )


def _are_ladders(old: Event, new: Event) -> bool:
    """Whether both are ladders, which may last longer: their stages so far stay the same."""
    return old.format == new.format == "ladder"


def _has_more_openings(old: Event, new: Event) -> bool:
    """Whether the file has more openings at its end; a ladder has used up its own by then."""
    lines = old.opening_lines
    is_longer = bool(lines) and new.opening_lines[: len(lines)] == lines
    return is_longer and old.format != "ladder"


_GROWING: Final[Mapping[str, Callable[[Event, Event], bool]]] = {
    "boards": lambda old, new: can_grow(old) and old.boards < new.boards,
    "repeat": _has_more_repeats,
    "matches": _has_more_matches,
    "certainty": lambda old, new: _are_ladders(old, new) and old.certainty < new.certainty,
    "gate.cap": lambda old, new: bool(old.gate and new.gate and old.gate.pairs < new.gate.pairs),
    "gate.max_faults": lambda old, new: bool(
        old.gate and new.gate and old.gate.max_faults < new.gate.max_faults
    ),
    "gate.exact_clock": lambda *_: True,
    "opening_lines": _has_more_openings,
    "seed": lambda _, new: new.seed is None,  # it is left to the event, where it was drawn
}
"""The policy for keys that may change under a condition."""


# -- bots ------------------------------------------------------------------------------------------


def _bot_conflicts(before: Event, after: Event) -> list[str]:
    """Compare players by name and terms; the contents of bots are compared by hash elsewhere."""
    old = {str(bot.name): bot for bot in before.bots}
    new = {str(bot.name): bot for bot in after.bots}
    lines = [f"bots: {name} is gone" for name in old if name not in new]
    for name in (name for name in old if name in new):
        lines += _term_conflicts(old[name], new[name])
    if not lines and list(new)[: len(old)] != list(old):
        lines.append(f"bots: {', '.join(old)} -> {', '.join(new)} (new ones go to the end)")
    if not can_grow(before):
        lines += [f"bots: {name} is new" for name in new if name not in old]
    return lines


def _term_conflicts(old: BotSection, new: BotSection) -> Iterator[str]:
    for key in ("args", "scratch", "time"):
        was, now = getattr(old, key), getattr(new, key)
        if was != now:
            yield f"bots.{old.name}.{key}: {_shown(was)} -> {_shown(now)}"


def _shown_term(key: str, value: Any) -> str:
    """Return a value of a begun event as text, without a seed that is secret."""
    is_secret = key == "seed" and isinstance(value, int) and not is_guessable(value)
    return "a random one" if is_secret else _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, OwnTimeSection):
        value = own_time_text(value) or None
    if value is None:
        return "absent"
    if not isinstance(value, list | tuple):
        return config_value(value)
    text = " ".join(map(str, value)) or "none"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}... ({len(value)} of them)"
