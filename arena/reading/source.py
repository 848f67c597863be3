"""The YAML of Arena, every key and value with its place in the text.

A plain subset of YAML 1.2, so that nothing means two things: no aliases, tags, directives or second
documents, no duplicate or empty keys; numbers are written plainly (5, -5, 0.25), true and false are
the only booleans, and text that some readers take for a number must be quoted. The text is
bounded in size, in depth and in values, and is refused before anything grows from it.
"""

import os
import re
import stat
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamStartEvent,
)
from ruamel.yaml.reader import ReaderError

from arena.errors import ConfigError, Problem
from arena.reading.decoding import NoTextError, decoded
from arena.reading.safe_open import open_without_links, open_without_waiting
from protocol.wording import quoted

YAML_BYTES = 1024 * 1024
YAML_DEPTH = 32
MAX_VALUES = 20_000
MAX_DIGITS = 39

Loc = tuple[str | int, ...]
"""Place of a value: the keys and list indices on the way to it."""

_PLAIN_INT = re.compile(r"0|-?[1-9][0-9]*")
_PLAIN_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
_NUMBER_TO_SOME = re.compile(
    r"""[-+]?(
        \.?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?
      | 0[xX][0-9a-fA-F_]+ | 0[oO][0-7_]+ | 0[bB][01_]+
      | \.(inf|Inf|INF) )
      | \.(nan|NaN|NAN)""",
    re.VERBOSE,
)
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
"""Characters that only escapes can write and no program accepts: NUL and surrogates."""
_TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_DATABASE = b"SQLite format 3\0"
"""The first bytes of every SQLite database, which is easily given instead of its config."""


@dataclass(slots=True)
class Node:
    """A value in the text. Offsets count characters."""

    value: Any
    start: int
    end: int
    key: tuple[int, int] | None = None
    """Offsets of its key, in a map."""
    is_broken: bool = False
    """Whether a problem has been reported here already."""


@dataclass
class Source:
    """A text and its values. Errors show its `name`."""

    name: str
    text: str
    root: Node | None = None
    problems: list[Problem] = field(default_factory=list)
    _breaks: list[int] = field(default_factory=list)
    _lines: dict[int, str] = field(default_factory=dict)
    """Lines with problems, each stored once: a long line may have thousands."""

    def __post_init__(self) -> None:
        self._breaks = [match.start() for match in re.finditer("\n", self.text)]

    def values(self) -> Any:
        """Return the plain values: text, whole numbers, Decimals, booleans, dicts and tuples."""
        return _plain(self.root) if self.root else {}

    def problem(self, detail: str, loc: Loc = (), *, at_key: bool = False) -> Problem:
        """Return a problem at a value or its key, or at the nearest place."""
        node, is_exact = self._find(loc)
        if node is None:
            return Problem(self.name, detail)
        if (at_key or not is_exact) and node.key:
            return self.place(detail, *node.key)
        if not is_exact and node is self.root:
            return Problem(self.name, detail)
        return self.place(detail, node.start, node.end)

    def place(self, detail: str, start: int, end: int) -> Problem:
        """Return a problem at these offsets of the text, cut at the end of the first line."""
        line = bisect_right(self._breaks, start - 1) if start else 0
        first = self._breaks[line - 1] + 1 if line else 0
        last = self._breaks[line] if line < len(self._breaks) else len(self.text)
        width = max(1, min(end, last) - start)
        text = self._lines.setdefault(line, self.text[first:last])
        return Problem(self.name, detail, line + 1, start - first + 1, text, width)

    def is_broken(self, loc: Loc) -> bool:
        """Whether a problem on the way to this value has been reported."""
        node = self.root
        for part in loc:
            if node is None or node.is_broken:
                break
            node = _child(node, part)
        return node is not None and node.is_broken

    def _find(self, loc: Loc) -> tuple[Node | None, bool]:
        node = self.root
        for part in loc:
            child = _child(node, part) if node else None
            if child is None:
                return node, False
            node = child
        return node, True


def read_source(path: Path, name: str | None = None) -> Source:
    """Read and parse a user's file, or raise ConfigError; problems inside are in the source."""
    shown = name or str(path)
    return parse_source(_read_text(path, shown, YAML_BYTES, open_without_waiting), shown)


def read_strange_source(path: Path, name: str, max_bytes: int) -> Source:
    """Read and parse a stranger's file by its resolved path, as `read_source` does."""
    return parse_source(_read_text(path, name, max_bytes, open_without_links), name)


def parse_source(text: str, name: str) -> Source:
    """Parse a text; a text that cannot be parsed raises ConfigError."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    source = Source(name, plain)
    try:
        _Reader(source).read()
    except ReaderError as error:
        detail = f"the character U+{ord(plain[error.position]):04X} is not allowed in YAML"
        raise ConfigError([source.place(detail, error.position, error.position + 1)]) from None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = min(mark.index, len(plain)) if mark else 0
        line = plain[plain.rfind("\n", 0, offset) + 1 : offset]
        detail = _syntax(error, is_inside=bool(line.strip()))
        raise ConfigError([source.place(detail, offset, offset + 1)]) from None
    except (YAMLError, ValueError, OverflowError) as error:  # the last two of huge numbers
        reason = str(error).partition(";")[0]
        raise ConfigError([Problem(name, f"is not YAML: {reason}")]) from None
    return source


def read_scalar(text: str) -> Any:
    """Return 5, 0.25, true or text as in a file; raises ValueError where readers would differ."""
    if text in _TRUTHS:
        return _TRUTHS[text]
    if len(text) > MAX_DIGITS and _NUMBER_TO_SOME.fullmatch(text):
        raise ValueError(f"a number has at most {MAX_DIGITS} digits; put text in quotes")
    if _PLAIN_INT.fullmatch(text):
        return int(text)
    if _PLAIN_DECIMAL.fullmatch(text):
        return Decimal(text)
    if _NUMBER_TO_SOME.fullmatch(text):
        raise ValueError(
            f"{text} has different meanings in different YAML readers; write numbers plainly, like"
            f' 5 or 0.25, and put text in quotes, "{text}"'
        )
    return text


def _read_text(path: Path, name: str, max_bytes: int, open_file: Callable[[Path], int]) -> str:
    try:
        _check_kind(path.stat().st_mode, name)
        with os.fdopen(open_file(path), "rb") as file:  # another one may stand there now
            _check_kind(os.fstat(file.fileno()).st_mode, name)
            data = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise ConfigError([Problem(name, f"cannot be read: {reason}")]) from None
    if data.startswith(_DATABASE):
        detail = "is an SQLite database, which follows --db; expected a YAML file"
        raise ConfigError([Problem(name, detail)])
    if len(data) > max_bytes:
        size = "1 MiB" if max_bytes == YAML_BYTES else f"{max_bytes >> 10} KiB"
        raise ConfigError([Problem(name, f"is larger than {size}; expected a YAML file")])
    try:
        return decoded(data)
    except NoTextError as error:
        raise ConfigError([Problem(name, str(error))]) from None


def _check_kind(mode: int, name: str) -> None:
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise ConfigError([Problem(name, f"is {kind}; expected a YAML file")])


class _Reader:
    """Builds the nodes of one source from the parser's events."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._values = 0
        self._events: Iterator[Any] = YAML(typ="rt", pure=True).parse(source.text)

    def read(self) -> None:
        documents = 0
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._stop(event, "a second document; a file must be one map")
                if event.version or event.tags:
                    self._stop(event, "directives (lines that begin with %) are not supported")
            elif isinstance(event, StreamStartEvent):
                pass
            elif self._source.root is None and isinstance(event, _CONTENT):
                self._source.root = self._node(event, depth=1)
        self._check_root()

    def _check_root(self) -> None:
        root = self._source.root
        if root is None or root.value is None:
            raise ConfigError([Problem(self._source.name, "is empty")])
        if not isinstance(root.value, dict):
            detail = 'must be a map of keys and values, like "name: my-event"'
            raise ConfigError([self._source.place(detail, root.start, root.end)])

    def _node(self, event: Any, *, depth: int) -> Node:
        self._values += 1
        if self._values > MAX_VALUES:
            self._stop(event, f"more than {MAX_VALUES} values")
        if depth > YAML_DEPTH:
            self._stop(event, f"nested deeper than {YAML_DEPTH} levels")
        start = event.start_mark.index
        if isinstance(event, ScalarEvent):
            node = Node(event.value, start, event.end_mark.index)
            self._resolve(node, event)
        elif isinstance(event, SequenceStartEvent):
            node = Node(self._items(depth), start, start + 1)
        elif isinstance(event, MappingStartEvent):
            node = Node(self._entries(depth), start, start + 1)
        else:
            node = Node(None, start, event.end_mark.index)
        self._refuse_references(node, event)
        return node

    def _items(self, depth: int) -> list[Node]:
        items = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            items.append(self._node(event, depth=depth + 1))
            self._refuse_empty(items[-1], "an item of a list")
        return items

    def _entries(self, depth: int) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._key(event, depth)
            node = self._node(next(self._events), depth=depth + 1)
            node.key = (event.start_mark.index, event.end_mark.index)
            if key is None:
                continue
            if key in entries:
                first = self._source.place("", *(entries[key].key or (0, 0))).line
                self._report(node, f"{quoted(key)} occurs twice; first in line {first}")
                entries[key].is_broken = True
                continue
            entries[key] = node
            self._refuse_empty(node, quoted(key))
        return entries

    def _key(self, event: Any, depth: int) -> str | None:
        node = self._node(event, depth=depth + 1)
        if isinstance(event, ScalarEvent) and event.value:
            return str(event.value)
        if not node.is_broken:
            self._report(node, "a key must be text")
        return None

    def _resolve(self, node: Node, event: Any) -> None:
        if bad := _NO_TEXT.search(node.value):
            self._report(node, f"the character U+{ord(bad[0]):04X} is not allowed in text")
            return
        if event.style:
            return
        if node.value in _NOTHING:
            node.value = None
            return
        try:
            node.value = read_scalar(node.value)
        except ValueError as error:
            self._report(node, str(error))

    def _refuse_references(self, node: Node, event: Any) -> None:
        if isinstance(event, AliasEvent):
            self._report(node, "aliases (*name) are not supported; repeat the value")
        elif event.anchor:
            self._report(node, "anchors (&name) are not supported; remove it")
        elif event.tag:
            self._report(node, "tags (!name) are not supported; remove it")

    def _refuse_empty(self, node: Node, what: str) -> None:
        if node.value is None and not node.is_broken:
            self._report(node, f"{what} is empty; give it a value or remove it")

    def _report(self, node: Node, detail: str) -> None:
        """Add a problem at the key of a node, or at the node where it has none yet."""
        node.is_broken = True
        place = node.key or (node.start, node.end)
        self._source.problems.append(self._source.place(detail, *place))

    def _stop(self, event: Any, detail: str) -> None:
        start = event.start_mark.index
        raise ConfigError([self._source.place(detail, start, start + 1)])


_CONTENT = (AliasEvent, ScalarEvent, SequenceStartEvent, MappingStartEvent)


def _child(node: Node, part: str | int) -> Node | None:
    value = node.value
    if isinstance(value, dict):
        found = value.get(part)
        return found if isinstance(found, Node) else None
    if isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value):
        item: Node = value[part]
        return item
    return None


def _plain(node: Node) -> Any:
    if isinstance(node.value, dict):
        return {key: _plain(child) for key, child in node.value.items()}
    if isinstance(node.value, list):
        return tuple(_plain(child) for child in node.value)
    return node.value


_MEANINGS = {
    "mapping values are not allowed": 'unexpected ":"; is one missing in the line above?',
    "could not find expected ':'": 'a ":" is missing, or a quote is not closed',
    "expected <block end>": "unexpected indentation: align it with the lines above",
    "expected ',' or '}'": 'a "," is missing, or the "}" that closes a "{"',
    "expected ',' or ']'": 'a "," is missing, or the "]" that closes a "["',
    "found unexpected end of stream": "a quote is not closed",
    "cannot start any token": "unexpected character; put the text in quotes",
}
"""Likely mistake for each part of a message of the YAML parser."""


def _syntax(error: MarkedYAMLError, *, is_inside: bool) -> str:
    """Return the likely mistake; `is_inside` if other text stands before it in its line."""
    problem = str(error.problem or error.context or "not YAML")
    if is_inside and "expected <block end>" in problem:
        return "unexpected text after the end of a value; put the whole value in quotes"
    if r"'\t'" in problem:
        return "a tab is not allowed here; indent YAML with spaces"
    for part, meaning in _MEANINGS.items():
        if part in problem:
            return meaning
    return f"{problem} ({error.context})" if error.problem and error.context else problem
