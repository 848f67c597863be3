"""The API for scripts: its reference names every address and field, and its how-to works."""

import logging
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from events import first_wins, player
from leagues import Cast, bearer, cast, client_of, hand_in, zipped
from pushing import BOT, served
from test_league_director import Bench

from arena.errors import UsageError
from arena.league.directing.roster import Roster
from arena.league.folder import League
from arena.league.hand_ins.reception import receive
from arena.league.hand_ins.versions import add_version
from arena.league.persons.people import new_token
from arena.league.site.models import Bot, HandIn
from arena.league.web.routes import RULES

DOCS = Path(__file__).parents[3] / "docs"
REFERENCE = (DOCS / "reference" / "league-api.md").read_text()
HOW_TO = (DOCS / "howto" / "league-for-scripts.md").read_text()


@pytest.fixture
def people(league: League, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """A league with an accepted hand-in and matches."""
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    everybody = cast()
    receipt = hand_in(league, everybody.bot, zipped(BOT))
    version = add_version(everybody.bot, "tree")
    HandIn.objects.filter(pk=receipt.number).update(state=HandIn.ACCEPTED, version=version)
    Bench(league).play(first_wins, 12)
    return everybody


def sections() -> dict[str, str]:
    """Return the sections of the reference by the method and address of their titles."""
    parts = re.split(r"^### ", REFERENCE, flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0]: part for part in parts}


def test_the_reference_names_each_address() -> None:
    marks = {"<str:name>": "NAME", "<int:number>": "NUMBER"}
    found = set()
    for rule in RULES:
        address = rule.address
        for mark, name in marks.items():
            address = address.replace(mark, name)
        if rule.is_api:
            found.add(f"{rule.method} /{address}")
    assert set(sections()) == found


def test_the_reference_names_each_field(people: Cast) -> None:
    client, headers = client_of(), bearer(people.owner)
    number = client.get("/api/bots/deep-blue/matches", headers=headers).json()["matches"][0][
        "number"
    ]
    for title, text in sections().items():
        method, address = title.split()
        address = address.replace("NAME", "deep-blue")
        address = address.replace("NUMBER", str(number if "matches" in address else 1))
        if address.endswith("/file"):
            continue
        ask: Any = client.get if method == "GET" else client.post
        more: dict[str, Any] = {"headers": {**headers, "X-File-Name": "bot.zip"}}
        if method == "POST":
            more["data"] = zipped(BOT) if "hand-ins" in address else b'{"rival": "ann.1"}'
            more["content_type"] = "application/octet-stream"
        answer = ask(address, **more).json()
        assert list(answer) == re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE), title
        lists = [each for each in answer.values() if isinstance(each, list)]
        rows: list[Any] = next(filter(None, lists), [{}])
        if isinstance(rows[0], dict) and not re.search("as (above|below)", text):
            assert set(rows[0]) <= set(re.findall(r"`(\w+)`", text)), title


def test_an_answer_that_has_not_changed_is_not_sent_again(people: Cast) -> None:
    client, headers = client_of(), bearer(people.owner)
    first = client.get("/api/hand-ins/1", headers=headers)

    tag = {"If-None-Match": first["ETag"]}
    again = client.get("/api/hand-ins/1", headers={**headers, **tag})
    HandIn.objects.update(report=["news"])
    changed = client.get("/api/hand-ins/1", headers={**headers, **tag})

    assert (again.status_code, again.content) == (304, b"")
    assert changed.status_code == 200
    assert first["Cache-Control"] == "private, no-cache"
    stranger = client.get("/api/hand-ins/1", headers=tag)
    assert stranger.status_code == 401


def test_a_match_shows_what_own_bots_did_and_nothing_of_others(people: Cast) -> None:
    address = "/api/bots/deep-blue/matches"
    number = client_of().get(address, headers=bearer(people.owner)).json()["matches"][0]["number"]

    def own(person: Any) -> list[bool]:
        answer = client_of().get(f"/api/matches/{number}", headers=bearer(person)).json()
        return [bool(seat["own"]) for seat in answer["seats"]]

    assert sum(own(people.owner)) == sum(own(people.mate)) == 1
    assert not any(own(people.rival))
    assert all(own(people.staff))


def test_staff_hands_in_for_somebody_and_for_no_house_bot(people: Cast, league: League) -> None:
    address = "/api/bots/deep-blue/hand-ins"
    more = {"headers": {**bearer(people.staff), "X-File-Name": "bot.zip"}}
    answer: Any = client_of().post(
        address, zipped(BOT), content_type="application/octet-stream", **more
    )

    row = HandIn.objects.get(pk=answer.json()["number"])
    assert (row.bot.name, row.person.name, row.bot.team.name) == ("deep-blue", "Sam", "Blue")
    house = Bot.objects.create(name="house")
    with pytest.raises(UsageError, match=r"season\.yaml"):
        receive(league, people.staff, house, "bot.zip", [zipped(BOT)])


def test_a_full_disk_is_reported_in_the_log_and_not_to_the_person(
    people: Cast, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("arena.league.files.FREE_BYTES", 1 << 60)
    monkeypatch.setattr(logging.getLogger("django.request"), "handlers", [caplog.handler])

    answer: Any = client_of().post(
        "/api/bots/deep-blue/hand-ins",
        zipped(BOT),
        content_type="application/octet-stream",
        headers={**bearer(people.owner), "X-File-Name": "bot.zip"},
    )

    assert answer.status_code == 503
    assert "tell staff" in answer.json()["error"]
    assert "disk" not in answer.json()["error"]
    assert "MB free" in caplog.text


@contextmanager
def checked() -> Iterator[None]:
    """Accept each waiting hand-in, as a director would."""
    is_over = threading.Event()

    def check() -> None:
        while not is_over.wait(0.2):
            for row in HandIn.objects.filter(state=HandIn.WAITING):
                row.version, row.state = row.bot.versions.first(), HandIn.ACCEPTED
                row.save()
        connection.close()

    thread = threading.Thread(target=check)
    thread.start()
    yield
    is_over.set()
    thread.join()


def test_the_program_of_the_how_to_hands_in_and_reads_its_lost_matches(
    people: Cast, league: League, tmp_path: Path
) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", HOW_TO, re.DOTALL)
    (tmp_path / "agent.py").write_text(program)
    for name, text in BOT.items():
        path = tmp_path / "my-bot" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (tmp_path / "bin").mkdir()
    arena = tmp_path / "bin" / "arena"
    arena.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m arena "$@"\n')
    arena.chmod(0o755)
    with served(league) as host, checked():
        own = {
            "ARENA_LEAGUE": f"http://{host}",
            "ARENA_LEAGUE_TOKEN": new_token(people.owner, "agent"),
            "PAUSE_S": "0",
            "PATH": f"{arena.parent}:{os.environ['PATH']}",
        }
        ended = subprocess.run(
            [sys.executable, "agent.py"],
            cwd=tmp_path,
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            check=False,
        )

    assert ended.returncode == 0, ended.stderr
    assert "lost match" in ended.stdout
    assert HandIn.objects.filter(state=HandIn.ACCEPTED).count() > 1
