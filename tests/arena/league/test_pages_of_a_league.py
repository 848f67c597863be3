"""Pages show strangers' texts as texts, and every answer has the headers that keep it so."""

import asyncio
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from leagues import bearer, cast, client_of, hand_in, zipped

from arena.league.folder import League
from arena.league.hand_ins.versions import add_version
from arena.league.site.models import Bot, HandIn, Notice, RatingPoint
from arena.league.web.headers import POLICY

EVIL = "<script>alert(1)</script>\x1b[2J\u202e"


def test_logs_and_reports_are_texts(league: League) -> None:
    people = cast()
    receipt = hand_in(league, people.bot, b"bytes")
    HandIn.objects.update(log=EVIL, report=[EVIL], state="refused", ended=timezone.now())
    Notice.objects.create(text=EVIL)
    Bot.objects.filter(pk=people.bot.pk).update(parked=EVIL)
    client = client_of(people.staff)

    for address in (f"/hand-ins/{receipt.number}", "/staff", "/bots/deep-blue", "/"):
        page = client.get(address).content.decode()
        assert "<script" not in page, address
    assert "&lt;script&gt;" in client.get("/staff").content.decode()


@pytest.mark.parametrize("address", ["/", "/log-in", "/nothing", "/style/page.css", "/api/table"])
def test_every_answer_has_the_headers(address: str) -> None:
    answer = client_of(cast().owner).get(address)

    assert answer["Content-Security-Policy"] == POLICY
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert "script-src" not in POLICY
    assert "default-src 'none'" in POLICY


def test_a_cookie_of_a_session_is_for_this_site_alone() -> None:
    client = client_of(cast().owner)
    cookies = [each for name, each in client.cookies.items() if "csrf" not in name]

    assert len(cookies) == 2  # the session, and the mark of a browser that has logged in
    assert all(cookie["httponly"] for cookie in cookies)
    assert {cookie["samesite"] for cookie in cookies} == {"Lax"}


def test_a_handed_in_file_is_never_shown_as_a_page(league: League) -> None:
    people = cast()
    receipt = hand_in(league, people.bot, b"<html>", "x.py")

    answer = client_of(people.owner).get(f"/hand-ins/{receipt.number}/file")

    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["Content-Type"] == "application/octet-stream"
    assert asyncio.run(_whole(answer)) == b"<html>"
    answer.close()


async def _whole(answer: Any) -> bytes:
    return b"".join([part async for part in answer.streaming_content])


def test_a_hand_in_by_page_shows_its_receipt_and_renews_until_the_end() -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    client = client_of(cast().owner)
    file = SimpleUploadedFile("bot.zip", zipped({"bot.yaml": "x"}))

    answer = client.post("/bots/deep-blue/hand-ins", {"file": file}, follow=True)

    row = HandIn.objects.get()
    assert row.digest in answer.content.decode()
    assert answer["Refresh"] == "2"
    HandIn.objects.update(state="refused")
    assert "Refresh" not in client.get(f"/hand-ins/{row.pk}")


def test_a_hand_in_by_the_api_and_its_state() -> None:
    owner = cast().owner
    headers = {**bearer(owner), "X-File-Name": "bot%2Ezip"}
    client = Client(SERVER_NAME="localhost")

    answer = client.post(
        "/api/bots/deep-blue/hand-ins", b"bytes", "application/octet-stream", headers=headers
    )

    assert answer.status_code == 201
    state = client.get(answer.json()["url"], headers=headers).json()
    assert (state["state"], state["is_open"], state["size"]) == ("waiting", True, 5)


def test_a_wrong_file_is_refused_with_a_reason() -> None:
    owner = cast().owner
    answer = Client(SERVER_NAME="localhost").post(
        "/api/bots/deep-blue/hand-ins", b"x", "application/octet-stream", headers=bearer(owner)
    )

    assert answer.status_code == 400
    assert "hand in a .zip" in answer.json()["error"]


def test_the_rating_over_time_is_a_picture_with_a_mark_for_each_version() -> None:
    people = cast()
    for number in (1, 2):
        version = add_version(people.bot, f"tree {number}")
        for matches in (2, 10):
            RatingPoint.objects.create(
                version=version,
                happened=timezone.now(),
                rating=1500 + matches,
                error=50,
                matches=matches,
            )
    page = client_of(people.owner).get("/bots/deep-blue").content.decode()

    assert page.count('<circle class="charged') == 2
    assert ">v2</text>" in page
    assert 'aria-label="Rating over time, now 1510 ±50"' in page


def test_staff_sees_links_once_and_students_never(league: League) -> None:
    people = cast()
    client = client_of(people.staff)

    page = client.post("/staff/class-list", {"list": "Anna\nBen; Blue"}).content.decode()

    assert page.count("http://localhost/link/") == 2
    assert "/link/" not in client.get("/staff").content.decode()
    assert league.site_db.exists()


@pytest.mark.parametrize(
    ("versions", "parked", "sentence"),
    [
        (0, "", "Refused; no version of this bot plays."),
        (1, "five faults", "Refused; no version of this bot plays."),
        (1, "", "Refused; the version before it plays on."),
    ],
)
def test_a_refusal_says_whether_a_version_plays(
    league: League, versions: int, parked: str, sentence: str
) -> None:
    people = cast()
    for number in range(versions):
        add_version(people.bot, f"tree {number}", "digest", ".zip")
    Bot.objects.update(parked=parked)
    receipt = hand_in(league, people.bot, b"two")
    HandIn.objects.update(state=HandIn.REFUSED)

    page = client_of(people.owner).get(f"/hand-ins/{receipt.number}").content.decode()

    assert sentence in page
