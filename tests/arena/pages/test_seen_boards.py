"""Boards as they are seen: contrast, marks and movement."""

from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect
from random_matches import GAMES, random_record
from staged import Staged, contrast, event_news, event_of, match_news, row_of, scene_of

LEAST = 3.0
"""Contrast of a piece, by its fill or its edge, to the board below it (WCAG 1.4.11)."""
COLORS = """() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const pixel = (colors) => {
        context.clearRect(0, 0, 1, 1);
        for (const color of colors) { context.fillStyle = color; context.fillRect(0, 0, 1, 1); }
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const page = getComputedStyle(document.body).backgroundColor;
    const wood = document.querySelector(".ground :is(.field, .wood)");
    const style = wood && getComputedStyle(wood);
    const ground = [page, ...(style ? [style.fill === "none" ? style.stroke : style.fill] : [])];
    return [...document.querySelectorAll(".piece:is([class*=seat-]) > circle:first-child")]
        .map((piece) => getComputedStyle(piece))
        .map(({ fill, stroke }) => [pixel(ground), pixel([...ground, fill]),
            pixel([...ground, fill, stroke])]);
}"""


def open_match(page: Page, name: str, ply: int = 1, **changes: Any) -> None:
    record = random_record(name, plies=20)
    staged = Staged(page, event_of("ab", matches=[row_of(1, record)]), {1: scene_of(record)})
    staged.scenes[1] |= changes
    staged.open(f"#e=1&m=k&p={ply}")
    expect(page.locator(".live")).to_contain_text(f"{ply} of")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["chinese_checkers", "pente", "damspel"])
def test_a_disc_of_every_seat_stands_out_from_its_board(
    own_tab: Page, name: str, theme: Literal["light", "dark"]
) -> None:
    own_tab.emulate_media(color_scheme=theme)
    open_match(own_tab, name, 4)

    discs = own_tab.evaluate(COLORS)
    assert len(discs) >= 4
    for ground, fill, edge in discs:
        assert max(contrast(ground, fill), contrast(ground, edge)) >= LEAST


def test_a_dot_on_a_stone_is_the_last_move(own_tab: Page) -> None:
    open_match(own_tab, "pente", 6)

    expect(own_tab.locator(".piece")).to_have_count(6)
    expect(own_tab.locator(".piece .mark")).to_have_count(0)
    expect(own_tab.locator(".marks .latest")).to_have_count(1)


def test_colored_seats_differ_by_form(own_tab: Page) -> None:
    open_match(own_tab, "chinese_checkers", 2)

    expect(own_tab.locator(".piece.seat-2 .mark").first).to_be_attached()
    expect(own_tab.locator(":is(.piece.seat-0, .piece.seat-1) .mark")).to_have_count(0)


COUNTED = """
window.slides = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...given) {
  window.slides += this.closest(".large") ? 1 : 0;
  return animate.apply(this, given);
};
"""
"""Counts the pieces of the large board that are seen on their way."""


@pytest.mark.parametrize(("pause_ms", "moving"), [(20, 0), (600, 2)])
def test_a_piece_is_seen_on_its_way_only_in_slow_matches(
    own_tab: Page, pause_ms: int, moving: int
) -> None:
    record = random_record("chess", plies=12)
    own_tab.clock.install()
    own_tab.add_init_script(COUNTED)
    staged = Staged(own_tab, event_of("ab"))
    staged.open()
    own_tab.clock.pause_at(4_000_000_000_000)
    for last in range(6, 9):
        news = match_news(record, "a", "b")
        scene = news["scene"]
        for name in ("seat", "text", "charged", "wall", "marks", "changes"):
            scene[name] = scene[name][:last]
        scene["captions"] = scene["captions"][: last + 1]
        if last > 6:
            del news["players"]
            for name in ("seat", "text", "charged", "wall", "marks", "changes", "captions"):
                scene[name] = scene[name][-1:]
            news["first"] = last - 1
        own_tab.clock.run_for(pause_ms)
        staged.tell(event_news([news]))

    assert own_tab.evaluate("window.slides") == moving
    faded = """() => [...document.querySelectorAll(".piece")]
        .filter((piece) => Number(getComputedStyle(piece).opacity) < 1).length"""
    assert own_tab.evaluate(faded) == 0


def test_a_board_of_text_fills_its_frame(own_tab: Page) -> None:
    GAMES.setdefault("open_spiel/ultimate_tic_tac_toe", (2, {}))
    pytest.importorskip("pyspiel")
    record = random_record("open_spiel/ultimate_tic_tac_toe", plies=4)
    for size in ((1280, 720), (3840, 2160)):
        own_tab.set_viewport_size({"width": size[0], "height": size[1]})
        staged = Staged(own_tab, event_of("ab"))
        staged.open("#e=1&v=projector")
        staged.tell(event_news([match_news(record)]))
        board = own_tab.locator(".large .diagram")
        expect(board).to_contain_text("x")
        box = board.bounding_box()
        frame = own_tab.locator(".large .frame").bounding_box()
        assert box is not None
        assert frame is not None
        assert box["width"] <= frame["width"]
        assert box["height"] <= frame["height"]
        assert max(box["width"] / frame["width"], box["height"] / frame["height"]) > 0.7
