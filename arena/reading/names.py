"""Names of players: what they may be, and when two are the same."""

import unicodedata
from typing import Final

from referee.options import quoted

MAX_BOT_NAME: Final = 40


def name_objection(name: str) -> str | None:
    """Return why a bot cannot be called this, since names stand in match keys and file names."""
    if not 1 <= len(name) <= MAX_BOT_NAME:
        return f"must have 1 to {MAX_BOT_NAME} characters, not {len(name)}"
    if bad := [character for character in name if character in "/\\,#"]:
        return f"must not contain {quoted(bad[0])}"
    if not name.isprintable():
        return f"must be printable, not {quoted(name)}"
    if name.startswith((".", " ")) or name.endswith(" "):
        return "must not begin with a dot or a blank, nor end with a blank"
    return None


def folded(name: str) -> str:
    """Return a name as it is compared: without case and in one Unicode form."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
