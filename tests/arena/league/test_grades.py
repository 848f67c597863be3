"""Grades are decided by sequential tests, and spend matches only where they are open."""

import csv
import io
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.utils import timezone
from events import player, won_by
from leagues import cast, client_of, hand_in
from test_checks import checks_of, run
from test_league_director import Bench

from arena.errors import ConfigError
from arena.league.directing.roster import Roster
from arena.league.folder import GradeSection, League, open_league
from arena.league.hand_ins.examiner import Outcome
from arena.league.hand_ins.versions import add_version
from arena.league.persons.people import add_person
from arena.league.seasons.deadlines import open_season, set_deadline
from arena.league.seasons.grade_files import COLUMNS, csv_text, line_of, nothing_to_grade
from arena.league.seasons.grades import Evidence, Grading, evidence, grading_of, interval
from arena.league.site.models import Bot, HandIn, Season, Team
from referee.job import Job
from referee.records.match_end import MatchEnd

RULE = GradeSection(against="bob", score=60)


def pairs_of(mean: float, count: int, dice: Random) -> list[float]:
    """Return scores of pairs, whose matches are won with this probability."""
    return [((dice.random() < mean) + (dice.random() < mean)) / 2 for _ in range(count)]


@pytest.mark.parametrize(("mean", "decision"), [(0.95, "passed"), (0.2, "failed")])
def test_a_clear_case_is_decided_soon(mean: float, decision: str) -> None:
    dice = Random(1)
    found = [evidence(pairs_of(mean, 300, dice), RULE) for _ in range(40)]

    assert {each.decision for each in found} == {decision}
    assert sum(each.pairs for each in found) / len(found) < 60


@pytest.mark.parametrize("decision", ["passed", "failed"])
def test_a_bot_exactly_at_the_mark_is_rarely_decided(decision: str) -> None:
    """At the mark each decision is wrong with 2.5 % at most, after however many looks."""
    dice = Random(2)
    found = [evidence(pairs_of(0.6, 300, dice), RULE) for _ in range(400)]

    assert sum(each.decision == decision for each in found) <= 20  # 10 are expected at most
    assert sum(each.decision == "undecided" for each in found) > 360


def test_a_decision_is_for_good_and_later_pairs_change_nothing() -> None:
    scores = [1.0] * 40
    first = evidence(scores, RULE)

    assert first.decision == "passed"
    assert evidence([*scores, *[0.0] * 200], RULE) == first


def test_no_pair_beyond_the_limit_decides() -> None:
    rule = GradeSection(against="bob", score=60, pairs=10)

    assert evidence([0.5, 1.0] * 4, rule) == Evidence("open", 8, 0.75)
    assert evidence([*[0.5, 1.0] * 5, *[1.0] * 90], rule) == Evidence("undecided", 10, 0.75)
    assert evidence([], rule) == Evidence("open", 0, None)


def test_the_interval_agrees_with_the_decision_and_holds_the_mean() -> None:
    dice = Random(3)
    missed = 0
    for _ in range(60):
        mean = dice.uniform(0.1, 0.9)
        scores = pairs_of(mean, 120, dice)
        low, high = interval(scores, RULE)
        found = evidence(scores, RULE)
        if found.decision == "passed":
            assert low >= 0.6 - 1 / 128
        if found.decision == "failed":
            assert high <= 0.6 + 1 / 128
        missed += not low - 1 / 128 <= mean <= high + 1 / 128
    assert missed <= 6


def alphabetical(job: Job) -> MatchEnd:
    return MatchEnd(job, won_by(job, job.names().index(min(job.names()))).finished())


@pytest.fixture
def bench(league: League, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    open_season("season-1")
    made = Bench(with_rules(league))
    Bot.objects.filter(name="bob").update(team=None)
    return made


def with_rules(league: League) -> League:
    path = league.folder / "league.yaml"
    path.write_text(f"{path.read_text()}grades: [{{against: bob, score: 60, pairs: 40}}]\n")
    return open_league(league.folder)


def decisions(bench: Bench) -> dict[str, str]:
    with grading_of(bench.league) as grading:
        return {each.bot: each.evidence.decision for each in grading.grades()}


def test_after_the_deadline_the_ladder_plays_what_open_grades_need(bench: Bench) -> None:
    add_person("Anna", team="all")
    staff = add_person("Sam", is_staff=True)
    bench.play(alphabetical, 8, slots=1)
    assert "open" in decisions(bench).values()

    set_deadline(staff, timezone.now() - timedelta(days=2), Season.RANKED)
    matches = bench.play(alphabetical, 200, slots=1)

    assert decisions(bench) == {"ann": "passed", "cat": "failed", "dan": "failed"}
    grades = [each for each in matches if "bob.1" in [seat.player for seat in each.seats]]
    assert len(grades) < len(matches)
    with grading_of(bench.league) as grading:
        assert grading.undecided() == []


def test_a_file_of_grades_has_evidence_and_reasons(bench: Bench) -> None:
    add_person("Anna", team="all")
    add_person("Ben")
    staff = add_person("Sam", is_staff=True)
    set_deadline(staff, timezone.now() - timedelta(days=2), Season.RANKED)
    bench.play(alphabetical, 200, slots=1)
    Bot.objects.filter(name="cat").update(parked="5 faults")

    with grading_of(bench.league) as grading:
        rows = list(csv.DictReader(io.StringIO(csv_text(grading.grades()))))

    assert tuple(rows[0]) == COLUMNS
    by_bot = {row["bot"]: row for row in rows}
    assert set(by_bot) == {"ann", "cat", "dan", ""}
    ann = by_bot["ann"]
    assert (ann["grade"], ann["score"], ann["version"]) == ("passed", "100.0", "1")
    assert float(ann["low"]) >= 59
    assert int(ann["matches"]) >= 2
    assert ann["files"] == "tree of ann"
    assert (by_bot[""]["person"], by_bot[""]["reason"]) == ("Ben", "no bot was named")
    assert by_bot["cat"]["grade"] in ("failed", "open")


def outcome_of(kind: Any, reason: str = "") -> Any:
    return lambda _: Outcome(kind, tree="t", reason=reason)


def test_whoever_has_no_grade_has_a_reason(league: League) -> None:
    people = cast()
    season = open_season("season-1")
    rules = [GradeSection(against="nobody", score=50)]

    def reason() -> str:
        (found,) = {each.reason for each in Grading(rules).grades() if each.bot == "deep-blue"}
        return found

    assert reason() == "nothing was handed in"
    hand_in(league, people.bot, b"1")
    assert reason() == "hand-in 1 waits for its check"
    run(checks_of(league, outcome_of("refused", "does not\ncompile")))
    assert reason() == "hand-in 1 was refused: does not\ncompile"
    assert len(csv_text(Grading(rules).grades()).splitlines()) == 1 + len(
        [*Grading(rules).grades()]
    )
    season.deadline = timezone.now() - timedelta(days=1)
    season.save()
    hand_in(league, people.bot, b"2")
    run(checks_of(league, outcome_of("accepted")))
    assert reason().startswith("hand-in 2 was received late, at 2")
    HandIn.objects.update(is_late=False)
    add_version(Bot.objects.get(), "t")
    assert reason() == "nobody is no house bot of this season"
    assert "/staff/grades.csv" not in client_of(people.owner).get("/me").content.decode()


def test_a_grade_for_people_is_one_line(bench: Bench) -> None:
    add_person("Anna", team="all")
    with grading_of(bench.league) as grading:
        texts = [line_of(each) for each in grading.grades()]

    assert texts[0] == (
        "Anna, ann: open, at least 60 % against bob (0 of at most 40 pairs were played)"
    )


@pytest.mark.parametrize(
    "rule", ["{against: bob}", "{against: bob, score: 100}", "{against: bob, score: 60, mark: 5}"]
)
def test_a_wrong_rule_is_refused_with_its_place(league: League, rule: str) -> None:
    path = league.folder / "league.yaml"
    path.write_text(f"{path.read_text()}grades: [{rule}]\n")

    with pytest.raises(ConfigError, match=r"league.yaml:\d+"):
        open_league(league.folder)


def test_staff_reads_grades_by_page_and_as_a_file(league: League) -> None:
    people = cast()
    Team.objects.get(name="Blue")
    client = client_of(people.staff)

    assert "No rules" in client.get("/staff/grades").content.decode()
    answer = client.get("/staff/grades.csv")
    assert answer["Content-Disposition"] == 'attachment; filename="grades.csv"'
    assert answer.content.decode() == f"\ufeff{','.join(COLUMNS)}\n"
    assert league.site_db.exists()


def test_without_grades_the_reason_is_named(league: League) -> None:
    assert "league.yaml has no rules" in nothing_to_grade(league)
    path = league.folder / "league.yaml"
    path.write_text(f"{path.read_text()}grades: [{{against: greedy, score: 60}}]\n")
    assert "nobody is in the class list" in nothing_to_grade(open_league(league.folder))
