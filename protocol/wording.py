"""Text of strangers in messages: escaped, quoted, cut short, and put in words.

Bots, their authors and configs choose names, values and output. Such text must not move a cursor,
turn the reading direction, or end a line: every unprintable character is escaped.
"""

import difflib
import math
import shlex
import sys
from collections.abc import Collection, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

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
    text = repr(value)
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
    if nearest := difflib.get_close_matches(wrong, known, n=1):
        return f'did you mean "{nearest[0]}"?'
    return f"known: {', '.join(known)}" if known else "none exist"


def explain(fault: "ErrorDetails") -> str:
    """Return the expected and the actual value as a sentence, like "must be true or false"."""
    context = fault.get("ctx", {})
    if fault["type"] in _CUSTOM:
        return fault["msg"].removeprefix("Value error, ")
    if sentence := _SENTENCES.get(fault["type"]):
        return sentence.format(**context)
    wanted = _WANTED.get(fault["type"])
    if wanted is None:
        return f"{fault['msg'][0].lower()}{fault['msg'][1:]}, not {value_text(fault['input'])}"
    words = {key: _in_words(value) for key, value in context.items()}
    return f"must be {wanted.format(**words)}, not {value_text(fault['input'])}"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."


def _in_words(value: object) -> object:
    if isinstance(value, float):
        return f"{value:g}"
    # pydantic writes 'a', 'b' or 'c'; everything here quotes with double quotes
    return value.replace("'", '"') if isinstance(value, str) else value


_CUSTOM = frozenset({"option", "wrong", "value_error", "assertion_error"})
_SENTENCES = {
    "missing": "is missing",
    "too_short": "must have {min_length} or more items",
    "too_long": "must have {max_length} or fewer items",
}
_WANTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "text",
    "none_required": "left out",
    "tuple_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
    "literal_error": "{expected}",
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "{le} or less",
    "less_than": "less than {lt}",
    "multiple_of": "a multiple of {multiple_of}",
    "string_too_short": "{min_length} characters or more",
    "string_too_long": "{max_length} characters or fewer",
}


def install_command(extra: str) -> str:
    """Return the command to install an extra of Arena for this Python."""
    root = Path(__file__).resolve().parents[1]
    python = shlex.quote(sys.executable)
    if (root / "pyproject.toml").is_file():  # a checkout
        return f"{python} -m pip install -e {shlex.quote(f'{root}[{extra}]')}"
    return f"{python} -m pip install 'bot-arena[{extra}]'"
