"""Makes docs/reference/protocol.md from the tables of the specification and the vectors.

That the tables are what the models say is tested in tests/protocol/test_spec.py.
"""

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
SPEC = ROOT / "protocol" / "SPEC.md"
VECTORS = ROOT / "protocol" / "vectors"
INTRO = """Messages and games at a glance. The authority is [SPEC.md](../../protocol/SPEC.md).

A message is one MessagePack map: integers within ±2^53, text, booleans, nil, lists and maps; no
floats, no binary, no empty maps. `?` marks a field that may be left out. A bot ignores fields and
calls that it does not know; a referee refuses unknown fields in replies and names them."""
DIALOG = """
    hello                                once, from the bot, as soon as it is connected
    init -> ready                        a match begins
    [display -> picture] move -> play    each of the bot's turns
    term -> bye                          the match is over; exit if it says `last: true`
    ping -> pong                         at any time between other calls
"""
KITS = """| | Python | C | C++, Rust | Go | JavaScript, TypeScript, Java |
|---|---|---|---|---|---|
| `init` | `on_init` | `on_init` | `on_init` | `OnInit` | `onInit` |
| `move` | `on_move` | `on_move` | `on_move` | `OnMove` | `onMove` |
| `display` | `on_display` | `on_display` | `on_display` | `OnDisplay` | `onDisplay` |
| `term` | `on_term` | `on_term` | `on_term` | `OnTerm` | `onTerm` |

`hello`, `ping`, `error`, types, ids and sizes are the kit's own business. Which kits there are:
[bots/README.md](../../bots/README.md)."""
GAMES = """All fields of a move are required; each claim may be left out. A view also has `turn`,
the seat to move, and `ply`, how many moves were played. The rules: `arena games`."""
PAIRS = (
    ("init", "ready"),
    ("move", "play"),
    ("display", "picture"),
    ("term", "bye"),
    ("ping", "pong"),
)
GAMES_AFTER = "## 14. Games"
WIDTH = 96
SECTIONS_HERE = {
    "as in section 14": "see [games](#games)",
    "a word of section 9": "see [terminations](#terminations)",
    "(section 8)": "(section 8 of SPEC.md)",
    "of section 8": "of time (section 8 of SPEC.md)",
}
IN_EVERY_VIEW = ("turn", "ply")

Row = tuple[str, ...]


def protocol_page(generated: str) -> str:
    """Return the page; `generated` is its sentence about regeneration."""
    text = SPEC.read_text()
    sections = dict(re.findall(r"(?ms)^### (.+?)\n(.*?)(?=^##|\Z)", text))
    examples = _examples()
    parts = [
        f"# Messages and games\n\n{generated}\n",
        INTRO,
        "",
        DIALOG,
        "",
        "## In the kits",
        "",
        KITS,
        "",
    ]
    parts += ["## Messages", ""]
    parts += _message("hello", sections, examples)
    for call, reply in PAIRS:
        parts += _message(call, sections, examples, reply)
    parts += _message("error", sections, examples)
    parts += ["## Parts of messages", ""]
    for name in ("played move", "time control"):
        parts += [f"### {name}", "", *_fields(_tables(sections[f"`{name}`"])["field"]), ""]
    parts += ["## Games", "", GAMES, ""]
    for name in re.findall(r"(?m)^### (\w+)$", text.partition(GAMES_AFTER)[2]):
        parts += _game(name, sections[name], examples)
    parts += ["## Sizes", "", *_copied(text, "what", 3), ""]
    parts += ["## Terminations", "", *_copied(text, "word", 3)]
    page = "\n".join(parts) + "\n"
    for there, here in SECTIONS_HERE.items():
        page = page.replace(there, here)
    return page


def _message(
    name: str, sections: dict[str, str], examples: dict[str, Any], reply: str | None = None
) -> Iterator[str]:
    yield f"### {name}, answered by {reply}" if reply else f"### {name}"
    yield ""
    for part in filter(None, (name, reply)):
        body = sections[f"`{part}`"]
        yield f"`{part}`: {_lead(body)}"
        yield ""
        rows = [row for row in _tables(body)["field"] if _cell(row[0]) not in ("type", "id")]
        if rows:
            yield from _fields(rows)
            yield ""
        if part in examples:
            yield from _shown(examples[part])


def _game(name: str, body: str, examples: dict[str, Any]) -> Iterator[str]:
    tables = _tables(body)
    yield f"### {name}"
    yield ""
    yield _lead(body)
    yield ""
    for kind, title in (("move", "move"), ("claim", "claims"), ("view", "view")):
        if kind in tables:
            yield f"| {title} | type | meaning |"
            yield "|---|---|---|"
            rows = [row for row in tables[kind] if _cell(row[0]) not in IN_EVERY_VIEW]
            yield from (f"| {' | '.join(row)} |".replace("  ", " ") for row in rows)
            yield ""
    if "claim" not in tables:
        yield "This game has no claims."
        yield ""
    yield from _shown(examples[name])


def _fields(rows: list[Row]) -> Iterator[str]:
    yield "| field | type | meaning |"
    yield "|---|---|---|"
    for field, presence, kind, meaning in rows:
        mark = "?" if presence == "optional" else ""
        yield f"| {field}{mark} | {kind} | {meaning} |"


def _lead(body: str) -> str:
    """Return the first paragraph of a section as one line, without the words call and reply."""
    paragraph = " ".join(body.strip().partition("\n\n")[0].split())
    return re.sub(r"^(Call|Notice|Reply to `\w+`)[.:] ?", "", paragraph) or "no more than its id."


def _tables(body: str) -> dict[str, list[Row]]:
    """Return the rows of a section's tables by the first word of their header."""
    found = {}
    for table in re.findall(r"(?m)(?:^\|.*\n?)+", body):
        header, _, *lines = table.strip().split("\n")
        rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
        found[header.strip("| ").split()[0]] = rows
    return found


def _copied(text: str, word: str, columns: int) -> list[str]:
    """Return the only table of the specification with this first word and number of columns."""
    for table in re.findall(r"(?m)(?:^\|.*\n?)+", text):
        header = table.partition("\n")[0]
        if header.strip("| ").split()[0] == word and header.count("|") == columns + 1:
            return str(table).strip().split("\n")
    raise LookupError(f"no table {word} in {SPEC.name}")


def _cell(text: str) -> str:
    return text.strip("`")


def _examples() -> dict[str, Any]:
    """Return a message of each type and a reply of each game."""
    read = {path.stem: json.loads(path.read_text()) for path in VECTORS.glob("*.json")}
    found: dict[str, Any] = {}
    for case in (*read["calls"], *read["hello"], *read["replies"]):
        if case["valid"] and "message" in case:
            message = case["message"]
            if _is_telling(message):
                found.setdefault(message["type"], message)
    for case in read["games"]:
        if case["valid"] and "claims" in case["message"]:
            found.setdefault(case["game"], case["message"])
    for case in read["games"]:
        if case["valid"]:
            found.setdefault(case["game"], case["message"])
    return found


def _is_telling(message: dict[str, Any]) -> bool:
    """Whether the example is short enough to be read, and of an ordinary message."""
    return message["type"] not in ("init", "ready", "bye", "ping", "pong") and (
        len(json.dumps(message)) < 400
    )


def _shown(message: dict[str, Any]) -> Iterator[str]:
    yield "```"
    yield from textwrap.wrap(json.dumps(message, ensure_ascii=False), WIDTH)
    yield "```"
    yield ""
