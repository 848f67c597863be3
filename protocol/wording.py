"""Text of strangers in messages: escaped, quoted, cut short, and put in words.

Bots, their authors and configs choose names, values and output. Such text must not move a cursor,
turn the reading direction, or end a line: every unprintable character is escaped.
"""

import difflib
import json
import math
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal

MAX_SHOWN = 60
"""Limit of a wrong value in an error, in characters."""


def escaped(text: str, keep: str = "") -> str:
    """Return the text with its unprintable characters, except `keep`, as escapes."""
    if text.isprintable():
        return text
    # a list of all characters would take 80 times the memory of a long text
    wrong = [c for c in set(text) if not c.isprintable() and c not in keep]
    return text.translate({ord(c): _escape(c) for c in wrong})


def visible(text: str) -> str:
    """Return lines of text with escapes, tabs as spaces and line ends kept."""
    return escaped(text.replace("\r\n", "\n").replace("\t", "    "), keep="\n")


def aligned(text: str) -> str:
    """Return the text with a placeholder for each unprintable character, to keep columns."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def quoted(text: str) -> str:
    """Return a text in double quotes with everything a terminal could act on escaped."""
    inner = escaped(text.replace("\\", r"\\").replace('"', r"\""))
    return f'"{inner}"'


def shown(value: object, most: int = 60) -> str:
    """Return a peer's value for people to read: escaped, on one line, cut short."""
    try:
        text = repr(value)
    except RecursionError:  # nested as deeply as a decoder allows, for example in a wrong key
        text = value_text(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def shown_json(value: object, most: int = 200) -> str:
    """Return a value of the wire as JSON, which authors in all languages know, cut short."""
    text = json.dumps(value, default=repr)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def value_text(value: object) -> str:
    """Return a wrong value as short text; its kind if the kind is wrong."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "infinity"
    if isinstance(value, int | float | Decimal):
        return _cut(str(value) if abs(value) < 10**MAX_SHOWN else "a huge number")
    if isinstance(value, str):
        return f"the text {_cut(quoted(value))}"
    return "a map" if isinstance(value, Mapping) else "a list"


def did_you_mean(wrong: str, known: Collection[str]) -> str:
    """Return the hint of the known name nearest to a wrong one, or of all of them."""
    if nearest := nearest_name(wrong, known):
        return f'did you mean "{nearest}"?'
    return f"known: {', '.join(known)}" if known else "none exist"


def nearest_name(wrong: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like a wrong one, whatever their letters' case.

    Of names that are about as near, the one with the same letters in another order is meant.
    """
    folded: dict[str, str] = {}
    for name in known:
        folded.setdefault(name.casefold(), name)
    typed = wrong.casefold()
    near = difflib.get_close_matches(typed, folded)
    same_letters = [name for name in near if sorted(name) == sorted(typed)]
    return folded[(same_letters or near)[0]] if near else None


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
