"""Ratings over several events, with versions of a bot apart, and on the scale of an anchor."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from counted import results
from events import job_of, keep, won_by

from arena.errors import UsageError
from arena.ratings.pooled_text import rate_together
from arena.ratings.rating import rate_outcomes
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
