"""How the director plays the formats that follow results."""

import json
import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from events import crashed, direct, first_wins, new_event, plan_of, void, won_by
from three_formats import FORMATS, PLAYERS, TERMS, Decided, event_of, knockout, ladder

from arena.event.plan import Plan
from arena.event.play.event_report import event_report
from arena.formats.event_results import table_of
from arena.formats.format import Format
from arena.formats.knockout import Knockout
from arena.formats.swiss import Swiss
from arena.reports.document import badge_text, document_text
from arena.reports.junit import junit_text
from arena.reports.summary import summary_text
from arena.results.store import Store
from arena.schedule.pairing import Pairing
from arena.terminal.show import event_text
from referee.job import Job
from referee.records.match_end import MatchEnd


def format_plan(format_: Format, **options: Any) -> Plan:
    plan = plan_of(PLAYERS, **options)
    return Plan(**{**vars(plan), "format": format_})


def lower_wins(job: Job) -> MatchEnd:
    one, other = job.names()
    return MatchEnd(job, won_by(job, 0 if one < other else 1).finished())


@FORMATS
@pytest.mark.parametrize("slots", [1, 3])
def test_the_director_plays_all_following_matches(
    store: Store, make: Callable[[], Format], slots: int
) -> None:
    event = new_event(store, PLAYERS)

    run = direct(format_plan(make(), slots=slots), store, event, lower_wins)

    assert (run.ending.missing, run.ending.undecided) == (0, ())
    assert store.keys(event) == set(run.begun)
    results = {match.key: match.seats for match in store.matches(event)}
    assert make().total(results) == len(results)


@FORMATS
def test_a_stopped_event_stores_the_limit_of_its_matches_and_a_finished_one_their_number(
    store: Store, make: Callable[[], Format]
) -> None:
    event = new_event(store, PLAYERS)

    def stop(job: Job) -> MatchEnd:
        os.kill(os.getpid(), signal.SIGINT)
        return lower_wins(job)

    def total() -> int | None:
        stored = store.event(event)
        assert stored is not None
        return stored.total

    direct(format_plan(make()), store, event, stop)
    assert (store.count(event), total()) == (1, make().total({}))

    direct(format_plan(make()), store, event, lower_wins)
    assert total() == store.count(event)


@FORMATS
def test_repeated_interruptions_do_not_change_the_result(
    store: Store, make: Callable[[], Format]
) -> None:
    whole, event = new_event(store, PLAYERS), new_event(store, PLAYERS)

    def stopped(job: Job) -> MatchEnd:
        os.kill(os.getpid(), signal.SIGINT)
        return lower_wins(job)

    direct(format_plan(make()), store, whole, lower_wins)
    while direct(format_plan(make(), slots=3), store, event, stopped).ending.missing:
        pass

    assert store.keys(event) == store.keys(whole)


FIRST = [(1, "bot00"), (2, "bot01")]


@FORMATS
def test_the_places_of_the_format_rank_in_every_table(
    store: Store, make: Callable[[], Format]
) -> None:
    form = event_of(make().__class__.__name__.lower()).form()
    entrants = dict.fromkeys(PLAYERS, "content")
    event = store.event(store.add_event("cup", 1, {**form, "rounds": 3}, entrants))
    assert event is not None

    run = direct(format_plan(make()), store, event.id, lower_wins)

    report = event_report(
        store, event, run.table, run.ending, command="tournament", exit_code=0, onward=""
    )
    ranking = run.table.ranking
    assert ranking is not None
    places = list(ranking.places)
    assert places[:2] == FIRST  # by points the bot with a bye shares a place in a knockout
    kept = table_of(store, event)
    kept.ranking = ranking if make is ladder else kept.ranking  # another cap
    assert [(rank, row.player) for rank, row in kept.ranked()] == places
    rows = json.loads(document_text(report))["standings"]
    assert [(row["rank"], row["bot"]) for row in rows] == places
    assert f'value="{", ".join(f"{rank}. {name}" for rank, name in places)}"' in junit_text(report)
    assert report.headline == f"cup: bot00 is first of 7 after {len(run.begun)} matches"
    assert report.headline.endswith(json.loads(badge_text(report))["message"])
    for text in (event_text(store, event, kept), summary_text(report)):
        _, caption, table = text.partition(f"standings by {ranking.by}:\n")
        assert caption
        shown = re.findall(r"bot0\d", table)[: len(PLAYERS)]
        assert shown == [name for _, name in places]


def test_known_matches_are_not_examined_again(store: Store) -> None:
    looks: list[int] = []

    class Counted(tuple[Pairing, ...]):
        """Matches that count their iterations."""

        __slots__ = ()

        def __iter__(self) -> Iterator[Pairing]:
            looks.append(len(self))
            return super().__iter__()

    class Known(Decided):
        all = Counted(Pairing(tuple(PLAYERS[:2]), board, "", 0) for board in range(40))

        def known(self, results: object) -> Sequence[Pairing]:
            del results
            return self.all

    event = new_event(store, PLAYERS)
    run = direct(format_plan(Known(), withdraw_after=3), store, event, first_wins)

    assert len(run.begun) == 40
    assert len(looks) < 10


def test_the_progress_receives_the_number_of_matches(store: Store) -> None:
    format_ = Knockout(PLAYERS, TERMS, 1)
    event = new_event(store, PLAYERS)

    run = direct(format_plan(format_), store, event, first_wins)

    # every encounter is even at first, and so is the tie break
    assert format_.total({}) == 12
    assert run.totals[0] == 12
    assert run.totals[-1] == len(run.begun) == 24


def test_a_match_void_in_every_attempt_is_a_draw_and_not_repeated(store: Store) -> None:
    event = new_event(store, PLAYERS)
    key = knockout().known({})[0].key

    def script(job: Job) -> MatchEnd:
        return void(job) if job.key == key else lower_wins(job)

    first = direct(format_plan(knockout()), store, event, script)
    again = direct(format_plan(knockout()), store, event, lower_wins)

    assert first.begun.count(key) == 3
    assert first.ending.undecided == again.ending.undecided == (key,)
    assert again.begun == []
    assert first.ending.missing == again.ending.missing == 1


def test_a_withdrawn_player_of_a_swiss_forfeits_and_is_not_paired_again(store: Store) -> None:
    event = new_event(store, PLAYERS)

    def script(job: Job) -> MatchEnd:
        if "bot00" in job.names():
            return MatchEnd(job, crashed(job, job.names().index("bot00")).finished())
        return lower_wins(job)

    format_ = Swiss(PLAYERS, 4, TERMS)
    direct(format_plan(format_, withdraw_after=2), store, event, script)

    met = [match for match in store.matches(event) if "bot00" in match.key]
    assert len(met) == 4
    assert [match.seats[0].wall_ns == 0 for match in met] == [False, False, True, True]


def test_a_withdrawn_player_is_out_of_a_knockout(store: Store) -> None:
    event = new_event(store, PLAYERS)

    def script(job: Job) -> MatchEnd:
        if "bot01" in job.names():
            return MatchEnd(job, crashed(job, job.names().index("bot01")).finished())
        return lower_wins(job)

    format_ = Knockout(PLAYERS, TERMS, 1)
    direct(format_plan(format_, withdraw_after=1), store, event, script)

    results = {match.key: match.seats for match in store.matches(event)}
    assert (5, "bot01") in format_.ranking(results).places
    assert format_.ranking(results).places[0] == (1, "bot00")
