"""Pages of a person: log in, links, bots, hand-ins, tokens."""

from typing import Any
from urllib.parse import quote

from django.http import Http404, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from arena.errors import UsageError
from arena.league.files import place
from arena.league.hand_ins.reception import new_bot, quota_of, receive
from arena.league.hand_ins.versions import withdraw as withdraw_bot
from arena.league.persons.people import (
    NO_LINK,
    accept_invite,
    audit,
    by_name,
    new_token,
    open_invite,
    person_key,
)
from arena.league.remote.remote_bots import add_remote_bot, change_key
from arena.league.seasons.deadlines import LATE, deadline_of, is_played, season_now
from arena.league.seasons.deadlines import restore as restore_version
from arena.league.site.models import Bot, HandIn, Person, Team, Token
from arena.league.web import sessions
from arena.league.web.answers import file_answer
from arena.league.web.here import league, site
from arena.league.web.remote import port, require_port
from arena.league.web.throttle import YEAR_S, Place, Throttle, Trials, new_mark, place_of

_THROTTLE = Throttle()
_TRIALS = Trials()
_WRONG = "the name or the password is wrong"
_CLOSED = "too many wrong passwords; wait ten minutes, or ask staff for a new link"
REFRESH_S = 2
MOST_NAME = 200


def log_in_form(request: Any) -> HttpResponse:
    """Show the form to log in."""
    return render(request, "league/log_in.html", {"next": _onward(request.GET)})


def log_in(request: Any) -> HttpResponse:
    """Log in, and continue to the page that was asked for."""
    onward = _onward(request.POST)
    account = person_key(request.POST.get("name", "")[:MOST_NAME].strip())
    password = request.POST.get("password", "")[:MOST_NAME]
    place, text = _place(request, account), _CLOSED
    with _TRIALS.one(place):
        if _THROTTLE.begin(account, place):
            person = Person.objects.filter(folded=account).first()
            is_right = _is_right(person, password)
            if person is not None and is_right:
                _THROTTLE.right(account, place)
                return _logged_in(request, person, onward)
            text = _WRONG
    values = {"next": onward, "text": text, "name": request.POST.get("name", "")[:MOST_NAME]}
    return render(request, "league/log_in.html", values, status=403)


def _is_right(person: Person | None, password: str) -> bool:
    if person is None or not person.has_usable_password():
        Person().set_password(password)  # takes as long as for a person
        return False
    return bool(person.check_password(password))


def _mark_name() -> str:
    return f"league_known_{site().port}"


def _place(request: Any, account: str) -> Place:
    mark = request.COOKIES.get(_mark_name(), "")
    return place_of(request.META.get("REMOTE_ADDR", ""), account, mark)


def _logged_in(request: Any, person: Person, onward: str) -> HttpResponse:
    """Begin a session, and mark the browser as one that has logged in."""
    is_marked = _place(request, person.folded).is_known
    sessions.log_in(request, person)
    response = HttpResponseRedirect(onward)
    if not is_marked:
        response.set_cookie(
            _mark_name(),
            new_mark(person.folded),
            max_age=YEAR_S,
            secure=site().https,
            httponly=True,
            samesite="Lax",
        )
    return response


def _onward(form: Any) -> str:
    onward = form.get("next", "")
    is_own = url_has_allowed_host_and_scheme(onward, allowed_hosts=None)
    return onward if is_own and onward.startswith("/") else "/me"


def log_out(request: Any) -> HttpResponse:
    """Log out."""
    sessions.log_out(request)
    return HttpResponseRedirect("/log-in")


def link_form(request: Any, secret: str) -> HttpResponse:
    """Show the form of a link, which this does not use up."""
    invite = open_invite(secret)
    if invite is None:
        return render(request, "league/error.html", {"text": NO_LINK, "code": 404}, status=404)
    return render(request, "league/link.html", {"name": invite.person.name})


def link(request: Any, secret: str) -> HttpResponse:
    """Set the password of the person of a link, and log in."""
    try:
        person = accept_invite(secret, request.POST.get("password", ""))
    except UsageError as error:
        invite = open_invite(secret)
        values = {"text": str(error), "code": 400, "name": invite.person.name if invite else ""}
        page = "league/link.html" if invite else "league/error.html"
        return render(request, page, values, status=400)
    _THROTTLE.forget(person.folded)
    return _logged_in(request, person, "/staff" if person.is_staff else "/me")


def me(request: Any) -> HttpResponse:
    """Show the bots, hand-ins and tokens of a person."""
    return _me(request)


def _me(request: Any, code: int = 200, **more: Any) -> HttpResponse:
    teams = by_name(request.person.teams.all())
    bots = by_name(Bot.objects.filter(team__in=teams).select_related("team", "active"))
    values = {
        "teams": teams,
        "bots": [
            (bot, bot.hand_ins.order_by("-pk").first(), deadline_text(bot, request.person))
            for bot in bots
        ],
        "port": port(request),
        "tokens": request.person.tokens.filter(revoked=None).order_by("pk"),
        **more,
    }
    return render(request, "league/me.html", values, status=code)


def deadline_text(bot: Bot, person: Person) -> str:
    """Return what the person should know of the deadline and of the bot's limits."""
    if bot.is_remote:
        return ""
    season = season_now()
    until = deadline_of(season, bot, person)
    limits = f"{quota_of(bot)}."
    if season is None or until is None:
        return limits
    now = f"now it is {timezone.now():%Y-%m-%d %H:%M} UTC"
    text = f"Deadline {until:%Y-%m-%d %H:%M:%S} UTC, {now}; late hand-ins {LATE[season.late]}."
    return f"{text} {limits}"


def add_bot(request: Any) -> HttpResponse:
    """Add a bot of a team of this person."""
    try:
        new_bot(request.person, _team(request), request.POST.get("name", ""))
    except UsageError as error:
        return _me(request, 400, text=str(error))
    return HttpResponseRedirect("/me")


def add_remote(request: Any) -> HttpResponse:
    """Add a remote bot of a team of this person."""
    name, key = request.POST.get("name", ""), request.POST.get("key", "")
    try:
        require_port()
        add_remote_bot(request.person, _team(request), name, key)
    except UsageError as error:
        return _me(request, 400, text=str(error))
    return HttpResponseRedirect("/me")


def new_key(request: Any, thing: Bot, name: str) -> HttpResponse:
    """Give a remote bot a new key, and with it a new version."""
    change_key(request.person, thing, request.POST.get("key", ""))
    return HttpResponseRedirect(f"/bots/{quote(name, safe='')}")


def _team(request: Any) -> Team:
    """Return the team of a form; a person with one team need not choose. Raises UsageError."""
    number = request.POST.get("team", "")
    teams = request.person.teams
    team: Team | None = None
    if number.isdecimal() and len(number) < 19:
        team = teams.filter(pk=int(number)).first()
    if team is None and teams.count() == 1:
        team = teams.first()
    if team is None:
        raise UsageError("choose one of your teams")
    return team


def hand_in(request: Any, thing: Bot, name: str) -> HttpResponse:
    """Keep a handed-in file, and show what becomes of it."""
    del name
    file = request.FILES.get("file")
    if file is None:
        raise UsageError("choose a file: a .zip, .tar or .tar.gz of the bot's folder, or a .py")
    receipt = receive(league(), request.person, thing, file.name or "", file.chunks())
    return HttpResponseRedirect(f"/hand-ins/{receipt.number}")


def restore(request: Any, thing: Bot, name: str, number: int) -> HttpResponse:
    """Have an earlier version play again."""
    restore_version(request.person, thing, number)
    return HttpResponseRedirect(f"/bots/{quote(name, safe='')}")


def withdraw(request: Any, thing: Bot, name: str) -> HttpResponse:
    """Have no version of a bot play."""
    withdraw_bot(request.person, thing)
    return HttpResponseRedirect(f"/bots/{quote(name, safe='')}")


def hand_in_page(request: Any, thing: HandIn, number: int) -> HttpResponse:
    """Show a hand-in: its receipt, its check, its logs; the page renews itself until the end."""
    del number
    values = {"row": thing, "is_played": is_played(thing)}
    response = render(request, "league/hand_in.html", values)
    if thing.is_open:
        response.headers["Refresh"] = str(REFRESH_S)
    return response


def hand_in_file(_: Any, thing: HandIn, number: int) -> StreamingHttpResponse:
    """Return the bytes of a hand-in."""
    path = place(league().files, thing.digest)
    if not path.is_file():
        raise Http404
    return file_answer(path.open("rb"), f"{thing.bot.name}-{number}{thing.suffix}")


def add_token(request: Any) -> HttpResponse:
    """Make a token and show it once."""
    try:
        secret = new_token(request.person, request.POST.get("label", ""))
    except UsageError as error:
        return _me(request, 400, text=str(error))
    return _me(request, token=secret)


def end_token(request: Any, thing: Token, number: int) -> HttpResponse:
    """End a token."""
    del number
    thing.revoked = timezone.now()
    thing.save()
    audit(request.person, "ended a token", thing.label)
    return HttpResponseRedirect("/me")
