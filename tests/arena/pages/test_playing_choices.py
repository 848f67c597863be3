"""Choices between moves that share their places, on the page of play."""

from dataclasses import asdict
from typing import Any

from playwright.sync_api import Page, Route, expect
from staged import SITE, Staged, event_of

from arena.pages.playing.scene import scene_page
from arena.pages.scenes import Palette
from arena.people.person import PersonScene
from referee.options import make_game


def test_a_promotion_is_chosen_by_the_picture_and_the_name_of_the_piece(own_tab: Page) -> None:
    game = make_game("chess", {"fen": "8/P6k/8/8/8/8/8/K7 w - - 0 1"})
    position = scene_page(
        PersonScene(game=game, names=("a", "b"), seat=0, state=game.start(2, 1)), Palette()
    )
    sent: list[Any] = []

    def take(route: Route) -> None:
        sent.append(route.request.post_data_json)
        route.fulfill(body="{}", content_type="application/json")

    staged = Staged(own_tab, event_of("ab"))
    staged.choices = {"games": [], "more": [], "bots": []}
    own_tab.route(f"{SITE}play/matches/1", take)
    staged.open("play#match=1")
    seated = {"game": "chess", "names": ["a", "b"], "people": [0], "roles": ["white", "black"]}
    layout = game.layout(2)
    assert layout is not None
    for message in (
        {"kind": "own", "seats": [0], "keys": {}},
        {"kind": "seated", "layout": asdict(layout), "can_take_back": True} | seated,
        {"kind": "scene", "seat": 0, "shown": 1} | position,
        {"kind": "asked", "seat": 0, "shown": 1},
    ):
        own_tab.evaluate("(message) => window.tell('message', message)", message)

    own_tab.locator("[data-place='8']").click()
    own_tab.locator("[data-place='0']").click()

    menu = own_tab.get_by_role("group", name="moves to choose").get_by_role("button")
    expect(menu).to_have_text(list(position["labels"].values()))
    expect(own_tab.get_by_text("Choose one of the moves below.")).to_be_visible()
    assert sent == []
    with own_tab.expect_response(f"{SITE}play/matches/1"):
        menu.filter(has_text="white knight").click()
    assert sent == [{"seat": 0, "shown": 1, "line": "a7a8n"}]
