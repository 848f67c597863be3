"""A link that survives a restart of the server, and a server before the first event."""

import json
import os
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest
from events import new_event, new_store
from playwright.sync_api import Page, expect
from watching import serving

from arena.errors import UsageError
from arena.pages.token_file import kept_token


def test_a_token_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "token"

    token = kept_token(path)

    assert kept_token(path) == token
    assert len(token) >= 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert kept_token(tmp_path / "other") != token


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602])
def test_a_token_that_others_may_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "token"
    kept_token(path)
    path.chmod(mode)

    with pytest.raises(UsageError, match="other users may read or change it"):
        kept_token(path)


@pytest.mark.parametrize("text", ["", "short", "a" * 40 + "\nmore", "ü" * 40, "a" * 500])
def test_a_file_of_another_kind_is_no_token(tmp_path: Path, text: str) -> None:
    path = tmp_path / "token"
    path.write_text(text)
    path.chmod(0o600)

    with pytest.raises(UsageError, match="holds no token; remove it"):
        kept_token(path)
    assert path.read_text() == text


def test_no_link_pipe_or_folder_is_followed_for_a_token(tmp_path: Path) -> None:
    kept_token(tmp_path / "token")
    (tmp_path / "link").symlink_to("token")
    os.mkfifo(tmp_path / "pipe", 0o600)

    for name in ("link", "pipe", "", "missing/token"):
        with pytest.raises(UsageError, match="--token "):
            kept_token(tmp_path / name)


def test_an_open_page_shows_the_first_event_of_its_database(tmp_path: Path, page: Page) -> None:
    with serving(tmp_path) as line:
        page.goto(line.split()[-1])
        expect(page.get_by_text("No event has begun yet")).to_be_visible()

        with closing(new_store(tmp_path)) as store:
            new_event(store)

        expect(page.get_by_role("link", name="event", exact=True)).to_be_visible()
        page.goto("about:blank")  # before the server ends: a lost connection is a complaint


def test_a_link_survives_a_restart_of_a_server_that_began_before_its_events(
    tmp_path: Path,
) -> None:
    links = []
    for number in range(2):
        with serving(tmp_path, "--token", "token") as line:
            link = line.split()[-1]
            links.append(link)
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            opener.open(link, timeout=60).close()  # the cookie of the token
            site = link.partition("/?")[0]
            with opener.open(f"{site}/api/events", timeout=60) as answer:
                assert len(json.load(answer)) == number
            with closing(new_store(tmp_path)) as store:
                new_event(store)
            with opener.open(f"{site}/api/events", timeout=60) as answer:
                assert len(json.load(answer)) == number + 1

    first, again = (link.partition("token=")[2] for link in links)
    assert first == again == kept_token(tmp_path / "token")
