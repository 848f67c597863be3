"""A match shows everybody its moves and result, and what a bot says or prints its owners alone."""

import base64
import re
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from events import rekeyed
from kept import kept
from leagues import Cast, cast, client_of
from preloaded import run
from random_matches import random_record

from arena.league.folder import League
from arena.league.hand_ins.reception import new_bot
from arena.league.hand_ins.versions import add_version
from arena.league.persons.people import add_person
from arena.league.site.models import Person
from arena.results.store import MatchRow, Store
from protocol.vocabulary import Termination
from referee.records.record import Fault, Printed, Record

NOTE, PRINTED, DETAIL = "my secret plan", "print of my search", "detail of my crash"
MINE, THEIRS = "deep-blue.1", "rook.1"


def spoken(*names: str, mark: str = "own") -> Record:
    """Return a match of these players, of whom the first says, prints and breaks something."""
    record = random_record("pente", plies=12, note="nothing", value=3)
    players = tuple(
        replace(player, name=name) for player, name in zip(record.job.players, names, strict=True)
    )
    calls = [
        replace(call, note=f"{NOTE} {mark}" if call.seat == 0 else None) for call in record.calls
    ]
    fault = Fault(
        seat=0, termination=Termination.CRASH, detail=f"{DETAIL} {mark}", call="move", ply=12
    )
    verdict = replace(
        record.verdict,
        termination=Termination.CRASH,
        reason=f"seat 0: {DETAIL} {mark}",
        faults=(fault,),
        places=(2, 1),
    )
    seats = [replace(seat, name=name) for seat, name in zip(record.seats, names, strict=True)]
    seats[0] = replace(
        seats[0],
        hello={"name": f"{NOTE} {mark}"},
        output_tail=f"{PRINTED} {mark}",
        printed=[Printed(0, "at the start"), Printed(1, f"<b>{PRINTED}</b> {mark}\x1b[2J")],
    )
    job = replace(record.job, players=players)
    return replace(record, job=job, calls=type(record.calls)(calls), seats=seats, verdict=verdict)


@pytest.fixture
def people() -> Cast:
    people = cast()
    add_version(people.bot, "tree")
    add_version(new_bot(people.rival, people.rival.teams.get(), "rook"), "tree")
    return people


def board_of(page: str) -> str:
    """Return the unpacked data of the page of a board."""
    packed = page.split('id="data">')[1].split("</script>", maxsplit=1)[0].split()
    return "".join(zlib.decompress(base64.b64decode(line)).decode() for line in packed)


def everything(person: Person | None, row: MatchRow, folder: Path) -> str:
    """Return all that a person is shown of a match, as one text."""
    client = client_of(person)
    address = f"/matches/{row.id}"
    page = client.get(address).content.decode()
    board = board_of(client.get(f"{address}/board").content.decode())
    file = folder / "match.db"
    file.write_bytes(client.get(f"{address}/file").content)
    store = Store(file)
    record: Any = store.record_line(1)
    store.close()
    return f"{page}{board}{record}{file.read_bytes()!r}"


@pytest.mark.parametrize("secret", [NOTE, PRINTED, DETAIL])
def test_what_a_bot_says_prints_and_breaks_is_its_owners_and_staffs(
    people: Cast, league: League, tmp_path: Path, secret: str
) -> None:
    (row,) = kept(league, spoken(MINE, THEIRS))
    other = add_person("Otto")
    other.set_password("correct horse")
    other.save()

    seen = {
        name: secret in everything(person, row, tmp_path)
        for name, person in {**vars(people), "other": other}.items()
        if isinstance(person, Person)
    }

    assert seen == {"owner": True, "mate": True, "staff": True, "rival": False, "other": False}


def test_everybody_sees_moves_result_and_kind_of_fault(people: Cast, league: League) -> None:
    (row,) = kept(league, spoken(MINE, THEIRS))
    client = client_of(people.rival)

    page = client.get(f"/matches/{row.id}").content.decode()
    board = board_of(client.get(f"/matches/{row.id}/board").content.decode())

    assert "crash" in page
    assert f"Calls of {MINE}" not in page
    assert f'"{spoken(MINE, THEIRS).calls[0].notation}"' in board


def test_the_owner_sees_output_and_times_beside_each_call(people: Cast, league: League) -> None:
    (row,) = kept(league, spoken(MINE, THEIRS))

    page = client_of(people.owner).get(f"/matches/{row.id}").content.decode()

    assert f"Calls of {MINE}" in page
    assert f"Calls of {THEIRS}" not in page
    assert "at the start" in page
    assert f"<b>{PRINTED}" not in page
    assert f"&lt;b&gt;{PRINTED}" in page
    assert "\x1b" not in page
    assert page.count(NOTE) == 6
    assert f"{DETAIL} own (ply 12)" in page


def test_the_file_of_a_match_replays_at_home(people: Cast, league: League, tmp_path: Path) -> None:
    (row,) = kept(league, spoken(MINE, THEIRS))
    answer = client_of(people.owner).get(f"/matches/{row.id}/file")
    file = tmp_path / f"match-{row.id}.db"
    file.write_bytes(answer.content)

    told = run("replay", "1", "--db", str(file), "--at", "4", timeout=200, cwd=tmp_path)

    assert answer["Content-Disposition"] == f'attachment; filename="{file.name}"'
    assert told.returncode == 0, told.stderr
    assert str(spoken(MINE, THEIRS).calls[3].notation) in told.stdout
    assert [path.name for path in tmp_path.glob("match-*")] == [file.name]


@pytest.mark.parametrize("plies", [1, 5, 30])
def test_the_command_on_the_page_fits_the_match(
    plies: int, people: Cast, league: League, tmp_path: Path
) -> None:
    record = random_record("pente", plies=plies)
    players = tuple(
        replace(player, name=name)
        for player, name in zip(record.job.players, (MINE, THEIRS), strict=True)
    )
    seats = [
        replace(seat, name=player.name) for seat, player in zip(record.seats, players, strict=True)
    ]
    (row,) = kept(league, replace(record, job=replace(record.job, players=players), seats=seats))
    client = client_of(people.owner)
    (tmp_path / f"match-{row.id}.db").write_bytes(client.get(f"/matches/{row.id}/file").content)
    page = client.get(f"/matches/{row.id}").content.decode()
    (command,) = re.findall(r"arena (replay .*) --to ./my-bot", page)

    told = run(*command.split(), "--to", "greedy", timeout=200, cwd=tmp_path)

    assert told.returncode == 0, told.stderr


def test_the_page_of_faults_lists_all_of_the_version_that_plays(
    people: Cast, league: League
) -> None:
    records = [rekeyed(spoken(MINE, THEIRS, mark=f"no {n}"), f"k{n}") for n in range(3)]
    kept(league, *records, rekeyed(spoken(THEIRS, MINE), "their own"))

    page = client_of(people.owner).get("/bots/deep-blue/faults").content.decode()

    assert "3 crash" in page
    assert all(f"{DETAIL} no {n}" in page for n in range(3))
    add_version(people.bot, "newer tree")
    assert "None since" in client_of(people.owner).get("/bots/deep-blue/faults").content.decode()


def test_the_page_of_a_bot_has_its_results_against_each_rival(people: Cast, league: League) -> None:
    records = [spoken(MINE, THEIRS), spoken(THEIRS, MINE), spoken(MINE, THEIRS)]
    kept(league, *(rekeyed(record, f"k{n}") for n, record in enumerate(records)))

    def cells() -> list[str]:
        page = client_of(people.rival).get("/bots/deep-blue").content.decode()
        rows = page.split('aria-label="Rivals"')[1].split("<tbody>")[1].split("</tbody>")[0]
        return [cell.split("<")[0] for cell in rows.split("<td>")[2:]]

    assert cells() == ["3", "1", "0", "2", "33 %"]
    kept(league, rekeyed(spoken(THEIRS, MINE), "k3"))
    assert cells() == ["4", "2", "0", "2", "50 %"]
    with closing(Store(league.arena_db)) as store, store.database.transaction() as db:
        db.execute("UPDATE match SET aside = 1 WHERE id = 1")
    assert cells() == ["3", "2", "0", "1", "67 %"]
