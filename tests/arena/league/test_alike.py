"""Bots that play alike are found by their moves, and sources are written for other tools."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from events import first_wins, job_of, player
from fakes import FIRST, RESIGN, FakeBot, played
from leagues import cast, client_of, zipped
from test_league_director import Bench

from arena.errors import UsageError
from arena.league.directing.roster import Roster
from arena.league.files import keep
from arena.league.folder import League
from arena.league.hand_ins.versions import add_version
from arena.league.seasons.alike import (
    LEAST,
    Alike,
    _units,
    alike,
    alike_text,
    compared,
    write_sources,
)
from arena.league.site.models import Bot, Team, Version
from referee.records.calls import Calls
from referee.records.record import Record

FILES = {"bot.yaml": 'run: ["{python}", main.py]\n', "main.py": "print(1)\n"}


def record_of(moves: int) -> Record:
    """Return a match in which each seat makes the first legal move this many times."""
    bots = [FakeBot(*[FIRST] * moves, RESIGN), FakeBot(*[FIRST] * moves, RESIGN)]
    return played(job_of("ann", "bob"), bots).record


def test_equal_matches_agree_in_every_move() -> None:
    one, other = record_of(5), record_of(5)
    moves = sum(call.move is not None for call in one.calls)

    assert compared(one, other) == (moves, moves)
    assert moves >= 10


def test_a_comparison_ends_with_the_first_other_move() -> None:
    one, other = record_of(5), record_of(5)
    calls = list(other.calls)
    at = [number for number, call in enumerate(calls) if call.move is not None][4]
    calls[at] = replace(calls[at], move={"at": "elsewhere"})
    assert compared(one, replace(other, calls=Calls(calls))) == (4, 5)


def test_the_list_names_copies_first_and_what_is_usual() -> None:
    found = [
        Alike("ann", "bob", 40, 40, has_same_files=True),
        Alike("cat", "dan", 30, 60),
        Alike("cat", "eve", 6, 60),
    ]

    assert alike_text(found) == [
        "ann and bob: the same files; 40 of 40 moves alike in the same position (100 %)",
        "cat and dan: 30 of 60 moves alike in the same position (50 %)",
        "cat and eve: 6 of 60 moves alike in the same position (10 %)",
        "the median of these pairs is 50 %",
    ]
    assert str(LEAST) in alike_text([])[0]


def test_bots_of_one_team_are_not_listed_and_equal_files_always(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    bench = Bench(league)
    bench.play(first_wins, 20)
    with closing(bench.open()) as store:
        assert alike(store, bench.season(store)[1].id) == []
    other = Team.objects.create(name="other", folded="other")
    Bot.objects.filter(name="dan").update(team=other)
    Version.objects.filter(player="dan.1").update(tree="tree of ann")

    found = alike(None, 0)

    assert found == [Alike("ann", "dan", 0, 0, has_same_files=True)]


def test_sources_are_a_folder_a_bot(league: League, tmp_path: Path) -> None:
    team = Team.objects.create(name="all", folded="all")
    for name, data, suffix in (
        ("ann", zipped({f"inner/{name}": text for name, text in FILES.items()}), ".zip"),
        ("bob", b"print(2)\n", ".py"),
    ):
        version = Version.objects.create(
            bot=Bot.objects.create(name=name, team=team),
            number=1,
            player=f"{name}.1",
            tree=name,
            digest=keep(league.files, [data], 10_000).digest,
            suffix=suffix,
            accepted="2026-01-01T00:00Z",
        )
        Bot.objects.filter(name=name).update(active=version)

    assert write_sources(league, tmp_path / "sources") == 2

    written = {
        str(path.relative_to(tmp_path / "sources")): path.read_text()
        for path in (tmp_path / "sources").rglob("*")
        if path.is_file()
    }
    assert written == {
        "ann/bot.yaml": FILES["bot.yaml"],
        "ann/main.py": "print(1)\n",
        "bob/main.py": "print(2)\n",
    }
    with pytest.raises(UsageError, match="exists"):
        write_sources(league, tmp_path / "sources")


def test_staff_reads_the_list_on_a_page_and_looks_at_the_latest_matches(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    people = cast()
    bench = Bench(league)
    client = client_of(people.staff)
    for name in ("eve", "joe"):
        team = Team.objects.create(name=name, folded=name)
        add_version(Bot.objects.create(name=name, team=team), "the same tree")

    page = client.get("/staff/alike").content.decode()
    assert '<a href="/bots/eve">eve</a>' in page
    assert '<span class="fault">the same</span>' in page

    bench.play(first_wins, 8)
    with closing(bench.open()) as store:
        event = bench.season(store)[1].id
        owners = {version.player: version.bot for version in Version.objects.all()}
        assert len(_units(store, event, owners, None)) > 1
        assert sum(map(len, _units(store, event, owners, 2).values())) <= 1
