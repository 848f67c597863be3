"""The live pages over data of a test: no server, no event, and no time but the test's."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page, Route

from arena.pages.event_page import blank_page
from arena.pages.playing.routes import page as page_html
from arena.pages.scenes import layout_of, match_scene
from referee.records.record import Record

SITE = "http://arena.test/"
STREAM = """
window.EventSource = class extends EventTarget {
  constructor() {
    super();
    window.tell = (type, data) =>
      this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
    setTimeout(() => this.dispatchEvent(new Event("open")), 0);
  }
  close() {}
};
"""
"""A stream of changes in which a test speaks."""
_STYLES = {"": "hall", "play": "play"}
"""The style of each page beside the common one."""
_TYPES = {"mjs": "text/javascript", "css": "text/css"}


@dataclass
class Staged:
    """Live pages with one event, as its server would send it."""

    page: Page
    event: dict[str, Any]
    scenes: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Finished matches by their numbers."""
    choices: dict[str, Any] = field(default_factory=dict)
    """What the page of play may choose from."""
    outputs: dict[str, str] | None = None
    """The last outputs by bot, for a reader who may read them."""
    events: list[dict[str, Any]] = field(default_factory=list)
    """The list of events; with the one event alone if empty."""

    def __post_init__(self) -> None:
        self.page.add_init_script(STREAM)
        self.page.route(f"{SITE}**", self._answer)

    def open(self, part: str = "#e=1") -> None:
        """Open a page anew."""
        self.page.goto("about:blank")
        self.page.goto(f"{SITE}{part}")
        self.page.wait_for_function("window.tell")

    def tell(self, news: dict[str, Any]) -> None:
        """Send news of the event in play."""
        self.page.evaluate("(news) => window.tell('live', { 1: news })", news)

    def change(self) -> None:
        """Report a change of the results."""
        self.page.evaluate("() => window.tell('message', 1)")

    def _answer(self, route: Route) -> None:
        path = route.request.url.removeprefix(SITE).partition("?")[0]
        if path in _STYLES:
            head = f'<link rel="stylesheet" href="/viewer/{_STYLES[path]}.css">'
            head += '<meta name="arena-host">' * (self.outputs is not None)
            body = bytes(page_html(path or "live", head=head).body)
            route.fulfill(body=body, content_type="text/html")
        elif path.startswith("viewer/"):
            name = path.removeprefix("viewer/")
            body = (files("arena.pages") / "viewer" / name).read_bytes()
            route.fulfill(body=body, content_type=_TYPES[name.rpartition(".")[2]])
        else:
            route.fulfill(body=json.dumps(self._data(path)), content_type="application/json")

    def _data(self, path: str) -> Any:
        if path == "api/events":
            return self.events or [event_row(1, self.event["name"])]
        if path == "api/events/1":
            return self.event
        if path.endswith("/outputs"):
            return {"outputs": self.outputs}
        if path == "play/choices":
            return self.choices
        return self.scenes[int(path.rpartition("/")[2])]


def event_of(names: Sequence[str], *, score: str = "12.5", **parts: Any) -> dict[str, Any]:
    """Return the page of an event in which everybody has met everybody."""
    many = len(names)
    rows = [
        [str(rank), name, score, str(rank * 7), "100", "20", "30", str(2 * rank), "9.1 s", "9.9 s"]
        for rank, name in enumerate(names, 1)
    ]
    header = ["#", "bot", "score", "points", "+", "=", "-", "matches", "CPU", "wall"]
    duels = [[None if a == b else "12-3-10" for b in names] for a in names]
    return {
        **blank_page("spring-cup"),
        "facts": [["game", "chess"], ["bots", str(many)], ["matches", "40 of 100"]],
        "standings": {"header": header, "rows": rows, "by": "score"},
        "ratings": [
            {"player": name, "elo": 90 - rank, "low": 60 - rank, "high": 120, "text": "+90 ±30"}
            for rank, name in enumerate(names)
        ],
        "scale": "Elo relative to the mean",
        "crosstable": {
            "header": ["bot", *names],
            "rows": [[name, *duel] for name, duel in zip(names, duels, strict=True)],
            "shares": [[None, *(duel and 0.54 for duel in line)] for line in duels],
        },
        "omitted": "",
        **parts,
    }


def event_row(number: int, name: str, **parts: Any) -> dict[str, Any]:
    """Return an event in the list of events."""
    return {
        "number": number,
        "name": name,
        "game": "pente",
        "state": "finished",
        "leader": "ada",
        "progress": "12",
        "begun": "2026-11-01 09:00",
        "bots": 2,
        "is_people": False,
        "players": [],
        **parts,
    }


def row_of(number: int, record: Record, *names: str) -> dict[str, Any]:
    """Return a finished match as a row of its event."""
    seats = record.job.seats()
    return {
        "number": number,
        "key": record.job.key,
        "players": names or record.job.names(),
        "scores": record.verdict.scores,
        "places": record.verdict.places,
        "faults": [None for _ in seats],
        "charged": [1_000_000 for _ in seats],
        "wall": [2_000_000 for _ in seats],
        "near": [0 for _ in seats],
        "termination": "normal",
        "reason": record.verdict.reason,
        "plies": record.calls.plies,
    }


def scene_of(record: Record) -> dict[str, Any]:
    """Return a match as its page receives it."""
    layout = layout_of(record)
    return {**match_scene(record), "layout": None if layout is None else asdict(layout)}


def match_news(record: Record, *names: str, key: str = "") -> dict[str, Any]:
    """Return the first news of a match in play, up to the last call of the record."""
    scene = scene_of(record)
    layout = scene.pop("layout")
    return {
        "key": key or record.job.key,
        "steps": len(scene["text"]),
        "players": names or record.job.names(),
        "layout": layout,
        "first": 0,
        "scene": scene,
        "turn": 0,
    }


def event_news(
    places: Sequence[dict[str, Any]], *, coming: Sequence[Sequence[str]] = (), total: int = 100
) -> dict[str, Any]:
    """Return the news of an event in play."""
    return {
        "places": places,
        "running": ["result" not in place for place in places],
        "held": ["result" in place for place in places],
        "next": coming,
        "left": total // 2,
        "total": total,
        "over": False,
    }


def luminance(color: Sequence[float]) -> float:
    """Return the relative luminance of WCAG."""
    parts = [part / 255 for part in color]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the contrast of two colors by WCAG."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
