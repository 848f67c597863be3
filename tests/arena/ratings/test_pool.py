"""Ratings over several events, with versions of a bot apart, and on the scale of an anchor."""

from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from counted import results, sat
from events import crashed, job_of, keep, won_by

from arena.errors import UsageError
from arena.ratings.pool import Pool, pooled, versions_text
from arena.ratings.pooled_text import rate_together
from arena.ratings.rating import Elo, Rating, Ratings, rate_outcomes
from arena.ratings.text import RatingTerms, differences_text, rate_text, ratings_text
from arena.results.queries import find_event
from arena.results.store import Store
from referee.job import PERSON

OLD, NEW = "0123456789abcdef", "fedcba9876543210"


def play(store: Store, contents: dict[str, str], winners: str, game: str = "pente") -> int:
    """Play an event of two; their first letters, one a match, name the winners."""
    event = store.add_event("cup", 1, {"game": {"name": game}}, contents)
    names = tuple(contents)
    for number, winner in enumerate(winners):
        job = job_of(*names, key=f"{number}")
        players = [replace(each, content=contents[each.name]) for each in job.players]
        won = next(seat for seat, name in enumerate(names) if name.startswith(winner))
        keep(store, event, won_by(replace(job, players=tuple(players)), won))
    return event


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two databases: "mine" gets better against the same rival."""
    with closing(Store(tmp_path / "first.db", is_new_allowed=True)) as store:
        play(store, {"mine": OLD, "rival": "1"}, "rrrrrmr")
        play(store, {"mine": NEW, "rival": "1"}, "mrmmmrm")
    with closing(Store(tmp_path / "second.db", is_new_allowed=True)) as store:
        play(store, {"mine": NEW, "rival": "1"}, "mmrm")
    return tmp_path


def test_versions_of_a_bot_are_players_and_have_a_chart(folder: Path) -> None:
    names = [str(folder / "first.db"), str(folder / "second.db")]

    text = rate_together(folder / "arena.db", names, RatingTerms())

    assert text.startswith(
        "3 events: cup (first.db, event 1), cup (first.db, event 2), cup (second.db, event 1)\n"
    )
    table = [line.split()[1:3] for line in text.splitlines()[4:7]]
    assert [name for name, _ in table] == ["mine@fedcba98", "rival", "mine@01234567"]
    assert "\nmine by version, the oldest first:\nversion" in text
    chart = [line for line in text.splitlines() if line.startswith("mine@")]
    assert [line.split()[0] for line in chart] == ["mine@01234567", "mine@fedcba98"]
    assert chart[0].index("o", 14) < chart[1].index("o", 14)


def test_events_of_one_database_are_chosen_by_name_and_number(folder: Path) -> None:
    text = rate_together(folder / "first.db", ["1", "cup"], RatingTerms(has_differences=True))

    assert text.startswith("2 events: cup (first.db, event 1), cup (first.db, event 2)\n")
    assert "\ndifferences:\n" in text


def test_an_event_that_is_named_twice_counts_once(folder: Path) -> None:
    text = rate_together(folder / "first.db", ["1", str(folder / "first.db"), "2"], RatingTerms())

    assert text.startswith("2 events:")


def test_events_of_two_games_are_not_rated_together(folder: Path) -> None:
    with closing(Store(folder / "second.db")) as store:
        play(store, {"mine": NEW, "rival": "1"}, "m", game="go")

    with pytest.raises(UsageError, match=r"for one game, not go \(cup\) and pente \(cup\)"):
        rate_together(folder / "first.db", ["1", str(folder / "second.db")], RatingTerms())


def test_events_with_a_person_are_left_out(folder: Path) -> None:
    with closing(Store(folder / "second.db")) as store:
        play(store, {"mine": PERSON, "rival": "1"}, "m")

    text = rate_together(folder / "first.db", ["1", str(folder / "second.db")], RatingTerms())

    assert text.startswith("2 events:")


def test_matches_of_all_events_count_with_their_versions_and_boards(tmp_path: Path) -> None:
    """The newer version played first in the list of events, but later by the clock."""
    with closing(Store(tmp_path / "all.db", is_new_allowed=True)) as store:
        events = [
            play(store, {"mine": NEW, "rival": "1"}, "mr"),
            play(store, {"mine": OLD, "rival": "1"}, "mm"),
        ]
        with store.database.transaction() as db:
            db.execute("UPDATE match SET aside = 1, board = 5 WHERE id = 2")  # of an update
            db.execute("UPDATE match SET finished = '2020-01-01' WHERE event = 2")
        rows = [find_event(store, str(event)) for event in events]
        rows[1].config["opening_lines"] = ["0,0", "1,1", "2,2"]
        with store.database.transaction() as db:
            db.execute("UPDATE match SET board = 4 WHERE id = 4")  # has the opening of board 1

        pool = pooled([(store, row) for row in rows])

    old, new = "mine@01234567", "mine@fedcba98"
    assert pool == Pool(
        events=("cup (all.db, event 1)", "cup (all.db, event 2)"),
        outcomes=Counter(
            [
                sat(new, "rival", (1, 2), 0, 0),
                sat(new, "rival", (2, 1), 0, 5),
                sat(old, "rival", (1, 2), 1, 0),
                sat(old, "rival", (1, 2), 1, 1),
            ]
        ),
        versions={"mine": (old, new)},
    )


def test_a_version_that_was_never_played_is_no_other_player(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "all.db", is_new_allowed=True)) as store:
        events = [play(store, {"mine": content, "rival": "1"}, "m") for content in (OLD, NEW)]
        with store.database.transaction() as db:
            db.execute("UPDATE seat SET unplayed = 1, fault = 'withdrawn' WHERE match = 2")
        pool = pooled([(store, find_event(store, str(event))) for event in events])

    assert pool.versions == {}
    assert {seat.player for outcome in pool.outcomes for seat in outcome.seats} == {"mine", "rival"}
    assert sorted(outcome.is_unplayed for outcome in pool.outcomes) == [False, True]


def test_the_base_of_a_gate_is_another_version_of_the_bot(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "all.db", is_new_allowed=True)) as store:
        event = play(store, {"mine": NEW, "mine@base": OLD}, "mmm")
        pool = pooled([(store, find_event(store, str(event)))])

    assert sorted(pool.versions["mine"]) == ["mine@01234567", "mine@fedcba98"]
    assert pool.outcomes == {sat("mine@fedcba98", "mine@01234567", (1, 2), 0, 0): 3}


def test_versions_without_a_rated_match_have_no_chart(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "all.db", is_new_allowed=True)) as store:
        for content in (OLD, NEW):
            event = store.add_event("cup", 1, {"game": {"name": "pente"}}, {"mine": content})
            job = job_of("mine", "rival")
            job = replace(job, players=(replace(job.players[0], content=content), job.players[1]))
            keep(store, event, crashed(job, 0, 1))

    text = rate_together(tmp_path / "all.db", ["1", "2"], RatingTerms())

    assert text.startswith("2 events: ")
    assert "by version" not in text


def rated(elos: dict[str, tuple[float, float, float]]) -> Ratings:
    """Return all that a chart reads of ratings."""
    players = tuple(Rating(player, Elo(*elo), 1, 0, None) for player, elo in elos.items())
    return cast("Ratings", SimpleNamespace(players=players))


def test_a_chart_has_a_column_for_each_fortieth_of_the_widest_span() -> None:
    """The span is 390 Elo: 10 for each column after the first."""
    pool = Pool((), Counter(), {"b": ("b@3",), "a": ("a@1", "a@0", "a@2")})
    ratings = rated({"a@1": (0, -100, 96), "a@2": (144, 94, 290), "b@3": (5, 5, 5)})

    assert versions_text(pool, ratings) == (
        "a by version, the oldest first:\n"
        f"version  {' ' * 40}      Elo, 95 %\n"
        f"-------  {'-' * 40}  -------------\n"
        f"a@1      {'-' * 10}o{'-' * 10}{' ' * 19}         +0 ±98\n"
        f"a@2      {' ' * 19}{'-' * 5}o{'-' * 15}  +144 -50 +146\n"
        "\n"
        "b by version, the oldest first:\n"
        "version     Elo, 95 %\n"
        "-------  -  ---------\n"
        "b@3      o   +5 fixed"
    )


def test_an_anchor_fixes_the_scale() -> None:
    found = rate_outcomes(results(30, 0, 10), {"b": 2000.0})

    one, other = found.players
    plain = rate_outcomes(results(30, 0, 10)).players[0].elo
    assert other.elo == (2000, 2000, 2000)
    assert one.elo == pytest.approx([2000 + each for each in plain])
    lines = ratings_text(found).splitlines()
    assert lines[3].split() == ["2", "b", "+2000", "fixed", "40"]
    assert lines[5].startswith("Elo with b at 2000; a draw is half a win; 95 % intervals")


def test_the_anchor_of_a_command_comes_before_that_of_the_config(folder: Path) -> None:
    with closing(Store(folder / "first.db")) as store:
        event = replace(find_event(store, "1"), config={"anchor": {"rival": 100}})

        assert "Elo with rival at 100;" in rate_text(store, event)
        assert "Elo with mine at 5;" in rate_text(store, event, RatingTerms({"mine": 5.0}))
        with pytest.raises(UsageError, match='--anchor: no rated bot is named "bob"'):
            rate_text(store, event, RatingTerms({"bob": 5.0}))


def test_every_two_bots_have_a_difference() -> None:
    assert differences_text(rate_outcomes(results(130, 240, 30))).splitlines() == [
        "differences:",
        "bot  over  Elo  95 %  stronger",
        "---  ----  ---  ----  --------",
        "a    b     +89   ±21   >99.9 %",
    ]
