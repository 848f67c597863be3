"""Pictures of every kind of board: accessible, within the window, with readable texts on pieces."""

import re
from dataclasses import asdict
from itertools import pairwise
from typing import Any, Literal
from xml.etree import ElementTree as ET

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from random_matches import GAMES, random_record
from staged import Staged, contrast, event_of, row_of, scene_of

from arena.pages.svg import position_svg
from referee.rules.layout import Layout, Piece, grid

LEAST_OF_TEXT = 4.5
"""Contrast of text (WCAG 1.4.3)."""
SPIEL: dict[str, tuple[int, dict[str, Any]]] = {
    "tic_tac_toe": (2, {}),
    "connect_four": (2, {}),
    "othello": (2, {}),
    "hex": (2, {}),
    "breakthrough": (2, {}),
    "checkers": (2, {}),
    "amazons": (2, {}),
    "kuhn_poker": (3, {}),
    "leduc_poker": (6, {}),
    "backgammon": (2, {}),
    "dots_and_boxes": (2, {"num_rows": 3, "num_cols": 3}),
    "ultimate_tic_tac_toe": (2, {}),
}
"""Seats and options of a match of each game with a board, and of one shown by its text."""
LEAST_OF_CHARTS = 9
"""Pixels of a label in a chart."""
CHART_TEXTS = """() => [...document.querySelectorAll(".chart text")].map((node) => {
    const chart = node.ownerSVGElement;
    const scale = chart.getBoundingClientRect().width / chart.viewBox.baseVal.width;
    return parseFloat(getComputedStyle(node).fontSize) * scale;
})"""
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
COLORS = """() => [...document.querySelectorAll(".piece:not(.text)")]
    .filter((piece) => piece.querySelector("text"))
    .map((piece) => [piece.firstElementChild, piece.querySelector("text")]
        .map((node) => getComputedStyle(node).fill))"""


def spiel_record(name: str) -> Any:
    pytest.importorskip("pyspiel")
    GAMES[f"open_spiel/{name}"] = SPIEL[name]
    return random_record(f"open_spiel/{name}", bots="abcdef", plies=24)


def open_scene(page: Page, record: Any, **changes: Any) -> None:
    staged = Staged(page, event_of("ab", matches=[row_of(1, record)]), {1: scene_of(record)})
    staged.scenes[1] |= changes
    staged.open(f"#e=1&m=k&p={len(record.calls)}")
    expect(page.locator(".live")).to_contain_text(f"{len(record.calls)} of")


@pytest.mark.parametrize("name", SPIEL)
def test_a_match_of_open_spiel_is_seen_and_read_in_every_window(own_tab: Page, name: str) -> None:
    record = spiel_record(name)
    open_scene(own_tab, record)
    for (width, height), theme in zip(((360, 740), (1440, 900)), THEMES, strict=True):
        own_tab.set_viewport_size({"width": width, "height": height})
        own_tab.emulate_media(color_scheme=theme)
        assert own_tab.evaluate("document.documentElement.scrollWidth") <= width
        board = own_tab.locator(".board").bounding_box()
        assert board is not None
        assert board["y"] + board["height"] <= height
        assert min(board["width"], board["height"]) > 150
        assert min(own_tab.evaluate(CHART_TEXTS)) >= LEAST_OF_CHARTS
        report = Axe().run(own_tab)
        assert report.violations_count == 0, report.generate_report()


PIECES = (
    *(Piece(seat, text="12", name=f"disc {seat}") for seat in range(6)),
    *(Piece(seat, "square", text="6", name=f"die {seat}") for seat in range(6)),
    *(Piece(None, "square", color, "7", f"square {color}") for color in range(9)),
    *(Piece(None, "disc", color, "7", f"chip {color}") for color in range(9)),
    *(Piece(None, "card", color, "Q♥", f"card {color}") for color in range(2)),
)


def board_of_pieces(*, is_first_light: bool) -> Layout:
    return grid("cells", range(4), range(8), "{row} {col}", is_first_light=is_first_light)


@pytest.mark.parametrize("is_first_light", [False, True])
@pytest.mark.parametrize("theme", THEMES)
def test_a_text_on_a_piece_is_readable(
    own_tab: Page, theme: Literal["light", "dark"], *, is_first_light: bool
) -> None:
    own_tab.emulate_media(color_scheme=theme)
    record = random_record("pente", plies=1)
    open_scene(
        own_tab,
        record,
        layout=asdict(board_of_pieces(is_first_light=is_first_light)),
        palette=[asdict(piece) for piece in PIECES],
        start=[(place, place) for place in range(len(PIECES))],
        changes=[[]],
        marks=[[]],
    )

    found = own_tab.evaluate(COLORS)
    assert len(found) == len(PIECES)
    for shape, text in found:
        assert contrast(rgb(shape), rgb(text)) >= LEAST_OF_TEXT, (shape, text)
    expect(own_tab.locator(".piece .mark")).to_have_count(0)  # a mark would cover the text


def rgb(color: str) -> list[float]:
    """Return the parts of a color, as a browser or an SVG file writes it."""
    if color.startswith("#"):
        digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
        return [int(digits[at : at + 2], 16) for at in (0, 2, 4)]
    return [float(part) for part in re.findall(r"[\d.]+", color)[:3]]


@pytest.mark.parametrize("name", ["leduc_poker", "backgammon", "down_n_out"])
def test_a_text_on_a_piece_is_readable_in_a_picture(name: str) -> None:
    record = random_record(name, plies=3) if name in GAMES else spiel_record(name)
    picture = position_svg(record, len(record.calls))
    root = ET.fromstring(picture)  # noqa: S314 - it is our own

    pairs = [
        (shape.attrib["fill"], text.attrib["fill"])
        for group in root.iter("{http://www.w3.org/2000/svg}g")
        for shape, text in pairwise(group)
        if text.tag.endswith("text") and not shape.tag.endswith("text")
    ]
    assert pairs
    for shape, text in pairs:
        assert contrast(rgb(shape), rgb(text)) >= LEAST_OF_TEXT, (shape, text)
