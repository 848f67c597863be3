"""What a student does besides handing in: looks why a bot lost, challenges, plays against it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from browsers import follow
from leagues import zipped
from playwright.sync_api import Browser, BrowserContext, Page, expect
from running import PROJECTOR, WIDTHS, Running, is_clean, set_password, started
from waiting import becomes

from arena.bots.scaffold import write_bot
from arena.results.store import Store

ALL_WIDTHS = (*WIDTHS, PROJECTOR)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with started(tmp_path_factory.mktemp("own-pages") / "our-league") as running:
        yield running


@pytest.fixture(scope="module")
def student(
    running: Running, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """A student who has handed in a bot that prints, logged in."""
    folder = tmp_path_factory.mktemp("bots") / "mine"
    write_bot("python", folder, "pente")
    files = {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
    main = next(name for name in files if name.endswith(".py") and name != "arena_bot.py")
    files[main] = f"import sys\nprint('my search begins', file=sys.stderr)\n{files[main]}"
    context = browser.new_context()
    page = context.new_page()
    set_password(page, running.staff_link)
    page.get_by_label("Class list").fill("Anna")
    follow(page.get_by_role("button", name="Add"))
    link = page.locator("code").first.inner_text()
    follow(page.get_by_role("button", name="Log out"))
    set_password(page, link)
    page.get_by_label("Name").fill("anna-bot")
    follow(page.get_by_role("button", name="Add the bot"))
    file = {
        "name": "bot.zip",
        "mimeType": "application/octet-stream",
        "buffer": zipped(files),
    }
    page.get_by_label("File for").set_input_files(file)  # type: ignore[arg-type]
    follow(page.get_by_role("button", name="Hand in"))
    expect(page.get_by_text("Accepted: version 1 plays.")).to_be_visible()
    yield context
    context.close()


@pytest.fixture
def page(student: BrowserContext) -> Iterator[Page]:
    page = student.new_page()
    yield page
    page.close()


def first_match(running: Running) -> int:
    """Return the number of the first match of the bot."""

    def numbers() -> list[int]:
        with closing(Store(running.folder / "arena.db")) as store:
            query = "SELECT match FROM seat WHERE player = 'anna-bot.1' ORDER BY match"
            return [number for (number,) in store.database.rows(query)]

    assert becomes(lambda: bool(numbers()))
    return numbers()[0]


def test_the_owner_sees_what_the_bot_printed_and_how_to_replay_it(
    running: Running, page: Page, tmp_path: Path
) -> None:
    number = first_match(running)
    page.goto(f"{running.address}/matches/{number}")

    calls = page.get_by_role("region", name="Calls of anna-bot.1")
    expect(calls.get_by_text("my search begins")).to_be_visible()
    expect(page.get_by_text(f"arena replay 1 --db match-{number}.db")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("link", name=f"match-{number}.db").click()
    saved.value.save_as(tmp_path / "match.db")
    with closing(Store(tmp_path / "match.db")) as store:
        assert "anna-bot.1" in store.record(1).job.names()
    is_clean(page, ALL_WIDTHS)
    for address in ("/bots/anna-bot", "/bots/anna-bot/faults", "/bots/greedy"):
        page.goto(f"{running.address}{address}")
        is_clean(page, ALL_WIDTHS)


def test_a_challenge_is_asked_for_and_played(running: Running, page: Page) -> None:
    page.goto(f"{running.address}/bots/anna-bot")
    follow(page.get_by_role("link", name="Challenges of"))
    page.get_by_label("Against").select_option("random")
    follow(page.get_by_role("button", name="Challenge"))

    row = page.get_by_role("row").filter(has_text="random")
    expect(row).to_contain_text("Anna")
    assert becomes(lambda: bool(page.reload() and "over" in row.inner_text()))
    is_clean(page, ALL_WIDTHS)
    follow(row.get_by_role("link").first)
    expect(page.get_by_text("Not rated.")).to_be_visible()


def test_a_person_plays_against_the_own_bot_by_keyboard(running: Running, page: Page) -> None:
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.goto(f"{running.address}/bots/anna-bot")
    page.get_by_role("link", name="Play against").press("Enter")
    page.wait_for_load_state()
    is_clean(page, ALL_WIDTHS)
    page.get_by_role("button", name="Play").press("Enter")

    expect(page.get_by_text("Your turn")).to_be_visible()
    is_clean(page, ALL_WIDTHS)
    page.get_by_placeholder("type a move").fill("hint ./anything")
    page.keyboard.press("Enter")
    expect(page.get_by_text("type hint alone")).to_be_visible()
    page.get_by_placeholder("type a move").fill("0,0")
    page.keyboard.press("Enter")
    expect(page.locator(".playing .piece")).to_have_count(2)

    page.goto(f"{running.address}/bots/greedy/play")
    follow(page.get_by_role("button", name="Play"))
    expect(page.get_by_text("you are playing a match")).to_be_visible()
    follow(page.get_by_role("link", name="continue"))
    page.get_by_role("button", name="resign").click()
    page.get_by_role("button", name="yes").click()
    expect(page.get_by_role("link", name="new match")).to_be_visible()
    assert [each for each in errors if "409" not in each] == []
    with closing(Store(running.folder / "arena.db")) as store:
        assert not any(event.name == "play" for event in store.events())
