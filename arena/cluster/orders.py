"""The messages between a director and its workers, as JSON.

Dask pickles only names of functions and bytes; everything else is text, so that a worker of another
version of Arena can still be asked for its version.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Annotated, Any, TypeVar

from pydantic import Field, TypeAdapter

from arena.bots.settings import content_without_settings
from arena.reading.choices import Isolation, NetworkAccess
from referee.job import Job, Player

T = TypeVar("T")
DIRECTOR = "director"
"""Name of the director's own machine among the workers, which no worker may have."""
MOST_SLOTS = 4096
"""Limit of the slots that a worker may say it has: the director divides matches among them."""
_ROOT = Path(__file__).parent.parent.parent
"""The folder of the packages: a checkout, or the site-packages of an installation."""


@dataclass(frozen=True, kw_only=True)
class Cast:
    """The way to start a player's bot on a worker."""

    bundle: str
    """Name of the bundle with its files."""
    content: str
    """Hash of its files and commands."""
    args: tuple[str, ...] = ()
    isolation: Isolation = "auto"
    network: NetworkAccess = "deny"
    """Network access of its build."""
    is_lasting: bool = False
    """Whether its scratch folder is kept between the matches on a worker."""


def cast_key(player: Player) -> tuple[str, str]:
    """Return the key of the way to start a player, the same under all its settings."""
    return player.name, content_without_settings(player.content)


@dataclass(frozen=True, kw_only=True)
class MatchOrder:
    """A match for a worker."""

    job: Job
    """The match; the worker fills in folders, programs and tiers of its players."""
    casts: tuple[Cast | None, ...]
    """The programs of the match, `Job.programs`; None for one without a start."""
    event: str
    """Name of the event, for scratch folders."""
    is_scaled: bool = False
    """Whether time limits and penalties depend on the speed of the worker."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Matches for one slot of a worker, in order of play."""

    orders: tuple[MatchOrder, ...]


@dataclass(frozen=True, kw_only=True)
class WorkerAnswer:
    """The answer of a worker to an order without a played match."""

    missing: tuple[str, ...] = ()
    """Bundles missing on the worker."""
    unable: dict[str, str] = field(default_factory=dict)
    """Reasons why the worker cannot start bots, by bundle."""


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """The facts for building a bundle on a worker."""

    bundle: str
    content: str
    isolation: Isolation
    network: NetworkAccess
    installations: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Description:
    """A worker, described by itself."""

    name: str
    slots: Annotated[int, Field(ge=1, le=MOST_SLOTS)]
    cores: int
    """Cores of each slot."""
    speed: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    isolation: str
    """Title of its best tier of isolation."""
    arena: str
    """Version of Arena, with a hash of its files."""
    python: str
    dask: str

    def differences(self) -> list[str]:
        """Return the versions different from ours, as "Python 3.11 there, 3.12 here"."""
        names = {"arena": "Arena", "python": "Python", "dask": "Dask"}
        own = versions()
        pairs = ((title, getattr(self, key), own[key]) for key, title in names.items())
        return [
            f"{title} {there} there, {here} here" for title, there, here in pairs if there != here
        ]


def versions() -> dict[str, str]:
    """Return the versions of this installation, required on all machines."""
    return {
        "arena": f"{version('bot-arena')} ({source_hash(_ROOT)[:8]})",
        "python": ".".join(python_version().split(".")[:2]),
        "dask": version("distributed"),
    }


@cache
def source_hash(root: Path) -> str:
    """Return a hash of the code for matches: two checkouts of one version may differ.

    An installation also has the shipped bots and configs, as data in the package; a checkout has
    them elsewhere. Bots have hashes of their own.
    """
    digest = hashlib.sha256()
    data = root / "arena" / "data"
    for package in ("arena", "protocol", "referee"):
        for path in sorted((root / package).rglob("*.py")):
            if data in path.parents:
                continue
            digest.update(str(path.relative_to(root)).encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def dump(value: Batch | WorkerAnswer | Delivery | Description) -> bytes:
    """Return a value of this module as JSON."""
    return _ADAPTERS[type(value)].dump_json(value)


def load(kind: type[T], text: bytes) -> T:
    """Return the value of a JSON text; raises ValueError."""
    value: T = _ADAPTERS[kind].validate_json(text)
    return value


_ADAPTERS: dict[type, TypeAdapter[Any]] = {
    kind: TypeAdapter(kind) for kind in (Batch, WorkerAnswer, Delivery, Description)
}
