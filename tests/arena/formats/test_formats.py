"""The contract of all formats, and the director with formats that depend on results."""

import json
import os
import re
import shlex
import signal
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from events import (
    crashed,
    direct,
    first_wins,
    new_event,
    plan_of,
    void,
    won_by,
)
from outcomes import Sat, by_elo, drawn, keys, names, played

import arena.config.formats as config_formats
from arena.config.event import Event
from arena.config.event_config import load_config
from arena.config.formats import NO_PY4SWISS
from arena.config.same_event import conflicts
from arena.errors import ConfigError, EventError
from arena.event.agenda import Agenda
from arena.event.plan import Plan
from arena.event.report import event_report
from arena.event.slots import Result
from arena.formats import dutch
from arena.formats.choosing import format_of
from arena.formats.encounters import Terms, tally
from arena.formats.ended import format_text, table_of
from arena.formats.format import Format
from arena.formats.knockout import Knockout
from arena.formats.ladder import Ladder
from arena.formats.swiss import Swiss
from arena.reports.badge import badge_text
from arena.reports.document import document_text
from arena.reports.junit import junit_text
from arena.reports.summary import summary_text
from arena.results.store import Store
from arena.schedule.pairing import Pairing
from arena.terminal.show import event_text
from referee.job import Job

ROOT = Path(__file__).parents[3]
PLAYERS = names(7)
TERMS = Terms()


def swiss() -> Format:
    return Swiss(PLAYERS, 3, TERMS)


def knockout() -> Format:
    return Knockout(PLAYERS, TERMS, 1)


def ladder() -> Format:
    return Ladder(PLAYERS, certainty=0.8, matches=70, terms=TERMS)


def event_of(format_: str, **changes: Any) -> Event:
    """Return an event between all players."""
    form = {
        "name": "cup",
        "game": {"name": "pente"},
        "bots": [{"name": player, "bot": player} for player in PLAYERS],
        "format": format_,
        "seats": [2],
        "certainty": 0.9,
    }
    return Event.read({**form, **changes})


FORMATS = pytest.mark.parametrize("make", [swiss, knockout, ladder])


def chancy(seed: int = 3) -> Callable[[Pairing], Sequence[Sat]]:
    """Return a script with the same result for a match in every play."""
    elo = {player: -60.0 * number for number, player in enumerate(PLAYERS)}
    return lambda pairing: by_elo(elo, Random(f"{seed} {pairing.key}"))(pairing)


@FORMATS
def test_the_order_of_finished_matches_has_no_effect(make: Callable[[], Format]) -> None:
    whole = played(make(), chancy())

    for seed in range(5):
        format_ = make()
        mixed = played(format_, chancy(), chance=Random(seed))
        assert mixed == whole
        assert keys(format_.known(mixed)) == keys(make().known(whole))
        assert format_.text(mixed) == make().text(whole)


@FORMATS
def test_an_event_resumes_from_its_results_alone(make: Callable[[], Format]) -> None:
    whole = played(make(), chancy())

    for stop in range(0, len(whole), 7):
        part = played(make(), chancy(), matches=stop, chance=Random(stop))
        known = keys(make().known(part))
        assert set(part) <= set(known)
        assert known == [key for key in keys(make().known(whole)) if key in known]


@FORMATS
def test_earlier_queries_change_no_answer(make: Callable[[], Format]) -> None:
    format_ = make()
    first = keys(format_.known({}))
    whole = played(format_, chancy())

    assert keys(format_.known({})) == first
    assert keys(format_.known(whole)) == keys(make().known(whole))


@FORMATS
def test_results_of_other_matches_change_nothing(make: Callable[[], Format]) -> None:
    whole = played(make(), chancy())
    stranger = {"bot98,bot99/b0/0": drawn(make().known({})[0])}

    assert keys(make().known({**stranger, **whole})) == keys(make().known(whole))


@FORMATS
def test_the_total_is_exact_at_the_end_and_never_below_the_known_matches(
    make: Callable[[], Format],
) -> None:
    format_ = make()
    whole = played(format_, chancy())

    assert format_.total(whole) == len(whole) == len(format_.known(whole))
    assert make().total({}) >= len(make().known({}))


@FORMATS
def test_voids_and_absences_block_nothing(make: Callable[[], Format]) -> None:
    format_ = make()

    results = played(format_, lambda pairing: () if pairing.repeat == 0 else drawn(pairing))

    assert len(results) == format_.total(results)
    assert format_.text(results)


def test_an_encounter_is_played_from_both_seats_on_every_board_in_every_variant() -> None:
    terms = Terms(2, 2, ("normal", "misere"))

    matches = list(terms.encounter(("ann", "bob")))

    assert len(matches) == terms.matches == 8
    assert terms.is_even
    assert keys(matches[:4]) == [
        "ann,bob/b0/normal/0",
        "bob,ann/b0/normal/0",
        "bob,ann/b0/misere/0",
        "ann,bob/b0/misere/0",
    ]


@pytest.mark.parametrize(
    ("terms", "lead"), [(Terms(1), 1), (Terms(3), 1), (Terms(1, 2), 0), (Terms(1, 3), 1)]
)
def test_an_odd_number_of_repeats_evens_out_over_an_even_number_of_boards(
    terms: Terms, lead: int
) -> None:
    firsts = [match.players[0] for match in terms.encounter(("ann", "bob"))]

    assert firsts.count("ann") - firsts.count("bob") == lead
    assert terms.is_even is (lead == 0)


def test_a_void_match_of_an_encounter_is_a_draw() -> None:
    first, second = TERMS.encounter(("ann", "bob"))

    came_to = tally(("ann", "bob"), [first, second], {first.key: (), second.key: drawn(second)})

    assert came_to is not None
    assert came_to.text() == "1-1"


MATCHES = (*TERMS.encounter(("ann", "bob")), *TERMS.encounter(("ann", "cat")))


class Decided:
    """A format that requests a second match after the first."""

    is_fixed = False
    imbalance = ()

    def known(self, results: object) -> Sequence[Pairing]:
        return MATCHES[:2] if results else MATCHES

    def total(self, results: object) -> int:
        return len(self.known(results))

    def ranking(self, results: object) -> None:
        del results

    def text(self, results: object) -> str:
        del results
        return ""


@pytest.mark.parametrize("end", [Agenda.put_back, Agenda.give_up])
def test_a_dropped_running_match_is_not_repeated(
    end: Callable[[Agenda, str], None],
) -> None:
    agenda = Agenda(Decided(), {}, ())
    one, other, late = agenda.begin(), agenda.begin(), agenda.begin()
    agenda.finish(one.key, drawn(one))

    end(agenda, late.key)

    agenda.finish(other.key, drawn(other))
    assert (list(agenda.pending), agenda.undecided) == ([], [])
    assert agenda.missing == 0


def test_an_agenda_drops_the_matches_dropped_by_its_format() -> None:
    agenda = Agenda(Decided(), {}, ())
    one, other = agenda.begin(), agenda.begin()
    late = agenda.begin()
    agenda.finish(one.key, drawn(one))

    assert list(agenda.pending) == []
    assert agenda.missing == 2
    agenda.finish(late.key, drawn(late))
    agenda.finish(other.key, drawn(other))
    assert agenda.missing == 0


# -- directed --------------------------------------------------------------------------------------


def format_plan(format_: Format, **options: Any) -> Plan:
    plan = plan_of(PLAYERS, **options)
    return Plan(**{**vars(plan), "format": format_})


def lower_wins(job: Job) -> Result:
    one, other = job.names()
    return Result(job, won_by(job, 0 if one < other else 1).finished())


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
def test_repeated_interruptions_do_not_change_the_result(
    store: Store, make: Callable[[], Format]
) -> None:
    whole, event = new_event(store, PLAYERS), new_event(store, PLAYERS)

    def stopped(job: Job) -> Result:
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

    def script(job: Job) -> Result:
        return void(job) if job.key == key else lower_wins(job)

    first = direct(format_plan(knockout()), store, event, script)
    again = direct(format_plan(knockout()), store, event, lower_wins)

    assert first.begun.count(key) == 3
    assert first.ending.undecided == again.ending.undecided == (key,)
    assert again.begun == []
    assert first.ending.missing == again.ending.missing == 1


def test_a_withdrawn_player_of_a_swiss_forfeits_and_is_not_paired_again(store: Store) -> None:
    event = new_event(store, PLAYERS)

    def script(job: Job) -> Result:
        if "bot00" in job.names():
            return Result(job, crashed(job, job.names().index("bot00")).finished())
        return lower_wins(job)

    format_ = Swiss(PLAYERS, 4, TERMS)
    direct(format_plan(format_, withdraw_after=2), store, event, script)

    met = [match for match in store.matches(event) if "bot00" in match.key]
    assert len(met) == 4
    assert [match.seats[0].wall_ns == 0 for match in met] == [False, False, True, True]


def test_a_withdrawn_player_is_out_of_a_knockout(store: Store) -> None:
    event = new_event(store, PLAYERS)

    def script(job: Job) -> Result:
        if "bot01" in job.names():
            return Result(job, crashed(job, job.names().index("bot01")).finished())
        return lower_wins(job)

    format_ = Knockout(PLAYERS, TERMS, 1)
    direct(format_plan(format_, withdraw_after=1), store, event, script)

    results = {match.key: match.seats for match in store.matches(event)}
    assert (5, "bot01") in format_.ranking(results).places
    assert format_.ranking(results).places[0] == (1, "bot00")


def test_a_missing_py4swiss_is_reported_with_its_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dutch, "has_py4swiss", lambda: False)

    with pytest.raises(EventError, match="pip install") as error:
        swiss().known({})
    assert str(error.value) == NO_PY4SWISS


def test_the_command_that_installs_py4swiss_works() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (wanted,) = project["optional-dependencies"]["swiss"]
    _, _, command = NO_PY4SWISS.partition("install it with: ")

    assert shlex.split(command)[-1] == wanted
    subprocess.run(
        ["bash", "-c", command], env={**os.environ, "PIP_NO_INDEX": "1"}, check=True, timeout=120
    )


@pytest.mark.parametrize(
    ("format_", "kind"), [("swiss", Swiss), ("knockout", Knockout), ("ladder", Ladder)]
)
def test_a_config_chooses_its_format(format_: str, kind: type) -> None:
    assert isinstance(format_of(event_of(format_), PLAYERS, 1), kind)


def test_a_config_of_a_swiss_without_py4swiss_fails_before_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "event.yaml").write_text(
        "name: event\ngame: {name: pente}\nbots: [random, greedy]\nformat: swiss\n"
    )
    monkeypatch.setattr(config_formats, "has_py4swiss", lambda: False)

    with pytest.raises(ConfigError) as error:
        load_config(str(tmp_path / "event.yaml"))

    assert f":4:9: {NO_PY4SWISS}\n  4 | format: swiss" in str(error.value)


def test_the_stored_results_of_a_swiss_are_shown_without_py4swiss(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = store.event(
        store.add_event("event", 1, event_of("swiss").form(), dict.fromkeys(PLAYERS, "content"))
    )
    assert event is not None
    assert format_text(store, event).startswith("swiss, 0 rounds of 4 played")
    monkeypatch.setattr(dutch, "has_py4swiss", lambda: False)

    assert format_text(store, event) == f"warning: {NO_PY4SWISS}"


@pytest.mark.parametrize(
    ("format_", "can"),
    [
        ("round_robin", True),
        ("gauntlet", True),
        ("ladder", True),
        ("swiss", False),
        ("knockout", False),
    ],
)
def test_bots_may_be_added_to_formats_without_dependent_matches(format_: str, *, can: bool) -> None:
    old = event_of(format_)
    new = event_of(format_, bots=[*old.form()["bots"], {"name": "new", "bot": "new"}])

    assert conflicts(old, new) == ([] if can else ["bots: new is new"])


@pytest.mark.parametrize(
    ("key", "value", "lines"),
    [
        ("matches", 100, []),
        ("matches", 10, ["matches: 50 -> 10"]),
        ("certainty", 0.99, []),
        ("certainty", 0.8, ["certainty: 0.9 -> 0.8"]),
        ("repeat", 4, ["repeat: absent -> 4"]),
    ],
)
def test_the_limit_of_a_ladder_may_grow(key: str, value: float, lines: list[str]) -> None:
    old = event_of("ladder", matches=50)

    assert conflicts(old, old.model_copy(update={key: value})) == lines


def test_a_round_robin_does_not_become_a_swiss() -> None:
    assert conflicts(event_of("round_robin"), event_of("swiss")) == ["format: round_robin -> swiss"]
