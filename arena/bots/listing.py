"""The summaries of the shipped bots, read without pydantic's models, which take long to load."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from arena.bots.shipped import MAX_MANIFEST_BYTES, shipped_bots
from arena.errors import ConfigError
from arena.reading.source import read_strange_source
from arena.text import columns, folded, table

MAX_TEXT = 200
"""Limit of the characters of a summary, a language or the name of a game."""


class Summary(NamedTuple):
    """The keys of a bot.yaml that a list shows."""

    summary: str = ""
    language: str | None = None
    games: tuple[str, ...] | None = None
    """Games of the bot; None is every game."""


def summaries() -> dict[str, Summary]:
    """Return the summaries of the shipped bots by name; raises ConfigError for an invalid key."""
    return {name: _quick(path) or _checked(path) for name, path in shipped_bots().items()}


def listed(about: Mapping[str, Summary], width: int | None) -> str:
    """Return a table of bots; two lines for each where the table is too wide."""
    rows = [
        [name, each.language or "", ", ".join(each.games or ("every game",)), each.summary]
        for name, each in about.items()
    ]
    lines = table(["bot", "language", "plays", ""], rows, left=4)
    if width is None or max(map(columns, lines.splitlines())) <= width:
        return lines
    pairs = (
        f"{name}: {f'{language}, ' * bool(language)}{games}\n    {summary}".rstrip()
        for name, language, games, summary in rows
    )
    return folded("\n".join(pairs), width)


def _quick(path: Path) -> Summary | None:
    """Return the summary of a usual bot.yaml; None if the checks have to look at it."""
    try:
        source = read_strange_source(path, str(path), MAX_MANIFEST_BYTES)
    except ConfigError:
        return None
    values = source.values()
    found = Summary(**{key: values[key] for key in Summary._fields if key in values})
    is_usual = not source.problems and isinstance(found.games or (), tuple)
    texts = [found.summary, found.language or "", *(found.games or ())] if is_usual else [None]
    return found if all(map(_is_line, texts)) else None


def _is_line(text: object) -> bool:
    return isinstance(text, str) and text.isprintable() and len(text) <= MAX_TEXT


def _checked(path: Path) -> Summary:
    from arena.bots.manifest import read_manifest  # slow: it loads the checks

    manifest = read_manifest(path)
    return Summary(manifest.summary, manifest.language, manifest.games)
