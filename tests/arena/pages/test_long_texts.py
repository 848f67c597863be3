"""Texts of bots and of configs, as long and as hostile as they may be, on pages of any width."""

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from random_matches import random_record
from staged import Staged, event_news, event_of, match_news, row_of, scene_of

from referee.records.record import Record

WIDTHS = (360, 768, 1440, 1920)
WORD = "W" * 900
NAME = "W" * 40
"""The longest name that a config allows, in its widest letter."""
PARTS = ("", "#e=1", "#e=1&v=projector", "#e=1&m=k&p=3", "#e=1&m=k&p=9")


def wordy(game: str) -> Record:
    """Return a match in which every field of a bot is one long word."""
    plan = [{"v": 0, "h": 0}]
    record = random_record(game, plies=9, note=WORD, value=-1000, data={WORD: WORD}, plan=plan)
    return replace(record, verdict=replace(record.verdict, reason=WORD, scores=(WORD[:40],) * 2))


def wordy_event(record: Record) -> dict[str, object]:
    names = [NAME, NAME[1:] + "V"]
    row = row_of(1, record, *names) | {"faults": [WORD, None], "termination": WORD}
    event = event_of(names, score="-0.004541", matches=[row])
    return event | {
        "name": WORD,
        "facts": [[WORD, WORD], ["game", WORD]],
        "faults": [{"match": 1, "headline": WORD, "text": f"{WORD}\n{WORD}"}],
        "fault_count": 1,
        "differences": [[names[0], names[1], "+1000 -1000 +2000", "99.9 %"]],
        "progress": {name: [0, 400.5, -3000.25] for name in names},
        "values": {"positions": 9, "won": {name: [0, 50, 100] for name in names}},
        "gate": {"llr": [0, 1], "bounds": [-3, 3], "verdict": WORD},
        "notes": [[WORD, WORD]],
        "omitted": WORD,
    }


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("game", ["pente", "chess"])
def test_no_text_makes_a_page_wider_than_its_window(own_tab: Page, game: str, width: int) -> None:
    record = wordy(game)
    staged = Staged(own_tab, wordy_event(record), {1: scene_of(record)})
    own_tab.set_viewport_size({"width": width, "height": 800})
    for part in PARTS:
        staged.open(part)
        if "m=k" not in part:
            news = match_news(record, NAME, NAME, key="k2")
            staged.tell(event_news([news], coming=[[NAME, NAME]] * 8))
        expect(own_tab.locator("h1, section").first).to_be_attached()
        assert own_tab.evaluate("document.documentElement.scrollWidth") <= width, part


@pytest.mark.parametrize("width", WIDTHS)
def test_no_text_makes_the_page_of_play_wider_than_its_window(own_tab: Page, width: int) -> None:
    staged = Staged(own_tab, event_of(["a", "b"]))
    scene = scene_of(wordy("pente"))
    seated: dict[str, Any] = {"game": WORD[:60], "names": [NAME, NAME], "people": [0]}
    seated |= {"roles": [WORD, WORD], "can_take_back": True, "layout": scene["layout"]}
    position: dict[str, Any] = {
        "seat": 0,
        "shown": 1,
        "turn": 0,
        "is_over": False,
        "ply": 0,
        "news": [WORD],
    }
    position |= {"pieces": [], "palette": [], "diagram": "", "caption": WORD, "marks": []}
    position |= {"moves": [[WORD, []], ["pass", []]], "first": []}
    staged.choices = {"games": [], "more": [], "bots": [{"name": NAME, "games": None}]}
    own_tab.set_viewport_size({"width": width, "height": 800})
    staged.open("play#match=1")
    for message in (
        {"kind": "own", "seats": [0], "keys": {"1": WORD}},
        {"kind": "seated"} | seated,
        {"kind": "scene"} | position,
        {"kind": "asked", "seat": 0, "shown": 1},
        {"kind": "said", "text": WORD},
        {"kind": "said", "text": f"{WORD}\n{WORD}"},
    ):
        own_tab.evaluate("(message) => window.tell('message', message)", message)
    expect(own_tab.get_by_role("button", name="pass")).to_be_visible()
    assert own_tab.evaluate("document.documentElement.scrollWidth") <= width
