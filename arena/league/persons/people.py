"""Persons: class lists, links, passwords, tokens. Of links and tokens only the hash is kept."""

import hashlib
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from arena.errors import UsageError
from arena.league.persons.looks import alike
from arena.league.site.models import Audit, Bot, Invite, Person, Team, Token, Version
from arena.reading.names import MAX_BOT_NAME, casefolded, in_order, name_objection
from protocol.wording import quoted

Named = TypeVar("Named", Person, Team, Bot)
LINK_BYTES = 16
LINK_DAYS = 14
MAX_LIST = 500
"""Limit of the persons in one class list."""
MAX_WRONG = 20
"""Limit of the wrong lines of a class list that are named."""
MAX_TOKENS = 20
SET_KEY = "set a key"
"""Action of whoever gives a remote bot a key."""
NO_LINK = "this link was used or has expired; ask staff for another"
PASSWORD = range(8, 201)
"""Allowed lengths of a password."""


@dataclass(frozen=True)
class Slip:
    """A new link of a person, shown once."""

    person: Person
    secret: str

    @property
    def path(self) -> str:
        """The address of the link, without the host."""
        return f"/link/{self.secret}"


def digest_of(secret: str) -> str:
    """Return the hash by which a link or token is kept."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_slip(person: Person) -> Slip:
    """Make a link of a person; earlier ones that nobody has used end."""
    secret = secrets.token_urlsafe(LINK_BYTES)
    expires = timezone.now() + timedelta(days=LINK_DAYS)
    with transaction.atomic():
        Invite.objects.filter(person=person, used=None).delete()
        Invite.objects.create(person=person, digest=digest_of(secret), expires=expires)
    return Slip(person, secret)


def close_account(person: Person, by: Person) -> None:
    """End all by which a person comes in: password, sessions, tokens, links; a new link reopens.

    The keys of remote bots that this person has set end for good.
    """
    with transaction.atomic():
        person.set_unusable_password()
        person.save()
        Invite.objects.filter(person=person, used=None).delete()
        person.tokens.filter(revoked=None).update(revoked=timezone.now())
        _end_keys(person, Version.objects.all())
        audit(by, "closed an account", person.name)


def _end_keys(person: Person, versions: QuerySet[Version]) -> None:
    """End for good those keys of remote bots that this person has set."""
    set_by = Audit.objects.filter(person=person, action=SET_KEY).values("thing")
    versions.filter(player__in=set_by, key_ended=None).update(key_ended=timezone.now())


def open_invite(secret: str) -> Invite | None:
    """Return the invite of a link, if it can still be used."""
    found: Invite | None = Invite.objects.filter(
        digest=digest_of(secret), used=None, expires__gt=timezone.now()
    ).first()
    return found


def accept_invite(secret: str, password: str) -> Person:
    """Set the password of the person of a link, and use the link up; raises UsageError."""
    if reason := password_objection(password):
        raise UsageError(reason)
    if open_invite(secret) is None:  # before anything slow, for whoever has no link
        raise UsageError(NO_LINK)
    draft = Person()
    draft.set_password(password)  # slow, so before the transaction
    with transaction.atomic():
        invite = open_invite(secret)
        if invite is None:
            raise UsageError(NO_LINK)
        invite.used = timezone.now()
        invite.save()
        person: Person = invite.person
        person.password = draft.password
        person.save()
        audit(person, "set a password", person.name)
    return person


def password_objection(password: str) -> str:
    """Return why a password cannot be used; empty if it can."""
    if len(password) in PASSWORD:
        return ""
    return f"a password has {PASSWORD[0]} to {PASSWORD[-1]} characters, not {len(password)}"


@dataclass(frozen=True)
class ClassAdded:
    """A class list that was added."""

    slips: list[Slip]
    """Links of the new persons."""
    kept: list[Person]
    """Those who were there already: they keep their teams, and get no link."""


def add_class(text: str, by: Person | None) -> ClassAdded:
    """Add the persons of a class list, a line each: `NAME` or `NAME; TEAM`, or with a tab.

    Raises UsageError with all wrong lines; then nobody is added.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > MAX_LIST:
        raise UsageError(f"a class list has at most {MAX_LIST} lines, not {len(lines)}")
    added = ClassAdded([], [])
    seen: dict[str, int] = {}  # {key of a name: number of its first line}
    wrong: list[str] = []
    with transaction.atomic():
        for number, line in lines:
            try:
                name, team = _parts(line, number, seen)
                _add_line(name, team, added, by)
            except UsageError as error:
                wrong.append(f"line {number}: {error}")
        if wrong:
            more = [f"and {len(wrong) - MAX_WRONG} more"] if len(wrong) > MAX_WRONG else []
            raise UsageError("\n".join([*wrong[:MAX_WRONG], *more, "nobody was added"]))
    return added


def _parts(line: str, number: int, seen: dict[str, int]) -> tuple[str, str]:
    """Return the name and the team of a line, which may be empty; no name comes twice."""
    name, _, team = (part.strip() for part in line.replace("\t", ";").strip().partition(";"))
    if (first := seen.setdefault(person_key(name), number)) != number:
        raise UsageError(
            f"{quoted(name)} is in line {first} already; give each person one line, and two"
            " persons of one name a difference"
        )
    return name, team


def _add_line(name: str, team: str, added: ClassAdded, by: Person | None) -> None:
    for each in (name, team or name):
        if reason := person_objection(each):
            hint = "; a team stands behind a semicolon: Ann Lee; Blue" if "," in each else ""
            raise UsageError(f"a name {reason}{hint}")
    person = Person.objects.filter(folded=person_key(name)).first()
    if person is None:
        added.slips.append(new_slip(add_person(name, team=team)))
        audit(by, "added a person", name)
    else:
        added.kept.append(person)


def person_key(name: str) -> str:
    """Return the name of a person or team for comparison: both apostrophes are one."""
    return casefolded(name.replace("\u2019", "'"))


def person_objection(name: str) -> str | None:
    """Return the objection to the name of a person or team, or None.

    It may have apostrophes before letters, which no name of a bot may have.
    """
    if len(name) > MAX_BOT_NAME:
        return name_objection(name)
    plain = re.sub(r"['\u2019](?=\w)", "", name)
    return name_objection(name) if name_objection(plain) else None


def add_person(name: str, *, team: str = "", is_staff: bool = False) -> Person:
    """Add a person without a password, and the team if it is new; raises UsageError."""
    _require_free(name, Person.objects.all())
    person = Person(name=name, folded=person_key(name), is_staff=is_staff)
    person.set_unusable_password()
    person.save()
    if not is_staff:
        _team(team or name, is_shared=bool(team)).members.add(person)
    return person


def _require_free(name: str, others: QuerySet[Person]) -> None:
    """Refuse the name of a person that is invalid, or that one of the others has."""
    if reason := person_objection(name):
        raise UsageError(f"a name {reason}")
    if others.filter(folded=person_key(name)).exists():
        raise UsageError(f"there is a person {quoted(name)} already")
    if other := alike(name, others.values_list("name", flat=True)):
        raise UsageError(f"{quoted(name)} looks like the person {quoted(other)}; add a difference")


def _team(name: str, *, is_shared: bool) -> Team:
    """Return the team of a name; a person alone never joins a team that is there already."""
    folded = person_key(name)
    found: Team | None = Team.objects.filter(folded=folded).first()
    if found is not None and not is_shared:
        raise UsageError(f"there is a team {quoted(name)} already; give this person a team")
    if found is None and (other := alike(name, Team.objects.values_list("name", flat=True))):
        raise UsageError(f"{quoted(name)} looks like the team {quoted(other)}; add a difference")
    return found or Team.objects.create(name=name, folded=folded)


def change_name(person: Person, name: str, by: Person | None) -> None:
    """Give a person another name, and so the team that has the name; raises UsageError.

    Only the list of actions and backups keep the name before.
    """
    name = name.strip()
    with transaction.atomic():
        _require_free(name, Person.objects.exclude(pk=person.pk))
        audit(by, "changed a name", f"{person.name}: {name}")
        of_the_name = person.teams.filter(folded=person.folded).first()
        person.name, person.folded = name, person_key(name)
        person.save(update_fields=["name", "folded"])
        if of_the_name is not None:
            _rename_team(of_the_name, name)


def _rename_team(team: Team, name: str) -> None:
    others = Team.objects.exclude(pk=team.pk)
    if others.filter(folded=person_key(name)).exists():
        raise UsageError(f"there is a team {quoted(name)} already")
    if other := alike(name, others.values_list("name", flat=True)):
        raise UsageError(f"{quoted(name)} looks like the team {quoted(other)}; add a difference")
    team.name, team.folded = name, person_key(name)
    team.save(update_fields=["name", "folded"])


def change_team(person: Person, name: str, by: Person | None) -> Team:
    """Have a person leave all teams and join this one, which may be new; raises UsageError.

    The bots of a team stay with it, also if nobody is left in it. The keys that this person has set
    for its remote bots end, as their secret half leaves the team too.
    """
    name = name.strip()
    if person.is_staff:
        raise UsageError(f"{person.name} is staff, who are in no team")
    if reason := person_objection(name):
        raise UsageError(f"a name {reason}")
    with transaction.atomic():
        team = _team(name, is_shared=True)
        _end_keys(person, Version.objects.exclude(bot__team=team))
        person.teams.set([team])
        audit(by, "changed a team", f"{person.name}: {team.name}")
    return team


def new_token(person: Person, label: str) -> str:
    """Make a token of a person and return it, which is not kept; raises UsageError."""
    label = label.strip() or "token"
    if reason := name_objection(label):
        raise UsageError(f"a label {reason}")
    secret = secrets.token_urlsafe(LINK_BYTES)
    with transaction.atomic():
        if person.tokens.filter(revoked=None).count() >= MAX_TOKENS:
            raise UsageError(f"a person has at most {MAX_TOKENS} tokens; revoke one")
        Token.objects.create(person=person, digest=digest_of(secret), label=label)
        audit(person, "made a token", label)
    return secret


def person_of_token(secret: str) -> Person | None:
    """Return the person of a token that is in force."""
    token = (
        Token.objects.select_related("person")
        .filter(digest=digest_of(secret), revoked=None, person__isnull=False)
        .first()
    )
    return None if token is None else token.person


def audit(person: Person | None, action: str, thing: object) -> None:
    """Record what a person has done."""
    Audit.objects.create(person=person, action=action, thing=str(thing)[:200])


def by_name(things: Iterable[Named]) -> list[Named]:
    """Return persons, teams or bots in the order of their names."""
    return sorted(things, key=lambda thing: in_order(thing.name))


def names(things: Iterable[Person | Team]) -> str:
    """Return the names of persons or teams as a text."""
    return ", ".join(thing.name for thing in by_name(things))
