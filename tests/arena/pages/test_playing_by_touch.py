"""The page of play under a finger: small places need a second tap, text waits, hints go."""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from staged import Staged, event_of

from arena.pages.playing.scene import scene_page
from arena.pages.scenes import Palette
from arena.people.person import PersonScene
from referee.options import make_game

LONGEST_S = 120
"""Time to wait on the busiest machine."""
FINGER = 44
"""Pixels of a place that a finger hits without looking."""
NAMES = ("you", "bot")


@dataclass
class Table:
    """A running match on a page: the test is its server."""

    page: Page
    game: Any
    state: Any
    sent: list[dict[str, Any]] = field(default_factory=list)
    shown: int = 0

    def open(self) -> None:
        """Open the page and seat the person; nothing is asked yet."""
        staged = Staged(self.page, event_of("ab"), {1: {}}, choices={"bots": [], "games": []})
        self.page.on("request", self._note)
        staged.open("play#match=1")
        self.tell("own", seats=[0], keys={})
        layout = self.game.layout(2)
        roles = [self.game.role(seat) for seat in (0, 1)]
        self.tell(
            "seated",
            game=self.game.name,
            options={},
            names=NAMES,
            people=[0],
            roles=roles,
            can_take_back=True,
            layout=None if layout is None else asdict(layout),
        )

    def ask(self) -> None:
        """Show the position and wait for a move."""
        self.shown += 1
        scene = PersonScene(game=self.game, names=NAMES, seat=0, state=self.state)
        self.tell("scene", seat=0, shown=self.shown, **scene_page(scene, Palette()))
        self.tell("asked", seat=0, shown=self.shown)

    def tell(self, kind: str, **fields: Any) -> None:
        """Send a message of the server."""
        message = {"kind": kind, **fields}
        self.page.evaluate("(message) => window.tell('message', message)", message)

    def _note(self, request: Any) -> None:
        if request.method == "POST":
            self.sent.append(request.post_data_json)

    def expect_lines(self, *lines: str) -> None:
        """Wait for this number of moves from the page, and compare them."""
        until = time.monotonic() + LONGEST_S
        while len(self.sent) < len(lines) and time.monotonic() < until:
            self.page.wait_for_timeout(20)
        assert [sent["line"] for sent in self.sent] == [*lines]

    def tap(self, name: str) -> tuple[float, float]:
        """Tap the middle of a place; return where that is on the screen."""
        box = self.page.locator(f'.place[aria-label^="{name}:"]').bounding_box()
        assert box is not None
        at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.touchscreen.tap(*at)
        return at

    def size(self, name: str) -> float:
        """Return the width of a place in pixels."""
        box = self.page.locator(f'.place[aria-label^="{name}:"]').bounding_box()
        assert box is not None
        return box["width"]


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    size: Any = {"width": 360, "height": 740}
    with browser.new_context(viewport=size, has_touch=True) as context:
        yield context.new_page()


def table(page: Page, name: str, **options: Any) -> Table:
    game = make_game(name, options)
    found = Table(page, game, game.start(2, 1))
    found.open()
    found.ask()
    return found


@pytest.mark.parametrize(
    ("name", "options", "place", "near"),
    [
        ("go", {"size": 19}, "Q4", "R4"),
        ("gomoku", {"size": 19}, "c17", "c16"),
        ("open_spiel/othello", {}, "d3", "e6"),
    ],
)
def test_a_small_place_is_enlarged_and_played_by_a_second_tap(
    phone: Page, name: str, options: dict[str, Any], place: str, near: str
) -> None:
    if name.startswith("open_spiel"):
        pytest.importorskip("pyspiel")
    playing = table(phone, name, **options)
    assert playing.size(place) < FINGER

    at = playing.tap(place)
    expect(phone.get_by_role("status")).to_contain_text(f"{place}: tap it again")
    playing.expect_lines()
    assert playing.size(place) >= FINGER - 0.5
    box = phone.locator(f'.place[aria-label^="{place}:"]').bounding_box()
    assert box is not None
    assert abs(box["x"] + box["width"] / 2 - at[0]) < 1  # a double tap hits the same place
    assert abs(box["y"] + box["height"] / 2 - at[1]) < 1

    phone.get_by_role("button", name="whole board").click()
    assert playing.size(place) < FINGER
    expect(phone.get_by_role("status")).to_contain_text("Your turn")
    playing.tap(place)
    playing.tap(place)
    playing.expect_lines(place)
    playing.ask()
    playing.tap(place)
    playing.tap(near)
    playing.expect_lines(place, near)


def test_the_middle_of_pente_is_played_by_two_taps_and_by_one_click(phone: Page) -> None:
    playing = table(phone, "pente")
    playing.tap("0,0")
    playing.expect_lines()
    playing.tap("0,0")
    playing.expect_lines("0,0")
    playing.ask()
    phone.locator('.place[aria-label^="0,0:"]').click()
    playing.expect_lines("0,0", "0,0")


def test_a_board_with_large_places_is_played_by_one_tap(phone: Page) -> None:
    pytest.importorskip("pyspiel")
    playing = table(phone, "open_spiel/tic_tac_toe")
    playing.tap("(1,1)")
    playing.expect_lines("x(1,1)")


def test_a_man_is_chosen_by_one_tap_and_moved_by_two(phone: Page) -> None:
    playing = table(phone, "chess")
    playing.tap("e2")
    expect(phone.locator("[aria-selected=true]")).to_have_count(1)
    playing.tap("e4")
    playing.expect_lines()
    playing.tap("e4")
    playing.expect_lines("e2e4")


def test_the_choices_of_swap2_are_explained_and_tapped(phone: Page) -> None:
    game = make_game("gomoku", {"opening": "swap2"})
    state = game.start(2, 1)
    for move in ("h8", "i9", "a1"):
        state = game.apply(state, game.parse(move))
    playing = Table(phone, game, state._replace(turn=0))
    playing.open()
    playing.ask()
    expect(phone.get_by_role("status")).to_contain_text("place a white stone to keep White, or")
    swap = phone.get_by_role("button", name="swap: take Black")
    box = swap.bounding_box()
    assert box is not None
    assert box["height"] >= FINGER
    play = phone.get_by_role("button", name="play", exact=True).bounding_box()
    assert play is not None
    assert play["height"] < FINGER + 10  # its word is on one line
    swap.tap()
    playing.expect_lines("swap")


def test_promotions_are_offered_by_their_pieces(phone: Page) -> None:
    playing = table(phone, "chess", fen="8/P6k/8/8/8/8/8/K7 w - - 0 1")
    playing.tap("a7")
    playing.tap("a8")
    expect(phone.get_by_role("status")).to_contain_text("Choose one of the moves below.")
    phone.get_by_role("button", name="white knight").tap()
    playing.expect_lines("a7a8n")


def test_text_typed_while_the_bots_get_ready_waits_for_its_turn(own_tab: Page) -> None:
    game = make_game("pente", {})
    playing = Table(own_tab, game, game.start(2, 1))
    playing.open()
    typed = own_tab.get_by_label("type a move")
    typed.fill("0,0")
    own_tab.keyboard.press("Enter")
    expect(typed).to_have_value("0,0")
    playing.ask()
    expect(typed).to_have_value("0,0")
    playing.expect_lines()
    own_tab.keyboard.press("Enter")
    expect(typed).to_have_value("")
    playing.expect_lines("0,0")


def test_a_hint_goes_with_its_position(own_tab: Page) -> None:
    playing = table(own_tab, "pente")
    log = own_tab.get_by_role("log")
    playing.tell("said", seat=0, shown=1, text="searcher would play 0,0 (value +3)")
    playing.tell("said", seat=0, shown=1, text="not legal: 99")
    expect(log).to_contain_text("would play")
    expect(own_tab.locator(".hinted")).to_have_count(1)
    playing.ask()
    expect(log).not_to_contain_text("would play")
    expect(log).to_contain_text("not legal")
    expect(own_tab.locator(".hinted")).to_have_count(0)
    playing.tell("said", seat=0, shown=1, text="searcher would play 0,0")
    expect(log).not_to_contain_text("would play")


def test_the_seats_of_a_text_board_have_its_marks(own_tab: Page) -> None:
    pytest.importorskip("pyspiel")
    table(own_tab, "open_spiel/ultimate_tic_tac_toe")
    players = own_tab.locator(".players li")
    expect(players.nth(0)).to_contain_text("x")
    expect(players.nth(1)).to_contain_text("o")
    expect(own_tab.locator(".players .dot")).to_have_count(0)
    size = own_tab.locator(".diagram").evaluate("(node) => getComputedStyle(node).fontSize")
    assert float(size.removesuffix("px")) > 24
