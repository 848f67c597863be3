"""Links of staff, made by whoever has the folder of the league."""

from arena.errors import UsageError
from arena.league.persons.people import Slip, add_person, audit, new_slip, person_key
from arena.league.site.models import Person
from protocol.wording import quoted

STAFF = "staff"
"""Name of the first person."""


def first_staff_slip() -> Slip | None:
    """Return a link for the first person of staff; None if there is one already."""
    if Person.objects.filter(is_staff=True).exists():
        return None
    audit(None, "added a person", STAFF)
    return new_slip(add_person(STAFF, is_staff=True))


def slip_for(name: str) -> Slip:
    """Return a new link of a person; raises UsageError if there is none of this name."""
    person = Person.objects.filter(folded=person_key(name)).first()
    if person is None and not Person.objects.exists():
        raise UsageError("the first `arena league start` adds staff and prints its link")
    if person is None:
        raise UsageError(f"there is no person {quoted(name)}; the page Staff lists all persons")
    audit(None, "made a link", person.name)
    return new_slip(person)
