"""A new season in one action: results begin anew, the best become house bots, priors are kept."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from django.utils import timezone
from events import job_of, player, won_by
from kept import kept
from leagues import cast, client_of, zipped
from test_league_director import NAMES, Bench

from arena.errors import UsageError
from arena.league.directing.roster import Roster
from arena.league.directing.standing import Standing
from arena.league.files import keep
from arena.league.folder import GradeSection, League
from arena.league.persons.people import add_person
from arena.league.seasons.deadlines import open_season, season_now
from arena.league.seasons.freeze import freeze
from arena.league.seasons.grade_files import csv_text
from arena.league.seasons.grades import grading_of
from arena.league.seasons.next_season import next_season
from arena.league.site.models import Audit, Bot, Final, RatingPoint, Season, Version
from arena.league.upkeep.backups import back_up, export_season, restore
from arena.results.store import Store
from referee.job import Job
from referee.records.match_end import MatchEnd

FILES = {"bot.yaml": 'run: ["{python}", main.py]\n', "main.py": "print()\n"}


def alphabetical(job: Job) -> MatchEnd:
    """The bot with the name that comes first wins."""
    return MatchEnd(job, won_by(job, job.names().index(min(job.names()))).finished())


@pytest.fixture
def bench(league: League, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    open_season("season-1")
    bench = Bench(league)
    archive = keep(league.files, [zipped(FILES)], 10_000).digest
    source = keep(league.files, [b"print()\n"], 10_000).digest
    Version.objects.update(digest=archive, suffix=".zip")
    Version.objects.filter(player="bob.1").update(digest=source, suffix=".py")
    bench.play(alphabetical, 30)
    return bench


def test_the_best_become_house_bots_and_everything_else_begins_anew(bench: Bench) -> None:
    last = {version.player: version.rating for version in Version.objects.all()}
    best = Version.objects.order_by("place", "-rating").values_list("bot__name", flat=True)[:3]
    expected = [f"{name}-season-1" for name in best]

    house = next_season(bench.league, "season-2")

    assert house == expected
    config = bench.league.season()
    assert config.name == "season-2"
    assert [bot.name for bot in config.bots] == ["random", "greedy", "searcher", *house]
    for name in house:
        assert Bot.objects.get(name=name).home == last[name.replace("-season-1", ".1")]
    old, new = Season.objects.order_by("pk")
    assert (old.name, old.ended is None, new.name) == ("season-1", False, "season-2")
    assert {row["player"]: row["rating"] for row in old.table} == last
    assert {version.rating for version in Version.objects.all()} == {None}
    assert {bot.active.number for bot in Bot.objects.exclude(team=None)} == {1}
    assert Audit.objects.filter(action="began a season").exists()


def test_the_grades_of_a_season_are_kept_at_its_end(bench: Bench) -> None:
    anna = add_person("Anna")
    Bot.objects.filter(name="ann").update(team=anna.teams.get())
    Bot.objects.filter(name="bob").update(team=None)
    for names in (("ann.1", "bob.1"), ("bob.1", "ann.1")):
        kept(bench.league, won_by(job_of(*names, key=f"{names[0]} first"), 0))
    site = bench.league.site.model_copy(update={"grades": (GradeSection(against="bob", score=60),)})
    league = replace(bench.league, site=site)
    with grading_of(league) as grading:
        expected = csv_text(grading.grades())

    next_season(league, "season-2")

    path = league.folder / "seasons" / "season-1.csv"
    assert path.read_text() == f"\ufeff{expected}"
    with grading_of(league) as grading:
        assert csv_text(grading.grades()) != expected, "the new season has grades of its own"
    assert path.stat().st_mode & 0o077 == 0


def test_without_rules_no_grades_are_kept(bench: Bench) -> None:
    next_season(bench.league, "season-2")

    assert [path.suffix for path in (bench.league.folder / "seasons").iterdir()] == [".yaml"]


def test_the_first_ratings_of_a_season_lie_near_the_last_ones(bench: Bench) -> None:
    last = {version.player: version.rating for version in Version.objects.all()}
    points = RatingPoint.objects.count()
    next_season(bench.league, "season-2")
    bench.config = bench.league.season()

    elos = Standing({}).fitted(list(last)).elos
    assert {name: round(elo.value) for name, elo in elos.items()} == {
        name: round(rating) for name, rating in last.items()
    }
    assert all(elo.high - elo.low > 800 for elo in elos.values())
    bench.play(alphabetical, 14)

    fresh = RatingPoint.objects.filter(pk__gt=points)
    assert {point.season.name for point in fresh} == {"season-2"}
    assert fresh


def test_the_seed_of_the_last_season_is_told_and_that_of_the_new_one_is_another(
    bench: Bench, tmp_path: Path
) -> None:
    with closing(bench.open()) as store:
        event = store.latest_event("season-1")
    assert event is not None
    next_season(bench.league, "season-2")
    bench.config = bench.league.season()
    bench.play(alphabetical, 2)

    export_season(bench.league, tmp_path / "all.db")

    with closing(Store(tmp_path / "all.db")) as store:
        old, new = store.latest_event("season-1"), store.latest_event("season-2")
    assert old is not None
    assert new is not None
    assert (old.seed, new.seed) == (event.seed, 0)


def test_a_backup_has_the_house_bots_of_earlier_seasons(bench: Bench, tmp_path: Path) -> None:
    next_season(bench.league, "season-2")
    back_up(bench.league, tmp_path / "backup.tar")

    made = restore(tmp_path / "backup.tar", tmp_path / "elsewhere")

    assert [bot.broken for bot in made.season().bots] == [""] * 6
    assert (made.folder / "seasons" / "season-1.yaml").is_file()


def test_a_name_that_an_entrant_has_taken_is_left_to_them(bench: Bench) -> None:
    best = Version.objects.order_by("place", "-rating").select_related("bot")[0].bot.name
    other = next(name for name in NAMES if name != best)
    Bot.objects.filter(name=other).update(name=f"{best}-season-1")

    assert next_season(bench.league, "season-2")[0] == f"{best}-season-1-2"


@pytest.mark.parametrize("name", ["season-1", "", "a\nb", "spring 2027", "x" * 300])
def test_what_cannot_begin_changes_nothing(bench: Bench, name: str) -> None:
    before = (bench.league.folder / "season.yaml").read_text()

    with pytest.raises(Exception, match=r".") as caught:
        next_season(bench.league, name)

    assert caught.type.__module__ == "arena.errors"
    assert ".yaml" not in str(caught.value), "a file that is gone is no help"
    assert not (bench.league.folder / "alumni").exists()
    assert (bench.league.folder / "season.yaml").read_text() == before
    season = season_now()
    assert season is not None
    assert (season.name, season.ended) == ("season-1", None)
    assert Version.objects.exclude(rating=None).count() == len(NAMES)


def test_a_frozen_season_is_revealed_before_its_end(bench: Bench) -> None:
    freeze(cast().staff, None)

    with pytest.raises(UsageError, match="reveal it first"):
        next_season(bench.league, "season-2")


def test_an_interrupted_final_is_played_before_the_end_of_its_season(bench: Bench) -> None:
    final = Final.objects.create(season=open_season("season-1"), locked=timezone.now())

    with pytest.raises(UsageError, match="`arena league final` plays the rest"):
        next_season(bench.league, "season-2")

    Final.objects.filter(pk=final.pk).update(ended=timezone.now())
    next_season(bench.league, "season-2")


def test_a_past_season_and_its_bots_stay_readable(bench: Bench) -> None:
    people = cast()
    matches = bench.play(alphabetical, 1)
    last = {version.player: version.rating for version in Version.objects.exclude(rating=None)}
    client = client_of(people.rival)
    assert "Past seasons" not in client.get("/").content.decode()

    next_season(bench.league, "season-2")
    bench.config = bench.league.season()

    number = Season.objects.get(name="season-1").pk
    assert '<a href="/seasons">Past seasons</a>' in client.get("/").content.decode()
    assert f'<a href="/seasons/{number}">season-1</a>' in client.get("/seasons").content.decode()
    table = client.get(f"/seasons/{number}").content.decode()
    for player_name, rating in last.items():
        bot = player_name.removesuffix(".1")
        assert f'<a href="/seasons/{number}/bots/{bot}">{player_name}</a>' in table
        assert f"<td>{rating:.0f}</td>" in table
    page = client.get(f"/seasons/{number}/bots/ann").content.decode()
    assert f"at last {last['ann.1']:.0f} ±" in page
    own = [match for match in matches if "ann.1" in [seat.player for seat in match.seats]]
    assert f'<a href="/matches/{own[-1].id}">' in page
    assert client.get(f"/matches/{own[-1].id}").status_code == 200
    now = Season.objects.get(name="season-2").pk
    for path in (f"/seasons/{now}", f"/seasons/{2**70}", f"/seasons/{number}/bots/nobody"):
        assert client.get(path).status_code == 404
