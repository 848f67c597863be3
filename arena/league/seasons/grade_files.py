"""Grades as CSV and as text."""

import csv
import io
from collections.abc import Iterable

from arena.league.folder import League
from arena.league.seasons.grades import Grade, interval
from arena.reports.escaping import csv_cell

COLUMNS = (
    *("person", "team", "bot", "against", "mark", "certainty", "grade", "score", "matches"),
    *("low", "high", "version", "files", "received", "late", "reason"),
)


def csv_text(grades: Iterable[Grade]) -> str:
    """Return the grades as CSV; scores are in percent, times in UTC."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    rows.writerows(map(csv_cell, cells(grade)) for grade in grades)
    return text.getvalue()


def cells(grade: Grade) -> list[str]:
    """Return the row of a grade."""
    rule, found, version, row = grade.rule, grade.evidence, grade.version, grade.hand_in
    low, high = interval(grade.scores, rule) if grade.scores else (None, None)
    return [
        *(grade.person, grade.team, grade.bot, rule.against),
        *(f"{rule.score:g}", f"{rule.certainty:g}", found.decision),
        *(_percent(found.score), str(2 * found.pairs), _percent(low), _percent(high)),
        "" if version is None else str(version.number),
        "" if version is None else version.tree,
        "" if row is None else f"{row.received:%Y-%m-%d %H:%M:%S}",
        "" if row is None else ("yes" if row.is_late else "no"),
        grade.reason,
    ]


def lines(grades: Iterable[Grade]) -> list[str]:
    """Return the grades for people, a line each."""
    return [line_of(grade) for grade in grades]


def line_of(grade: Grade) -> str:
    """Return a grade for people."""
    who = ", ".join(part for part in (grade.person, grade.bot) if part)
    text = f"{who}: {grade.evidence.decision}, {rule_of(grade)}"
    if score := score_of(grade):
        text += f": {score} in {2 * grade.evidence.pairs} matches"
    return f"{text} ({grade.reason})" if grade.reason else text


def rule_of(grade: Grade) -> str:
    """Return the rule of a grade in words."""
    return f"at least {grade.rule.score:g} % against {grade.rule.against}"


def score_of(grade: Grade) -> str:
    """Return the mean score that decided; empty without matches."""
    score = grade.evidence.score
    return "" if score is None else f"{100 * score:.0f} %"


def _percent(part: float | None) -> str:
    return "" if part is None else f"{100 * part:.1f}"


def nothing_to_grade(league: League) -> str:
    """Return why there is no grade."""
    if not league.site.grades:
        return "no grades: league.yaml has no rules under `grades`"
    return "no grades: nobody is in the class list, on the page Staff"
