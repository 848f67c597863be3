"""Every route with its action and the thing it is about: no view is reached but through `may`."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import render
from django.urls import path
from django.utils.cache import get_conditional_response
from django.utils.http import urlencode
from django.views.decorators.csrf import csrf_exempt

from arena.errors import ArenaError, UsageError
from arena.league.hand_ins.reception import BusyError
from arena.league.persons.may import Action, Thing, may
from arena.league.site.models import Person
from arena.league.web import (
    api,
    challenges,
    evidence,
    find,
    git,
    matches,
    own,
    pages,
    play,
    season,
    seasons,
    staff,
    watching,
)
from arena.league.web.answers import JsonResponse, text_answer
from arena.league.web.here import league, site
from arena.league.web.sessions import person_of_header
from arena.results.damage import damage
from referee.errors import UNCHECKED

_LOG = logging.getLogger("django.request")
View = Callable[..., Any]
UNWELL = "the league cannot do this now; try again later, or tell staff"


@dataclass(frozen=True)
class Rule:
    """One method of one address."""

    address: str
    method: str
    action: Action
    view: View
    find: Callable[..., Thing] | None = None
    """Returns the thing that the address names, or None."""

    @property
    def is_api(self) -> bool:
        """Whether it answers JSON."""
        return self.address.startswith("api/")

    @property
    def is_git(self) -> bool:
        """Whether git asks."""
        return self.address.startswith("git/")

    @property
    def is_for_tokens(self) -> bool:
        """Whether it knows tokens alone, so that no other site can make a browser ask."""
        return self.is_api or self.is_git


_NO_BOT = "no bot of yours has this name; the page My bots lists yours, and adds one"
"""Refusal of a hand-in, the same whether or not others have a bot of the name."""
RULES = (
    Rule("", "GET", Action.READ, pages.table),
    Rule("log-in", "GET", Action.ENTER, own.log_in_form),
    Rule("log-in", "POST", Action.ENTER, own.log_in),
    Rule("log-out", "POST", Action.ENTER, own.log_out),
    Rule("link/<str:secret>", "GET", Action.ENTER, own.link_form),
    Rule("link/<str:secret>", "POST", Action.ENTER, own.link),
    Rule("style/<str:name>", "GET", Action.ENTER, pages.style),
    Rule("finals", "GET", Action.READ, seasons.finals),
    Rule("finals/<int:number>", "GET", Action.READ, seasons.final),
    Rule("seasons", "GET", Action.READ, seasons.seasons),
    Rule("seasons/<int:number>", "GET", Action.READ, seasons.past),
    Rule("seasons/<int:number>/bots/<str:name>", "GET", Action.READ, seasons.past_bot, find.bot),
    Rule("bots/<str:name>", "GET", Action.READ, pages.bot, find.bot),
    Rule("bots/<str:name>/faults", "GET", Action.READ_OUTPUT, pages.faults, find.bot),
    Rule("matches/<int:number>", "GET", Action.READ, matches.match),
    Rule("matches/<int:number>/board", "GET", Action.READ, matches.board),
    Rule("matches/<int:number>/file", "GET", Action.READ, matches.at_home),
    Rule(
        "matches/<int:number>/output/<int:seat>",
        "GET",
        Action.READ_OUTPUT,
        matches.output,
        find.bot_of_seat,
    ),
    Rule("bots/<str:name>/play", "GET", Action.PLAY, play.form, find.bot),
    Rule("bots/<str:name>/play", "POST", Action.PLAY, play.begin, find.bot),
    Rule("play/<int:number>", "GET", Action.MOVE, play.page, find.own_game),
    Rule("play/<int:number>", "POST", Action.MOVE, play.order, find.own_game),
    Rule("play/<int:number>/stream", "GET", Action.MOVE, play.stream, find.own_game),
    Rule("play/<int:number>/leave", "POST", Action.MOVE, play.leave, find.own_game),
    Rule("live", "GET", Action.READ, watching.live),
    Rule("live/changes", "GET", Action.READ, watching.changes),
    Rule("projector", "GET", Action.READ, watching.projector),
    Rule("projector/<str:key>", "GET", Action.ENTER, watching.projector_by_key),
    Rule("projector/<str:key>/changes", "GET", Action.ENTER, watching.changes_by_key),
    Rule("viewer/<str:name>", "GET", Action.ENTER, watching.viewer),
    Rule("me", "GET", Action.OWN, own.me),
    Rule("me/bots", "POST", Action.OWN, own.add_bot),
    Rule("me/remote-bots", "POST", Action.OWN, own.add_remote),
    Rule("bots/<str:name>/key", "POST", Action.HAND_IN, own.new_key, find.bot),
    Rule("me/tokens", "POST", Action.OWN, own.add_token),
    Rule("me/tokens/<int:number>/end", "POST", Action.REVOKE, own.end_token, find.token),
    Rule("bots/<str:name>/hand-ins", "POST", Action.HAND_IN, own.hand_in, find.bot),
    Rule("bots/<str:name>/challenges", "GET", Action.CHALLENGE, challenges.page, find.bot),
    Rule("bots/<str:name>/challenges", "POST", Action.CHALLENGE, challenges.ask, find.bot),
    Rule(
        "bots/<str:name>/versions/<int:number>/play", "POST", Action.HAND_IN, own.restore, find.bot
    ),
    Rule("bots/<str:name>/withdraw", "POST", Action.HAND_IN, own.withdraw, find.bot),
    Rule("hand-ins/<int:number>", "GET", Action.READ_HAND_IN, own.hand_in_page, find.hand_in),
    Rule("hand-ins/<int:number>/file", "GET", Action.READ_HAND_IN, own.hand_in_file, find.hand_in),
    Rule("staff", "GET", Action.RUN, staff.overview),
    Rule("staff/class-list", "POST", Action.RUN, staff.add_class_list),
    Rule("staff/persons/<int:number>/link", "POST", Action.RUN, staff.new_link),
    Rule("staff/persons/<int:number>/team", "POST", Action.RUN, staff.new_team),
    Rule("staff/persons/<int:number>/name", "POST", Action.RUN, staff.new_name),
    Rule("staff/persons/<int:number>/close", "POST", Action.RUN, staff.close),
    Rule("staff/projector", "POST", Action.RUN, watching.new_projector_link),
    Rule("staff/season", "GET", Action.RUN, season.page),
    Rule("staff/season/deadline", "POST", Action.RUN, season.add_deadline),
    Rule("staff/season/extensions", "POST", Action.RUN, season.add_extension),
    Rule("staff/season/freeze", "POST", Action.RUN, season.add_freeze),
    Rule("staff/season/reveal", "POST", Action.RUN, season.end_freeze),
    Rule("staff/grades", "GET", Action.RUN, staff.grades),
    Rule("staff/grades.csv", "GET", Action.RUN, staff.grades_file),
    Rule("staff/machines", "GET", Action.RUN, evidence.machines),
    Rule("staff/machines/void", "POST", Action.RUN, evidence.void_machine),
    Rule("staff/alike", "GET", Action.RUN, evidence.alike),
    Rule("staff/actions", "GET", Action.RUN, season.actions),
    Rule("api/table", "GET", Action.READ, api.table),
    Rule("api/me", "GET", Action.OWN, api.me),
    Rule("api/bots/<str:name>/hand-ins", "GET", Action.READ_HAND_IN, api.hand_ins, find.bot),
    Rule("api/bots/<str:name>/matches", "GET", Action.READ, api.matches, find.bot),
    Rule("api/matches/<int:number>", "GET", Action.READ, api.match),
    Rule("api/matches/<int:number>/file", "GET", Action.READ, matches.at_home),
    Rule("api/bots/<str:name>/hand-ins", "POST", Action.HAND_IN, api.hand_in, find.bot),
    Rule(
        "api/bots/<str:name>/challenges", "GET", Action.CHALLENGE, challenges.list_by_api, find.bot
    ),
    Rule(
        "api/bots/<str:name>/challenges", "POST", Action.CHALLENGE, challenges.ask_by_api, find.bot
    ),
    Rule("api/hand-ins/<int:number>", "GET", Action.READ_HAND_IN, api.hand_in_state, find.hand_in),
    Rule("git/<str:name>.git/info/refs", "GET", Action.HAND_IN, git.refs, find.bot),
    Rule("git/<str:name>.git/git-receive-pack", "POST", Action.HAND_IN, git.push, find.bot),
)


def _guarded(rules: Mapping[str, Rule]) -> View:
    """Return the view of an address, which asks `may` before anything else."""

    def view(request: Any, **values: Any) -> Any:
        rule = rules.get("GET" if request.method == "HEAD" else request.method)
        if rule is None:
            return HttpResponseNotAllowed(sorted(rules))
        if _has_nul(request, rule):
            return failed(request, 400, "no text here has a NUL character", rule)
        return _answer(request, rule, values)

    return view


def _has_nul(request: Any, rule: Rule) -> bool:
    """Whether an address or a form has the one character that no database takes in a text."""
    texts = [request.path, *request.GET.values()]
    if rule.method == "POST" and not rule.is_api:
        texts += request.POST.values()
    return any("\0" in text for text in texts)


def _answer(request: Any, rule: Rule, values: Mapping[str, Any]) -> Any:
    """Return an answer; no error of a view or of the search for its thing passes."""
    try:
        return _allowed_answer(request, rule, values)
    except Http404:
        if not rule.is_api:
            raise
        return failed(request, 404, "there is no such thing", rule)
    except BusyError as error:
        return failed(request, 429, str(error), rule)
    except UsageError as error:
        return failed(request, 400, str(error), rule)
    except ArenaError as error:  # its text is about the machine, so it is for the log alone
        _LOG.error("%s", error)
        return failed(request, 503, UNWELL, rule)
    except UNCHECKED:
        if not _is_damaged():
            raise
        return failed(request, 503, UNWELL, rule)


def _allowed_answer(request: Any, rule: Rule, values: Mapping[str, Any]) -> Any:
    person = _asker(request, rule)
    thing = rule.find(**values) if rule.find else None
    if not may(person, rule.action, thing, is_public=site().public):
        return _denied(request, rule, person)
    if rule.find is not None and thing is None:
        return failed(request, 404, "there is no such page", rule)
    answer = rule.view(request, **({"thing": thing} if rule.find else {}), **values)
    is_known = rule.is_api and rule.method == "GET" and not answer.streaming
    return _unless_known(request, answer) if is_known else answer


def _is_damaged() -> bool:
    """Whether arena.db has values that Arena never writes, so that an error is none of a page."""
    with league().matches() as store:
        return store is not None and damage(store.database) is not None


def _unless_known(request: Any, answer: HttpResponse) -> Any:
    """Return an answer with its tag, or a short one if the program has it already."""
    answer.headers["ETag"] = f'"{sha256(answer.content).hexdigest()[:32]}"'
    answer.headers["Cache-Control"] = "private, no-cache"
    return get_conditional_response(request, etag=answer.headers["ETag"], response=answer)


def _asker(request: Any, rule: Rule) -> Person | None:
    if rule.is_for_tokens:
        request.person = person_of_header(request.headers.get("Authorization", ""))
    person: Person | None = request.person
    return person


def _denied(request: Any, rule: Rule, person: Person | None) -> Any:
    if person is None and rule.is_api:
        return failed(request, 401, "give a token, as Authorization: Bearer TOKEN", rule)
    if person is None and rule.is_git:
        answer = failed(request, 401, "give a token as the password, for any name", rule)
        answer.headers["WWW-Authenticate"] = 'Basic realm="a token of the league, as password"'
        return answer
    if person is None and rule.method == "GET":
        return HttpResponseRedirect(f"/log-in?{urlencode({'next': request.path})}")
    text = _NO_BOT if rule.action is Action.HAND_IN else "this is not yours to see or do"
    return failed(request, 403, text, rule)


def failed(request: Any, code: int, text: str, rule: Rule) -> HttpResponse:
    """Return an error as a page or as JSON."""
    if rule.is_api:
        return JsonResponse({"error": text}, status=code)
    if rule.is_git:
        return text_answer(f"{text}\n", code)
    return render(request, "league/error.html", {"text": text, "code": code}, status=code)


def _urls() -> list[Any]:
    found = []
    for address in dict.fromkeys(rule.address for rule in RULES):
        own_rules = {rule.method: rule for rule in RULES if rule.address == address}
        view = _guarded(own_rules)
        has_tokens = all(rule.is_for_tokens for rule in own_rules.values())
        found.append(path(address, csrf_exempt(view) if has_tokens else view))
    return found


urlpatterns = _urls()
handler404 = "arena.league.web.pages.not_found"
handler500 = "arena.league.web.pages.internal_error"
handler400 = "arena.league.web.pages.bad_request"
