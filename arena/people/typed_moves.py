"""Moves as people type them, brought into a game's own notation.

The game's `parse` decides. Only text that it refuses is changed: numbers and words are kept, and
the characters between them are replaced by the ones of a legal move's notation.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from protocol.wording import escaped
from referee.rules import Game, NotationError

MAX_TYPED = 200
"""Limit of a typed move, in characters."""
SAMPLES = 500
"""Limit of legal moves whose notation is looked at: listing all of them can be slow."""

_DASHES = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212\u2192\u00d7", "------>x")
_PART = re.compile(
    r"(?:(?<![^\s,;:(\[>])[-+])?[0-9]+|(?!(?<=[0-9])[xX][^\W\d_])[^\W\d_]+",
)
"""A number with its sign, or a word.

A dash right behind another part is no sign; an x between a number and a letter is a capture.
"""
_BETWEEN = re.compile(r"[\s,;:.>xX()\[\]-]*")

Form = tuple[tuple[str, ...], tuple[str, ...]]
"""The kinds of the parts of a notation, and the text before each part and after the last."""


def read_move(game: Game[Any, Any], state: Any, typed: str) -> Any:
    """Return the typed move; raises NotationError with the game's own words."""
    text = typed.strip()
    if len(text) > MAX_TYPED:
        raise NotationError(f"a move has at most {MAX_TYPED} characters, not {len(text)}")
    try:
        return game.parse_in(state, text)
    except NotationError as error:
        refusal = NotationError(escaped(str(error)))
    for form in _forms(game, state):
        if (candidate := _written_as(form, text)) is None:
            continue
        for notation in (candidate, candidate.lower()):
            try:
                return game.parse(notation)
            except NotationError:
                continue
    raise refusal


def _forms(game: Game[Any, Any], state: Any) -> Iterator[Form]:
    """Yield each form of notation of the legal moves once."""
    found = set()
    for move in islice(game.legal(state), SAMPLES):
        kinds, _, separators = _split(game.notation(move))
        if (kinds, separators) not in found:
            found.add((kinds, separators))
            yield kinds, separators


def _written_as(form: Form, text: str) -> str | None:
    """Return the parts of a text in this form; None if they differ from it or may mean two things.

    A form may be longer than the text: the notation of some games may be cut short.
    """
    expected, separators = form
    kinds, parts, gaps = _split(text.translate(_DASHES))
    if not parts or kinds != expected[: len(kinds)]:
        return None
    if not all(_BETWEEN.fullmatch(gap) for gap in gaps):
        return None
    for gap, separator in zip(gaps, (*separators[: len(parts)], ""), strict=True):
        if "-" in gap and "-" not in separator:
            return None  # 3-1 may be 3,1 or 3,-1
    return "".join(map("".join, zip(separators, parts, strict=False)))


def _split(text: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the kinds of the parts of a text, the parts, and the text before each and the end."""
    parts, between, end = [], [], 0
    for found in _PART.finditer(text):
        parts.append(found[0].removeprefix("+"))
        between.append(text[end : found.start()])
        end = found.end()
    kinds = tuple("number" if part[-1].isdecimal() else "word" for part in parts)
    return kinds, tuple(parts), (*between, text[end:])
