"""Pages of staff: persons and their links, hand-ins, what needs a person."""

from collections.abc import Iterable
from typing import Any

from asgiref.sync import async_to_sync
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from arena.errors import UsageError
from arena.league.addresses import is_own_host
from arena.league.persons.people import (
    Slip,
    add_class,
    audit,
    by_name,
    change_name,
    change_team,
    close_account,
    names,
    new_slip,
)
from arena.league.seasons.grade_files import csv_text, rule_of, score_of
from arena.league.seasons.grades import grading_of
from arena.league.site.models import Bot, HandIn, Notice, Person, Team
from arena.league.web.here import league
from arena.league.web.people_games import people_games

LATEST = 30
MAX_LIST_TEXT = 60_000


def overview(request: Any) -> HttpResponse:
    """Show what needs a person, the hand-ins and the persons."""
    return _overview(request)


def _overview(request: Any, code: int = 200, **more: Any) -> HttpResponse:
    rows = HandIn.objects.select_related("bot", "person")
    values = {
        "notices": Notice.objects.order_by("-pk")[:LATEST],
        "parked": by_name(Bot.objects.exclude(parked="")),
        "waiting": rows.filter(state__in=[HandIn.WAITING, HandIn.CHECKING]).count(),
        "hand_ins": rows.order_by("-pk")[:LATEST],
        "teams": by_name(Team.objects.all()),
        "persons": [
            (person, names(person.teams.all()))
            for person in by_name(Person.objects.prefetch_related("teams"))
        ],
        **more,
    }
    return render(request, "league/staff.html", values, status=code)


def add_class_list(request: Any) -> HttpResponse:
    """Add the persons of a class list, and show their links once."""
    try:
        added = add_class(request.POST.get("list", "")[:MAX_LIST_TEXT], request.person)
    except UsageError as error:
        return _overview(request, 400, text=str(error), list=request.POST.get("list", ""))
    return _slips(request, added.slips, added.kept)


def new_link(request: Any, number: int) -> HttpResponse:
    """Make a new link for a person, and show it once."""
    person = _person(number)
    audit(request.person, "made a link", person.name)
    return _slips(request, [new_slip(person)])


def close(request: Any, number: int) -> HttpResponse:
    """Close the account of a person, whose token or password is lost, or who has left."""
    person = _person(number)
    close_account(person, request.person)
    async_to_sync(people_games().leave_all)(person)
    return HttpResponseRedirect("/staff")


def new_team(request: Any, number: int) -> HttpResponse:
    """Move a person to another team."""
    person = _person(number)
    try:
        team = change_team(person, request.POST.get("team", ""), request.person)
    except UsageError as error:
        return _overview(request, 400, person_text=str(error))
    return _overview(request, person_text=f"{person.name} is in the team {team.name} now.")


def new_name(request: Any, number: int) -> HttpResponse:
    """Give a person another name."""
    person = _person(number)
    before = person.name
    try:
        change_name(person, request.POST.get("name", ""), request.person)
    except UsageError as error:
        return _overview(request, 400, person_text=str(error))
    return _overview(request, person_text=f"{before} is {person.name} now.")


def grades(request: Any) -> HttpResponse:
    """Show who passes the rules for grades."""
    with grading_of(league()) as grading:
        found = [
            (grade, rule_of(grade), score_of(grade), 2 * grade.evidence.pairs)
            for grade in grading.grades()
        ]
    values = {"grades": found, "has_rules": bool(league().site.grades)}
    return render(request, "league/grades.html", values)


def grades_file(request: Any) -> HttpResponse:
    """Return the grades as CSV, with the mark by which spreadsheets know UTF-8."""
    del request
    with grading_of(league()) as grading:
        text = csv_text(grading.grades())
    response = HttpResponse(f"\ufeff{text}", "text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="grades.csv"'
    return response


def _person(number: int) -> Person:
    person: Person | None = Person.objects.filter(pk=number).first() if number < 1 << 62 else None
    if person is None:
        raise Http404
    return person


def _slips(request: Any, slips: list[Slip], kept: Iterable[Person] = ()) -> HttpResponse:
    links = [(slip.person.name, request.build_absolute_uri(slip.path)) for slip in slips]
    values = {
        "links": links,
        "kept": [(person.name, names(person.teams.all())) for person in kept],
        "only_here": request.get_host() if is_own_host(request.get_host()) else "",
    }
    return render(request, "league/slips.html", values)
