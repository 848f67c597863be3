"""Persons, teams, bots, hand-ins, versions and ratings of a league."""

from decimal import Decimal
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.utils import timezone

from arena.text import scores

NAME = 40
"""Limit of the characters of a name."""
DIGEST = 64


class Person(AbstractBaseUser):
    """Somebody who logs in."""

    name = models.CharField(max_length=NAME, unique=True)
    folded = models.CharField(max_length=4 * NAME, unique=True)
    """The name as it is compared: case and form do not matter."""
    is_staff = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[BaseUserManager] = BaseUserManager()
    USERNAME_FIELD = "name"
    REQUIRED_FIELDS: ClassVar[list[str]] = []


class Team(models.Model):
    """Those who own bots together, often one person."""

    name = models.CharField(max_length=NAME, unique=True)
    folded = models.CharField(max_length=4 * NAME, unique=True)
    members = models.ManyToManyField(Person, related_name="teams")


class Bot(models.Model):
    """What a team names and hands in; a house bot has no team."""

    name = models.CharField(max_length=NAME, unique=True)
    team = models.ForeignKey(Team, models.PROTECT, null=True, related_name="bots")
    active = models.ForeignKey("Version", models.PROTECT, null=True, related_name="+")
    """The version that plays; None before the first accepted hand-in."""
    parked = models.CharField(max_length=400, default="")
    """Why the version does not play; empty while it does."""
    is_remote = models.BooleanField(default=False)
    """Whether it plays from its owner's machine, over the league's port; nothing is handed in."""
    away = models.CharField(max_length=200, default="")
    """Why a remote bot plays no match now; empty while it does."""
    home = models.FloatField(null=True)
    """Rating of a house bot in the season of which it was one of the best."""
    created = models.DateTimeField(auto_now_add=True)

    @property
    def is_house(self) -> bool:
        """Whether it is the league's own."""
        return self.team_id is None

    @property
    def why_idle(self) -> str:
        """Why none of its versions plays; empty if one does."""
        if self.active_id is not None:
            return ""
        newest = self.versions.order_by("number").last()
        if newest is None:
            return "nothing accepted yet"
        is_expected = newest.key and newest.key_ended is None
        return "it has not joined yet" if is_expected else "no version plays"


class HandIn(models.Model):
    """Bytes received for a bot, and what became of them."""

    WAITING, CHECKING, ACCEPTED, REFUSED, REPLACED, LATE = (
        *("waiting", "checking", "accepted"),
        *("refused", "replaced", "late"),
    )
    """A late one is kept and not examined, where staff has chosen so."""

    bot = models.ForeignKey(Bot, models.PROTECT, related_name="hand_ins")
    person = models.ForeignKey(Person, models.PROTECT, related_name="hand_ins")
    received = models.DateTimeField()
    digest = models.CharField(max_length=DIGEST)
    is_late = models.BooleanField(default=False)
    """Whether it was received after its deadline."""
    size = models.PositiveBigIntegerField()
    suffix = models.CharField(max_length=8)
    """End of the file's name, which tells what kind of file it is."""
    state = models.CharField(max_length=10, default=WAITING, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)
    """Checks that the machine has ended, not the bot; the end of a director counts little."""
    report = models.JSONField(default=list)
    """Lines of the check so far."""
    log = models.TextField(default="")
    """Output of a failed build or bot."""
    ended = models.DateTimeField(null=True)
    version = models.ForeignKey("Version", models.PROTECT, null=True, related_name="hand_ins")

    @property
    def is_open(self) -> bool:
        """Whether its answer is still to come."""
        return self.state in (self.WAITING, self.CHECKING)


class Version(models.Model):
    """An accepted hand-in of a bot, named by the hash of its files: a player of the season."""

    bot = models.ForeignKey(Bot, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    player = models.CharField(max_length=NAME + 8, unique=True)
    """Name in the season's matches."""
    tree = models.CharField(max_length=DIGEST)
    """Hash of its files and commands."""
    digest = models.CharField(max_length=DIGEST, default="")
    """Hash of the bytes that it is unpacked from; empty for house bots and remote ones."""
    suffix = models.CharField(max_length=8, default="")
    key = models.CharField(max_length=NAME, default="")
    """Public key of a remote bot, which only the newest version of the bot plays with."""
    key_ended = models.DateTimeField(null=True)
    """When its person had left, or the bot was withdrawn; nobody joins with the key any more."""
    accepted = models.DateTimeField()
    rating = models.FloatField(null=True)
    error = models.FloatField(null=True)
    """Half of the 95 % interval."""
    place = models.PositiveIntegerField(null=True)
    """Place in the table; versions whose order is undecided share one."""
    mean_score = models.FloatField(null=True)
    """Mean score against the present field, each rival once."""
    matches = models.PositiveIntegerField(default=0)
    faults = models.PositiveIntegerField(default=0)
    prior = models.FloatField(null=True)
    """Rating at the end of the season before, near which the first one of this season lies."""

    class Meta:
        """Each tree is one version of its bot, and each key of one version."""

        constraints: ClassVar = [
            models.UniqueConstraint(fields=["bot", "number"], name="version_number"),
            models.UniqueConstraint(fields=["bot", "tree"], name="version_tree"),
            models.UniqueConstraint(
                fields=["key"], condition=~models.Q(key=""), name="version_key"
            ),
        ]


class Season(models.Model):
    """A span with one set of results, which are those of the event of its name in arena.db."""

    RANKED, UNRANKED, CLOSED = "ranked", "unranked", "closed"

    name = models.CharField(max_length=200, unique=True)
    began = models.DateTimeField()
    ended = models.DateTimeField(null=True)
    """None for the season of now."""
    deadline = models.DateTimeField(null=True)
    late = models.CharField(max_length=10, default=UNRANKED)
    """What becomes of a late hand-in: it plays, is examined and does not play, or is only kept."""
    frozen = models.DateTimeField(null=True)
    """Time from which ratings and matches are hidden."""
    revealed = models.DateTimeField(null=True)
    table = models.JSONField(default=list)
    """Rows of the table: the hidden one while it is frozen, the last one once it has ended."""

    @property
    def is_frozen(self) -> bool:
        """Whether new results are hidden now."""
        return self.frozen is not None and self.frozen <= timezone.now() and not self.revealed


class Extension(models.Model):
    """A later deadline of a person or of a team; the newest one of each counts."""

    season = models.ForeignKey(Season, models.PROTECT, related_name="extensions")
    person = models.ForeignKey(Person, models.PROTECT, null=True, related_name="extensions")
    team = models.ForeignKey(Team, models.PROTECT, null=True, related_name="extensions")
    until = models.DateTimeField()


class Final(models.Model):
    """The final of a season: an event of its own, among the versions at its lock."""

    season = models.ForeignKey(Season, models.PROTECT, related_name="finals")
    locked = models.DateTimeField()
    ended = models.DateTimeField(null=True)
    """Time at which its results were published."""
    table = models.JSONField(default=list)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The published table, with the scores as texts."""
        texts = scores([Decimal(str(row["score"])) for row in self.table])
        return [{**row, "score": text} for row, text in zip(self.table, texts, strict=True)]


class RatingPoint(models.Model):
    """A published rating; never changed (a trigger of the database refuses it)."""

    season = models.ForeignKey(Season, models.PROTECT, null=True, related_name="points")
    version = models.ForeignKey(Version, models.PROTECT, related_name="points")
    happened = models.DateTimeField()
    rating = models.FloatField()
    error = models.FloatField()
    matches = models.PositiveIntegerField()


class Challenge(models.Model):
    """Two versions that meet once, never rated; the director plays the oldest that is open.

    Its matches are those of its unit in the event of unrated matches
    (`arena.league.seasons.season`).
    """

    person = models.ForeignKey(Person, models.PROTECT, related_name="challenges")
    """Who has asked for it."""
    one = models.ForeignKey(Version, models.PROTECT, related_name="+")
    other = models.ForeignKey(Version, models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    unit = models.PositiveBigIntegerField(null=True)
    """Number of the unit with its two matches, the `board` of their rows; None before it begins."""
    ended = models.DateTimeField(null=True, db_index=True)
    """When both matches were over, or one of the versions could not play."""

    def end(self) -> None:
        """Record that nothing more of it is played."""
        self.ended = timezone.now()
        self.save(update_fields=["ended"])


class MachineVoid(models.Model):
    """An order to void what a machine has played since a time; the director carries it out."""

    machine = models.CharField(max_length=200)
    since = models.DateTimeField()
    person = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    """Who has ordered it; None for whoever runs commands on the league's machine."""
    ordered = models.DateTimeField(auto_now_add=True)
    done = models.DateTimeField(null=True, db_index=True)
    matches = models.PositiveIntegerField(default=0)
    """Number of matches that it has set aside."""


class Invite(models.Model):
    """A link by which a person chooses a password; only its hash is kept."""

    person = models.ForeignKey(Person, models.CASCADE, related_name="invites")
    digest = models.CharField(max_length=DIGEST, unique=True)
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True)


class Token(models.Model):
    """A token of a person for commands; only its hash is kept."""

    person = models.ForeignKey(Person, models.CASCADE, related_name="tokens")
    digest = models.CharField(max_length=DIGEST, unique=True)
    label = models.CharField(max_length=NAME)
    created = models.DateTimeField(auto_now_add=True)
    revoked = models.DateTimeField(null=True)


class Notice(models.Model):
    """Something of the machine that staff should know."""

    happened = models.DateTimeField(auto_now_add=True)
    text = models.CharField(max_length=1000)


class Audit(models.Model):
    """What a person has done; never changed."""

    happened = models.DateTimeField(auto_now_add=True)
    person = models.ForeignKey(Person, models.PROTECT, null=True)
    action = models.CharField(max_length=40)
    thing = models.CharField(max_length=200)
