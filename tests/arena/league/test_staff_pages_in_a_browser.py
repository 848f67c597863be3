"""The pages of staff in a real browser: at all widths, light and dark, by their labels alone."""

from collections.abc import Iterator

import pytest
from browsers import follow
from playwright.sync_api import Browser, Page, expect
from running import Running, is_clean, set_password, started


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("staff") / "our-league"
    with started(folder, more="grades: [{against: greedy, score: 60}]\n") as found:
        yield found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def test_staff_sets_a_deadline_gives_an_extension_and_freezes(running: Running, page: Page) -> None:
    set_password(page, running.staff_link)
    page.get_by_label("Class list").fill("Anna Lenz\nBen Okafor; Blue")
    follow(page.get_by_role("button", name="Add"))

    page.goto(f"{running.address}/staff/season")
    page.get_by_label("Deadline in UTC").fill("2999-12-24T18:00:00")
    page.get_by_label("Late hand-ins").select_option("closed")
    follow(page.get_by_role("button", name="Set the deadline"))
    expect(page.get_by_text("Deadline: 2999-12-24 18:00:00 UTC.")).to_be_visible()
    page.locator("select[name=who]").select_option(label="team Blue")
    page.get_by_label("Until, in UTC").fill("2999-12-25T18:00:00")
    follow(page.get_by_role("button", name="Give the extension"))
    expect(page.get_by_text("team Blue: until 2999-12-25 18:00:00 UTC")).to_be_visible()
    follow(page.get_by_role("button", name="Freeze the table"))
    expect(page.get_by_text("Frozen since")).to_be_visible()
    is_clean(page)
    follow(page.get_by_role("button", name="Reveal the table"))
    expect(page.get_by_role("button", name="Freeze the table")).to_be_visible()

    for name in ("staff/actions", "staff/grades", "finals", "staff"):
        page.goto(f"{running.address}/{name}")
        is_clean(page)
    page.goto(f"{running.address}/staff/grades")
    row = page.get_by_role("table").get_by_role("row", name="Anna Lenz")
    expect(row.get_by_role("cell")).to_have_text(
        ["", "none", "", "", "at least 60 % against greedy", "no bot was named"]
    )
    page.goto(f"{running.address}/staff/actions")
    for action in ("set the deadline", "gave an extension", "froze the table", "revealed"):
        expect(page.get_by_text(action).first).to_be_visible()
