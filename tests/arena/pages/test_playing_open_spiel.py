"""Games of OpenSpiel, played by clicks in a browser from the first move to the result."""

import json
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from play_server import Server
from playwright.sync_api import Page, expect
from preloaded import Preloaded
from verifying import verify

pytest.importorskip("pyspiel")

OFFERED = ".place.offered"
MENU = ".menu button"
CASES: dict[str, dict[str, str]] = {
    "tic_tac_toe": {},
    "connect_four": {"rows": "4", "columns": "5"},
    "othello": {},
    "hex": {"board_size": "4"},
    "breakthrough": {"rows": "6", "columns": "4"},
    "checkers": {},
    "amazons": {"board_size": "6"},
    "dots_and_boxes": {},
    "backgammon": {"hyper_backgammon": "true"},
    "kuhn_poker": {},
    "leduc_poker": {},
}
CHOSEN_BY_WORDS = ("kuhn_poker", "leduc_poker")
SEED = "5"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("playing")
    command = ["play", "pente", "random", "--browser"]
    with Preloaded(command, cwd=folder, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        yield Server(folder, found[0])
        process.terminate()


def open_match(page: Page, server: Server, game: str, **changes: Any) -> None:
    asked = {"game": f"open_spiel/{game}", "options": CASES[game], "seed": SEED}
    status, text = server.post("/matches", {**asked, "players": [None, "random"], **changes})
    assert status == 200, text
    page.goto(server.link.partition("#")[0])
    page.goto(f"{server.link.partition('#')[0]}#match={json.loads(text)['match']}")
    expect(page.locator(f"{OFFERED}, {MENU}").first).to_be_attached()


def make_a_move(page: Page) -> int:
    """Click offered places or words until a move is made; return the clicks on places."""
    clicks = 0
    while True:
        place = page.locator(OFFERED).first
        if place.count() and not (clicks and page.locator(MENU).count()):
            place.click()
            clicks += 1
        else:
            page.locator(MENU).first.click()
        if not page.locator("[aria-selected=true]").count():
            break
    over = page.get_by_text("replay it")
    expect(over.or_(page.locator(f"{OFFERED}, {MENU}")).first).to_be_attached()
    return clicks


@pytest.mark.parametrize("game", CASES)
def test_a_whole_match_is_played_by_clicks(server: Server, page: Page, game: str) -> None:
    open_match(page, server, game)
    clicks = []
    over = page.get_by_text("replay it")
    while not over.count():
        clicks.append(make_a_move(page))

    record = server.record(int((over.text_content() or "").rpartition(" ")[2]))
    verify(record)
    assert sum(call.seat == 0 and call.move is not None for call in record.calls) == len(clicks)
    assert (sum(clicks) > 0) == (game not in CHOSEN_BY_WORDS)
