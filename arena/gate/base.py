"""A git revision as BASE: the folder of NEW as of that commit.

The files of the revision are written to a separate temporary folder through a separate repository
that only shares the objects. The work tree and `.git` stay unchanged, and no hook or filter of a
stranger's `.git` runs. The folder is removed after the build of the bot, also after an
interruption. A folder left behind by a killed process is removed at the next start of referees,
like their sandbox directories.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, MappingProxyType

from arena.bots.manifest import Manifest, read_manifest
from arena.bots.shipped import shipped_sources
from arena.bots.sources import BOT_BYTES
from arena.errors import UsageError
from arena.gate.kept_elsewhere import fill_pointers, is_left_empty
from protocol.wording import quoted
from referee.sandbox import private_directory, safe_program

PREFIX = "git:"
"""Prefix of a base given as a revision."""

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""Signals with immediate exit as their default. SIGINT raises KeyboardInterrupt anyway."""
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")
"""Variables set inside git hooks; they would redirect git to another repository."""
_NO_FETCHING = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
"""Variables against fetching missing objects, by a program that the configuration names."""
_USUAL_GIT = "/usr/bin/git"
_SUBMODULE = "160000 "
"""Begins the entry of a submodule in an index."""

NOTHING: Mapping[str, str] = MappingProxyType({})


class GitError(Exception):
    """A git command failed; the message is its error output."""


def is_revision(base: str) -> bool:
    """Return whether a base is a revision and not a bot."""
    return base.startswith(PREFIX)


@contextmanager
def checked_out(new: Manifest, named: Path, base: str) -> Iterator[Manifest]:
    """Yield the bot `new`, which has a folder, as of the revision `base`.

    Its files exist inside the context only. `named` is the path of the bot as the organiser named
    it. Files shipped with Arena or shared with `new` come from the same revision, too, if they are
    in its repository.

    Raises UsageError without git, without a repository, for an unknown revision, and for a revision
    without the bot.
    """
    revision = base.removeprefix(PREFIX)
    if not revision.rpartition("/")[2]:
        raise UsageError(
            f"{base} names no revision; write one like {PREFIX}origin/main (in GitHub Actions,"
            " github.base_ref is empty outside pull requests)"
        )
    place = new.path.parent
    top = _top(_as_named(place, named), base)
    commit = _commit(top, revision, base)
    inside = place.relative_to(top) / new.path.name
    with _ended_in_order(), private_directory() as folder:
        files = folder.resolve() / "files"
        files.mkdir()
        with _readable(f"{base}: {commit[:12]}"):
            _write(top, commit, files)
        path = files / inside
        if not path.is_file() or not path.resolve().is_relative_to(files):
            raise UsageError(
                f"{base}: {inside.as_posix()} does not exist at {commit[:12]}; name a"
                " revision with this folder, or an older bot by its path"
            )
        _complete(top, files, new, base)
        lent = tuple(_as_of(files, top, each) for each in (*shipped_sources(), *new.shared))
        yield read_manifest(path, lent, shown=f"{base}:{inside.as_posix()}")


def _as_named(place: Path, named: Path) -> Path:
    """Return the folder of a bot by its name, with the links on the way; `place` has none."""
    folder = named.absolute() if named.is_dir() else named.absolute().parent
    return folder if folder.resolve() == place else place  # a shipped bot is named by no path


def _as_of(files: Path, top: Path, place: Path) -> Path:
    """Return a work tree's path among a revision's files, unresolved: its links are refused."""
    return files / place.relative_to(top) if place.is_relative_to(top) else place


def _top(folder: Path, base: str) -> Path:
    """Return the work tree of the repository around a folder.

    A pull request may replace the folder by a link to a weaker bot, or add the files of its own
    repository for git to find first: the base would be its choice.
    """
    if safe_program("git") is None:
        raise UsageError(
            f"{base} needs git, which is not installed, or only where others can replace it:"
            " apt-get install git"
        )
    for link in filter(Path.is_symlink, (folder, *folder.parents)):
        if _with_git(link.parent.resolve()) is not None:
            raise UsageError(f"{base}: {link} is a link; name the folder of NEW itself")
    place = _with_git(folder.resolve()) or folder
    try:
        top = Path(_git(place, ["rev-parse", "--show-toplevel"])).resolve()
    except GitError as error:
        raise UsageError(
            f"{base}: the folder of NEW, {folder}, is not in a readable git repository: {error}"
        ) from None
    if place != top:
        raise UsageError(f"{base}: the folder of NEW, {folder}, is not in its repository's {top}")
    return top


def _with_git(folder: Path) -> Path | None:
    """Return the nearest folder with a `.git`, or None."""
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), None)


def _commit(top: Path, revision: str, base: str) -> str:
    try:
        return _git(top, ["rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"])
    except GitError:
        raise UsageError(
            f"{base}: {quoted(revision)} is not a revision in {top}{_branches(top)}; run"
            " `git fetch` (in CI, check out with fetch-depth: 0)"
        ) from None


def _branches(top: Path) -> str:
    """Return the newest branches as part of a message; nothing without any."""
    newest = ["for-each-ref", "--count=5", "--sort=-committerdate", "--format=%(refname:short)"]
    try:
        names = _git(top, [*newest, "refs/heads", "refs/remotes"]).splitlines()
    except GitError:
        return ""  # one of them is damaged
    return f", which has {', '.join(map(quoted, names))}" if names else ""


@contextmanager
def _readable(revision: str) -> Iterator[None]:
    """Raise UsageError where git cannot read a revision."""
    try:
        yield
    except GitError as error:
        raise UsageError(f"{revision} cannot be written out: {error}") from None


def _write(top: Path, commit: str, files: Path) -> None:
    """Write the files of a commit to a folder, by a repository beside it."""
    own = files.parent / "repository"
    inside = {"GIT_DIR": str(own / ".git")}
    objects = top / _git(top, ["rev-parse", "--git-path", "objects"])
    kind = _git(top, ["rev-parse", "--show-object-format"])
    _git(files, ["init", "--quiet", "--template=", f"--object-format={kind}", str(own)])
    alternates = own / ".git" / "objects" / "info" / "alternates"
    alternates.parent.mkdir(exist_ok=True)
    alternates.write_bytes(os.fsencode(objects.resolve()) + b"\n")
    _git(files, ["read-tree", commit], inside)
    _git(files, ["checkout-index", "--all"], inside)


def _complete(top: Path, files: Path, new: Manifest, base: str) -> None:
    """Fill in what git keeps elsewhere of a bot's files, or raise UsageError."""
    own = new.path.parent
    root = files / own.relative_to(top)
    with _readable(base):
        stored = top / _git(top, ["rev-parse", "--git-common-dir"]) / "lfs" / "objects"
        submodules = _submodules(files)
    for place in fill_pointers(root, stored, own):
        raise UsageError(
            f"{base}: the content of {quoted(str(place))} is kept by Git LFS and not here; fetch"
            f" it: git lfs fetch origin {base.removeprefix(PREFIX)} (all such files of a bot may"
            f" have {BOT_BYTES >> 20} MB)"
        )
    for place in submodules:
        if place.is_relative_to(root) and not is_left_empty(own / place.relative_to(root)):
            raise UsageError(
                f"{base}: {quoted(str(place.relative_to(files)))} is a submodule, whose files are"
                " no part of the revision; check it out elsewhere (git worktree add, git"
                " submodule update --init) and name that folder"
            )


def _submodules(files: Path) -> list[Path]:
    """Return the empty folders in place of the submodules of a revision."""
    inside = {"GIT_DIR": str(files.parent / "repository" / ".git")}
    listed = _git(files, ["ls-files", "--stage", "-z"], inside).split("\0")
    entries = (entry.partition("\t") for entry in listed)
    return [files / name for about, _, name in entries if about.startswith(_SUBMODULE)]


def _git(place: Path, arguments: Sequence[str], variables: Mapping[str, str] = NOTHING) -> str:
    """Return the output of git, or raise GitError with its error output."""
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    done = subprocess.run(
        [safe_program("git") or _USUAL_GIT, "-C", str(place), *arguments],
        env={**environment, **_NO_FETCHING, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        errors = " ".join(done.stderr.decode(errors="replace").split())
        raise GitError(errors or f"git ended with {done.returncode}")
    return os.fsdecode(done.stdout).rstrip("\n")


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Raise KeyboardInterrupt on ending signals, so that open contexts are closed."""
    before = {
        number: signal.signal(number, _interrupt)
        for number in _SIGNALS
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
