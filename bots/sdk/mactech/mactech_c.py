"""Converts C and C++ of the 1990s so that a compiler of today gives it the same meaning."""

import re
from collections.abc import Iterator

STANDARD = """
    alloca assert complex ctype errno fenv float inttypes iso646 limits locale malloc math memory
    setjmp signal stdarg stddef stdint stdio stdlib string strings time unistd wchar wctype
"""


TOOLBOX = "mactech_toolbox.h"


class EntryError(Exception):
    """The entry cannot be built. The text is for its author."""


TOKEN = re.compile(
    r"""
    (?P<comment>  /\*.*?\*/ | //[^\n]* )
  | (?P<text>     "(?:\\.|[^"\\\n])*" )
  | (?P<char>     '(?:\\.|[^'\\\n])*' )
  | (?P<include>  \#[ \t]*include[ \t]*[<"][^>"\n]+[>"] )
  | (?P<kind>     \b(?:long|int|short|char|double|float|signed|unsigned|const|volatile|static|extern
                  |register|typedef|auto)\b )
  | (?P<end>      \n )
  | (?P<space>    (?:[^\S\n]|\\\n)+ )
  | (?P<word>     \w+ )
  | (?P<other>    . )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
CHARACTER = re.compile(r"\\x[0-9A-Fa-f]+|\\[0-7]{1,3}|\\.|[^\\]", re.DOTALL)
LONG_FORMAT = re.compile(r"(%[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?)l([diouxXn])")
LONG_LITERAL = re.compile(r"(?:0[xX][0-9A-Fa-f]+|[0-9]+)(?:[lL][uU]?|[uU][lL])")
INCLUDE = re.compile(r'(.*[<"])([^>"]+)([>"])', re.DOTALL)


def modern(text: str, includes: dict[str, str]) -> str:
    """Return the source for a modern compiler with unchanged meaning, on the same lines.

    `includes` has the replacement of each header, by its name in lower case without folders.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tokens = [(match.lastgroup, match[0]) for match in TOKEN.finditer(text)]
    _shorten(tokens)
    _shorten_literals(tokens)
    pieces = []
    for kind, piece in tokens:
        if kind == "text":
            pieces.append(_modern_text(piece))
        elif kind == "include" and (found := INCLUDE.fullmatch(piece)):
            pieces.append(_modern_include(found, includes))
        else:
            pieces.append(piece)
    return "".join(pieces)


def _shorten(tokens: list[tuple[str | None, str]]) -> None:
    """Replace each long by int, or by spaces beside an int; columns stay the same."""
    for run in _kinds(tokens):
        words = [tokens[place][1] for place in run]
        if words.count("long") == 1 and "double" not in words:
            place = run[words.index("long")]
            tokens[place] = ("kind", "    " if "int" in words else "int ")


def _shorten_literals(tokens: list[tuple[str | None, str]]) -> None:
    """Remove the suffix L of integers; LL and the L of floating-point numbers stay."""
    before = ""
    for place, (kind, piece) in enumerate(tokens):
        if kind == "word" and before != "." and LONG_LITERAL.fullmatch(piece):
            tokens[place] = (kind, piece.replace("l", "").replace("L", ""))
        before = piece


def _kinds(tokens: list[tuple[str | None, str]]) -> Iterator[list[int]]:
    """Yield where the words of each type stand: those with nothing else between them."""
    run: list[int] = []
    is_directive = False
    for place, (kind, piece) in enumerate(tokens):
        is_over = kind == "end" and is_directive
        is_directive = piece == "#" or (is_directive and kind != "end")
        if kind == "kind":
            run.append(place)
        elif is_over or kind not in ("space", "comment", "end"):
            yield run
            run = []
    yield run


def _modern_text(text: str) -> str:
    if not text.startswith('"\\p'):
        return LONG_FORMAT.sub(r"\1\2", text)
    rest = text[3:-1]
    length = len(CHARACTER.findall(rest))
    if length > 255:
        raise EntryError(f"a Pascal string of {length} characters: {text[:40]}...")
    return f'"\\{length:03o}{rest}"'


def _modern_include(line: re.Match[str], includes: dict[str, str]) -> str:
    before, name, _ = line.groups()
    key = re.split(r"[/:\\]", name)[-1].lower()
    if before.endswith("<") and name.removesuffix(".h") in STANDARD.split():
        return line[0]
    if key in includes:
        return f'{before[:-1]}"{includes[key]}"'
    if key.removesuffix(".h") in STANDARD.split():
        return f"{before[:-1]}<{key}>"
    if before.endswith("<") and name[0].isupper():  # one of Apple's
        return f'{before[:-1]}"{TOOLBOX}"'
    return line[0]
