"""Bots taken over from the standings of an earlier event: `bots: {from: EVENT, top: 4}`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from arena.config.model import MAX_BOTS
from arena.errors import ArenaError
from arena.reading.checking import KeyFault
from arena.reading.source import Loc
from protocol.wording import did_you_mean, quoted, value_text

Qualify = Callable[[str, int], Sequence[Mapping[str, Any]]]
"""Returns the entries of the best bots of an event, by its name or number."""
KEYS = ("from", "top")


def is_reference(entry: object) -> bool:
    """Whether an entry of `bots` names another event."""
    return isinstance(entry, Mapping) and "from" in entry


def with_qualifiers(
    values: dict[str, Any], qualify: Qualify | None
) -> tuple[dict[str, Any], list[Loc], list[KeyFault]]:
    """Return the values with all bots, the place of each bot in the file, and faults."""
    bots = values.get("bots")
    is_single = is_reference(bots)
    entries = (bots,) if is_single else bots if isinstance(bots, tuple) else ()
    found: list[Any] = []
    places: list[Loc] = []
    faults: list[KeyFault] = []
    for place, entry in enumerate(entries):
        loc: Loc = ("bots",) if is_single else ("bots", place)
        added: Sequence[Any] = (entry,)
        if is_reference(entry):
            added = ()
            wrong = list(_faults(entry, loc))
            try:
                added = () if wrong else _qualified(entry, qualify)
            except ArenaError as error:
                wrong.append(KeyFault(loc, str(error)))
            faults += wrong
        found += added
        places += [loc] * len(added)
    return ({**values, "bots": tuple(found)} if entries else values), places, faults


def _qualified(entry: Mapping[str, Any], qualify: Qualify | None) -> Sequence[Mapping[str, Any]]:
    if qualify is None:
        raise ArenaError("bots of another event are for `arena tournament`")
    return qualify(str(entry["from"]), entry["top"])


def _faults(entry: Mapping[str, Any], loc: Loc) -> Iterator[KeyFault]:
    for key in entry:
        if key not in KEYS:
            detail = f"unknown key {quoted(str(key))}; {did_you_mean(str(key), KEYS)}"
            yield KeyFault((*loc, key), detail, is_of_key=True)
    event, top = entry["from"], entry.get("top")
    if isinstance(event, bool) or not isinstance(event, str | int):
        detail = f"from must be the name or number of an event, not {value_text(event)}"
        yield KeyFault((*loc, "from"), detail)
    if "top" not in entry:
        yield KeyFault(loc, "top is missing: how many bots of the event to take, like top: 4")
    elif isinstance(top, bool) or not isinstance(top, int) or not 1 <= top <= MAX_BOTS:
        yield KeyFault((*loc, "top"), f"top must be 1 to {MAX_BOTS}, not {value_text(top)}")
