"""Names of players: their allowed characters, and equality of names."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final

from protocol.wording import quoted

MAX_BOT_NAME: Final = 40
_SIGNS: Final = " ._-+@()"
_UNSEEN: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
    + "".join(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
)
"""Invisible letters and marks: with them two names could look the same."""
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
_ALIKE: Final = frozenset({"ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GREEK", "LATIN", "LISU"})
"""Scripts with letters that look the same."""
_NUMBER: Final = re.compile(r"(\d+)")
_MAX_MARKS: Final = 2


def one_form(name: str) -> str:
    """Return a name in the one form of all names: composed letters, and single spaces.

    macOS writes the names of files with separate accents, and pages show two spaces as one.
    """
    return re.sub(" {2,}", " ", unicodedata.normalize("NFC", name))


def name_objection(name: str) -> str | None:
    """Return the objection to a name in keys of matches, files and cells of tables, or None."""
    if not 1 <= len(name) <= MAX_BOT_NAME:
        return f"must have 1 to {MAX_BOT_NAME} characters, not {len(name)}"
    if all(map(_is_allowed, name)) and name[0].isalnum() and not name.endswith(" "):
        return _objection_to_looks(name)
    signs = " ".join(_SIGNS.strip())
    return (
        f"must consist of letters, digits, spaces and {signs}, begin with a letter or a digit and"
        f" not end with a space, not {quoted(name)}"
    )


def allowed_name(name: str) -> str:
    """Return a name without the characters that no name may have, or a hash if none is left."""
    name = one_form(name)
    if name_objection(name) is None:
        return name
    kept = one_form("".join(filter(_is_allowed, name))).lstrip(_SIGNS)[:MAX_BOT_NAME].rstrip()
    if name_objection(kept) is None:
        return kept
    return f"bot-{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"


def hashed_name(name: str, text: str) -> str:
    """Return a name with the hash of a text at its end, so that it differs from others."""
    digest = hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:8]
    return f"{name[: MAX_BOT_NAME - 1 - len(digest)]}-{digest}"


def _objection_to_looks(name: str) -> str | None:
    """Return why a name could make people misread a table, or None."""
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in name):
        return (
            "must be written from left to right, or a line of numbers would be shown in reverse,"
            f" not {quoted(name)}"
        )
    if len(_ALIKE & {unicodedata.name(character, "").split(" ")[0] for character in name}) > 1:
        return f"must not mix scripts with letters that look alike, as {quoted(name)}"
    categories = "".join(unicodedata.category(character)[0] for character in name)
    if "M" * (_MAX_MARKS + 1) in categories:
        return f"must have {_MAX_MARKS} marks at most on a letter"
    return None


def _is_allowed(character: str) -> bool:
    if character in _SIGNS:
        return True
    return unicodedata.category(character)[0] in "LMN" and character not in _UNSEEN


def casefolded(name: str) -> str:
    """Return a name for comparison: case-folded and in one Unicode form."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def in_order(name: str) -> list[str | int]:
    """Return the key to sort names by as people look them up: ann, Bob, Student 2, Student 10."""
    return [int(part) if part.isdecimal() else part for part in _NUMBER.split(casefolded(name))]


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names; repeated ones get a number."""
    total = Counter(map(casefolded, names))
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        key = casefolded(name)
        seen[key] += 1
        suffix = f"-{seen[key]}" if total[key] > 1 else ""
        found.append(f"{name[: MAX_BOT_NAME - len(suffix)]}{suffix}")
    return found
