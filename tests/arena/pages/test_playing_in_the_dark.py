"""A game with hidden moves, played by clicks in a browser against a bot."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from preloaded import Preloaded
from verifying import verify

from arena.results.store import Store

MOVES = ".menu button"


@pytest.fixture
def link(tmp_path: Path) -> Iterator[str]:
    command = ["play", "pente", "random", "--browser"]
    with Preloaded(command, cwd=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        yield found[0].partition("#")[0]
        process.terminate()


def test_a_phantom_game_is_played_by_clicks_and_hides_the_moves_of_the_bot(
    link: str, tmp_path: Path, page: Page
) -> None:
    page.goto(link)
    page.get_by_label("game", exact=True).select_option("open_spiel/phantom_ttt")
    expect(page.get_by_text("Phantom Tic Tac Toe")).to_be_visible()
    page.get_by_label("seat 1").select_option("random")
    page.get_by_role("button", name="play").click()
    move = page.locator(MOVES).first
    over = page.get_by_text("replay it")
    expect(move).to_be_visible()
    expect(page.get_by_role("button", name="take back")).to_be_hidden()
    page.get_by_label("type a move").fill("undo")
    page.keyboard.press("Enter")
    expect(page.get_by_text("nothing can be taken back")).to_be_visible()

    seen = []
    while not over.count():
        move.click()
        expect(page.locator(f"{MOVES}, a:text('replay it')").first).to_be_attached()
        seen.append(page.content())

    assert any(" makes a hidden move" in text for text in seen)
    assert not any("o(" in page_text(text) for text in seen)
    with closing(Store(tmp_path / "arena.db")) as store:
        record = store.record(int((over.text_content() or "").rpartition(" ")[2]))
    verify(record)
    assert any(call.seat == 1 and (call.notation or "").startswith("o(") for call in record.calls)


def page_text(content: str) -> str:
    """Return the part of a page with the match: its board, news and moves."""
    return content.partition("<article")[2]
