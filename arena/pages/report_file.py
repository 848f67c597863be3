"""A report as one HTML file, without any other file, network or server.

All data is compressed and in base64, so that no text of a bot is part of the page; a policy in
the page allows only its own script and style, by their hashes.
"""

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from arena.errors import UsageError
from arena.pages.event_page import blank_page, event_page, match_row
from arena.pages.page_json import json_bytes
from arena.pages.scenes import layout_of, match_scene, output_scene
from arena.pages.value_tally import ValueTally
from arena.reports.report import PlayedEvent
from arena.results.standings import Table, is_win
from arena.results.store import EventRow, MatchRow, Store
from arena.text import plural
from protocol.vocabulary import Seat
from protocol.wording import escaped
from referee.records.record import Record
from referee.records.replay import ReplayError
from referee.rules import RuleError

SCRIPTS = (
    *("dom", "sorting", "reconcile", "lists", "matches", "pieces", "board", "charts", "clocks"),
    *("match", "event", "entrant", "report"),
)
"""Modules of the viewer; each may import only those before it."""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<noscript><p>This report needs JavaScript to unpack its data.</p></noscript>
<main id="page"></main>
<script type="application/json" id="data">
{data}
</script>
<script type="module">{script}</script>
</body>
</html>
"""


def report_html(store: Store, played: PlayedEvent, most_bytes: int) -> str:
    """Return a report of at most about `most_bytes`, without the boards that do not fit."""
    page = event_page(store, played)
    layouts = Layouts()
    boards: list[str] = []
    numbers: dict[int, int] = {}
    room = most_bytes - len(_pack(page)) - len(_script()) - len(_style())
    ordered = by_interest(played.table, played.matches)
    values = ValueTally()
    for number in ordered:
        record = store.record(number)
        board = _board(record, layouts, printing=record.verdict.offenders)
        if board is None:
            continue
        room -= len(board)
        if room < 0:
            break
        numbers[number] = len(boards)
        boards.append(board)
        values.add(record)
    left_out = len(ordered) - len(boards)
    page |= {"layouts": layouts.to_json(), "boards": numbers, "omitted": _omitted(left_out)}
    page["values"] = values.to_json()
    return _html(played.event.name, [_pack(page), *boards])


def match_html(event: EventRow, match: MatchRow, record: Record, seat: Seat | None = None) -> str:
    """Return a page with a match, as a seat or a spectator (None) sees it; raises UsageError.

    It has the output of the bots: of a seat its own only.
    """
    layouts = Layouts()
    printing = record.job.seats() if seat is None else [seat]
    if (board := _board(record, layouts, seat, printing=printing)) is None:
        raise UsageError(f"match {match.id} has no moves to show: {match.reason}")
    page = {
        **blank_page(event.name),
        "matches": [match_row(match)],
        "layouts": layouts.to_json(),
        "boards": {match.id: 0},
        "omitted": "",
    }
    return _html(f"{event.name}: match {match.id}", [_pack(page), board])


UPSETS = 50
EXTREMES = 10
"""Number of shortest and of longest matches before all others."""


def by_interest(table: Table, matches: Sequence[MatchRow]) -> list[int]:
    """Return the numbers of all matches, the most interesting first."""
    return list(dict.fromkeys(match.id for match in _ordered(table, matches)))


def _ordered(table: Table, matches: Sequence[MatchRow]) -> Iterator[MatchRow]:
    yield from (match for match in matches if match.has_fault)
    ranks = {row.player: rank for rank, row in table.ranked()}
    upsets = sorted(matches, key=lambda match: -_surprise(match, ranks))
    yield from (match for match in upsets[:UPSETS] if _surprise(match, ranks) > 0)
    by_plies = sorted(matches, key=lambda match: match.plies)
    yield from by_plies[:EXTREMES]
    yield from by_plies[-EXTREMES:]
    yield from reversed(matches)


def _surprise(match: MatchRow, ranks: dict[str, int]) -> int:
    """Return how many ranks below the best other player the winner stands."""
    seated = match.seats
    for seat in seated:
        if is_win(seat, seated):
            best = min(ranks[other.player] for other in seated if other is not seat)
            return ranks[seat.player] - best
    return 0


class Layouts:
    """The different layouts of an event, each stored once."""

    def __init__(self) -> None:
        self._known: dict[bytes, int] = {}

    def number(self, record: Record) -> int | None:
        """Return the number of the match's layout; None without one."""
        if (layout := layout_of(record)) is None:
            return None
        return self._known.setdefault(json_bytes(asdict(layout)), len(self._known))

    def to_json(self) -> list[Any]:
        """Return the layouts in the order of their numbers."""
        return [json.loads(layout) for layout in self._known]


def _board(
    record: Record, layouts: Layouts, seat: Seat | None = None, *, printing: Iterable[Seat]
) -> str | None:
    """Return the packed board of a match, with the output of the seats `printing`.

    None if nothing was played or its game is not here.
    """
    try:
        scene = {"layout": layouts.number(record), **match_scene(record, seat)}
        scene |= output_scene(record, printing)
    except (ReplayError, RuleError, LookupError, ImportError):
        return None
    return _pack(scene) if scene["text"] else None


def _omitted(count: int) -> str:
    if count == 0:
        return ""
    return (
        f"The boards of {plural(count, 'match')} are not in this file, because it would be too"
        " large or nothing was played. `arena replay NUMBER` shows them; `--size` allows a larger"
        " file."
    )


def _html(title: str, lines: list[str]) -> str:
    script, style = _script(), _style()
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return _PAGE.format(
        policy=policy,
        title=html.escape(escaped(title)),
        style=style,
        data="\n".join(lines),
        script=script,
    )


def _script() -> str:
    """Return the modules of the viewer as one module."""
    modules = (_viewer_file(f"{name}.mjs") for name in SCRIPTS)
    return "\n".join(line for module in modules for line in _code_lines(module))


_COMMENT = re.compile(r"/\*\*.*?\*/[ \t]*", re.DOTALL)
"""A comment, wherever it is: no text of the viewer has such marks."""


def _code_lines(module: str) -> Iterator[str]:
    """Yield the lines of a module without indentation, imports, exports and comments."""
    for line in _COMMENT.sub("", module).splitlines():
        text = line.strip()
        if text and not text.startswith(("import ", "//")):
            yield text.removeprefix("export ")


def _style() -> str:
    style = _viewer_file("page.css")
    for wide, narrow in ((" { ", "{"), ("; }", "}"), (" }", "}"), ("; ", ";"), (", ", ",")):
        style = style.replace(wide, narrow)
    return style


def _viewer_file(name: str) -> str:
    return (files("arena.pages") / "viewer" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the hash of a script or style in a Content-Security-Policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _pack(value: Any) -> str:
    return base64.b64encode(zlib.compress(json_bytes(value), 9)).decode()
