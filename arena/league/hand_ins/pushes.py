"""A push by git: its commands are read here, its objects by git in the sandbox of a build.

Each push gets a new empty repository, which nothing outlives: no earlier push can harm it, no hook
and no configuration of a pusher is there, and nothing has to be kept small. What leaves the
sandbox is one tar of the files of `main`, bounded before git unpacks any of them.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import BoundedSemaphore, Lock

from django.utils import timezone

from arena.bots.building import build_tier, run_builder
from arena.bots.unpacking import MAX_FILES
from arena.errors import BuildError, MachineError, UsageError
from arena.event.resume.players import build_terms
from arena.league.folder import League
from arena.league.hand_ins.reception import HAND_IN_BYTES, BusyError
from arena.reading.safe_open import open_without_links
from protocol.wording import escaped, quoted
from referee.sandbox import BuildOrder, Limits, private_directory, safe_program

BRANCH = "refs/heads/main"
MAX_COMMANDS = 100
MAX_HEAD = 64_000
"""Limit of the bytes of all commands of a push."""
AT_ONCE = 2
"""Limit of the pushes that are read at the same time."""
WALL_S = 60
"""Limit of the duration of reading a push."""
LIMITS = Limits(memory_bytes=1 << 30, processes=64, files=256, disk_bytes=256 << 20)
LISTING_BYTES = 8_000_000
"""Limit of the size of the list of all files with their paths."""
MAX_ANSWER = 1_000_000
MAX_REFUSAL = 300
TREE = "tree.tar"
_FLUSH = b"0000"
_TAGS = "refs/tags/"
_NO_OBJECT = b"0" * 40
_CONFIG = {
    "receive.maxInputSize": str(HAND_IN_BYTES),
    "receive.fsckObjects": "true",
    "receive.shallowUpdate": "true",
    "receive.unpackLimit": "1",
    "receive.autogc": "false",
    "core.hooksPath": "/dev/null",
    "core.bigFileThreshold": "1m",
    "pack.threads": "1",
    "gc.auto": "0",
}
_SCRIPT = f"""\
set -eu
refuse() {{ printf '%s\\n' "$1" > refusal; exit 0; }}
git init --quiet --bare --template= repository
mkdir -p repository/info
echo '* -export-ignore -export-subst -ident -text -filter' > repository/info/attributes
git receive-pack --stateless-rpc repository < request > answer
export GIT_DIR=repository
git rev-parse --quiet --verify '{BRANCH}^{{commit}}' > commit || exit 0
read -r commit < commit
git ls-tree -r -t -l --full-tree "$commit" |
    head -c {LISTING_BYTES} | head -n {MAX_FILES + 1} > listing || true
[ "$(wc -c < listing)" -lt {LISTING_BYTES} ] || refuse 'too many or too long paths'
entries=0 bytes=0
: > small
while read -r mode kind name size path; do
    entries=$((entries + 1))
    case $mode in
    120000) refuse "$path is a link; a hand-in has files and folders only" ;;
    160000) refuse "$path is a submodule; commit its files themselves" ;;
    esac
    if [ "$kind" = blob ]; then
        bytes=$((bytes + size))
        if [ "$size" -ge 100 ] && [ "$size" -le 200 ]; then echo "$name" >> small; fi
    fi
done < listing
[ "$entries" -le {MAX_FILES} ] || refuse 'has more than {MAX_FILES} files and folders'
[ "$bytes" -le {HAND_IN_BYTES} ] || refuse 'its files have more than {HAND_IN_BYTES // 10**6} MB'
if git cat-file --batch < small | grep -aqx 'version https://git-lfs.github.com/spec/v1'; then
    refuse 'a file is kept by Git LFS, whose content is elsewhere; commit the file itself'
fi
git archive --format=tar "$commit" > {TREE}
"""
_PLACES = BoundedSemaphore(AT_ONCE)
_LOCK = Lock()
_READING: set[int] = set()
"""Persons whose push is being read or waits for that."""


@dataclass(frozen=True)
class Order:
    """The commands of a push."""

    refs: tuple[str, ...]
    has_side_band: bool
    """Whether the pusher shows lines while it waits."""

    @property
    def objection(self) -> str:
        """The reason to refuse it before its objects are read; empty if there is none."""
        others = [ref for ref in self.refs if ref != BRANCH and not ref.startswith(_TAGS)]
        if BRANCH in self.refs and not others:
            return ""
        return "only the branch main is a hand-in: git push LEAGUE HEAD:main"


@dataclass(frozen=True)
class Pushed:
    """A push that git has read."""

    answer: bytes
    """The answer of git."""
    refusal: str
    """The reason to refuse what git has accepted; empty if there is none."""
    tree: Path | None
    """The tar of the files; None if git has not accepted the push."""
    arrived: datetime
    """Time at which all its bytes were here; others may have kept it waiting since then."""


def order_of(head: bytes) -> Order:
    """Return the commands at the start of a push; raises UsageError if they are none."""
    refs: list[str] = []
    capabilities = b""
    for line in _lines(head):
        command, _, more = line.partition(b"\0")
        capabilities = capabilities or more
        if command.startswith(b"shallow "):
            continue
        old, new, ref = [*command.rstrip(b"\n").split(b" ", 2), b"", b""][:3]
        is_name = ref.startswith(b"refs/") and escaped(ref.decode("latin-1")).encode() == ref
        if len(old) != 40 or len(new) != 40 or not is_name:
            raise UsageError("these are no commands of git push")
        if new == _NO_OBJECT:
            raise UsageError("a league keeps no branch to delete")
        refs.append(ref.decode())
    if not 1 <= len(refs) <= MAX_COMMANDS:
        raise UsageError(f"a push has 1 to {MAX_COMMANDS} branches and tags, not {len(refs)}")
    return Order(tuple(refs), b"side-band-64k" in capabilities.split())


def _lines(head: bytes) -> Iterator[bytes]:
    """Yield the lines of git's framing up to the first flush."""
    at = 0
    while (size := head[at : at + 4]) != _FLUSH:
        length = int(size, 16) if len(size) == 4 and size.isalnum() and _is_hex(size) else 0
        if length <= 4 or at + length > len(head):
            raise UsageError("this is no push of git")
        yield head[at + 4 : at + length]
        at += length


def _is_hex(text: bytes) -> bool:
    return not text.strip(b"0123456789abcdefABCDEF")


def lines_of(text: str) -> bytes:
    """Return lines that the pusher shows at once, without anything that controls a terminal."""
    return b"".join(
        _framed(b"\x02" + line[at : at + 900].encode() + b"\n")
        for line in escaped(text, "\n").splitlines()
        for at in range(0, max(len(line), 1), 900)
    )


def refusal_of(order: Order, reason: str) -> bytes:
    """Return the answer of git to a push that is refused."""
    short = escaped(reason).partition("\n")[0][:MAX_REFUSAL]
    parts = [f"ng {ref} {short}\n".encode() for ref in order.refs]
    report = b"".join(map(_framed, [b"unpack ok\n", *parts])) + _FLUSH
    if not order.has_side_band:
        return report
    bands = (report[at : at + 60_000] for at in range(0, len(report), 60_000))
    return b"".join(_framed(b"\x01" + band) for band in bands) + _FLUSH


def advertisement() -> bytes:
    """Return the answer of an empty repository to a pusher who asks what is there."""
    able = "report-status side-band-64k ofs-delta object-format=sha1 agent=git/arena"
    service = _framed(b"# service=git-receive-pack\n") + _FLUSH
    return service + _framed(_NO_OBJECT + f" capabilities^{{}}\0{able}\n".encode()) + _FLUSH


def _framed(data: bytes) -> bytes:
    return f"{len(data) + 4:04x}".encode() + data


@contextmanager
def pushed(league: League, person: int, bot: str, request: Iterable[bytes]) -> Iterator[Pushed]:
    """Yield what git makes of a push of a person; raises UsageError, MachineError.

    The files exist inside the context only.
    """
    git = safe_program("git")
    if git is None:
        raise MachineError(
            "git is not installed, or only where others can replace it: apt-get install git"
        )
    with private_directory() as place:
        folder, home = place.resolve() / "push", place.resolve() / "home"
        for each in (folder, home):
            each.mkdir(mode=0o700)
        with (folder / "request").open("xb") as copy:
            copy.writelines(request)
        arrived = timezone.now()
        with _place_of(person):
            _read_push(league, bot, git, folder, home)
        refusal = _content(folder / "refusal", 4 * MAX_REFUSAL).decode(errors="replace").strip()
        tree = folder / TREE
        yield Pushed(
            _content(folder / "answer", MAX_ANSWER),
            escaped(refusal),
            tree if tree.is_file() and not refusal else None,
            arrived,
        )


@contextmanager
def _place_of(person: int) -> Iterator[None]:
    """Wait for a place to read a push; one person has one, so that others have the rest."""
    with _LOCK:
        if person in _READING:
            raise BusyError("another push of yours is being read; try again")
        _READING.add(person)
    try:
        with _PLACES:
            yield
    finally:
        _READING.discard(person)


def _read_push(league: League, bot: str, git: str, folder: Path, home: Path) -> None:
    """Have git read the push in the folder; raises UsageError, MachineError."""
    terms = build_terms(league.season())
    name = f"the push to {bot}"
    config = {
        f"GIT_CONFIG_{part}_{number}": text
        for number, pair in enumerate(_CONFIG.items())
        for part, text in zip(("KEY", "VALUE"), pair, strict=True)
    }
    try:
        tier = build_tier(name, terms)
    except BuildError as error:
        raise MachineError(str(error)) from None
    order = BuildOrder(
        director=os.getpid(),
        argv=("/bin/sh", "-c", _SCRIPT),
        folder=str(folder),
        home=str(home),
        env={
            **config,
            "GIT_CONFIG_COUNT": str(len(_CONFIG)),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "HOME": str(home),
            "LC_ALL": "C",
            "PATH": f"{Path(git).parent}:/usr/bin:/bin",
        },
        tier=tier,
        has_network=False,
        limits=LIMITS,
        wall_ns=WALL_S * 10**9,
    )
    built = run_builder(order)
    if built.lack is not None:
        raise MachineError(f"{name} cannot be read: {built.lack}")
    if built.fault is not None:
        said = f": {quoted(built.output.strip()[-200:])}" if built.output.strip() else ""
        raise UsageError(f"git could not read this push, which {built.fault}{said}")


def _content(path: Path, most: int) -> bytes:
    """Return the content of a file of the sandbox, which may be anything."""
    with suppress(OSError), os.fdopen(open_without_links(path), "rb") as file:
        return file.read(most)
    return b""


def content_of(tree: Path) -> Iterator[bytes]:
    """Yield the bytes of a tar of the sandbox; raises UsageError if it is no file."""
    try:
        file = os.fdopen(open_without_links(tree), "rb")
    except OSError:
        raise UsageError("git could not read this push") from None
    with file:
        while chunk := file.read(1 << 16):
            yield chunk
