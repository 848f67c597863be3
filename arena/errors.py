"""Errors shown to the user without a traceback; any other exception is an internal error."""

import errno
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from arena.exit_codes import ExitCode
from protocol.wording import aligned, quoted
from referee.extras import install_command
from referee.sandbox import EXHAUSTED

BROKEN_DISK = (EXHAUSTED | {errno.EIO}) - {errno.EAGAIN}
"""Errors of a machine that cannot keep a file; EAGAIN is that of a lease, held by an author."""
MAX_PROBLEMS = 20
"""Limit of the problems shown per file; the rest are counted."""
MAX_EXCERPT = 100
"""Limit of the characters shown of a source line."""


class ArenaError(Exception):
    """Base class of errors with a message for the user."""

    exit_code: ClassVar[ExitCode] = ExitCode.USAGE


@dataclass(frozen=True)
class Problem:
    """One error in the user's input, with its place.

    The lines of `detail` after the first are shown below the source excerpt.
    `line` and `column` count from 1, in characters; line 0 is an error of the file as a whole.
    `text` is the source line, `width` the number of wrong characters.
    """

    file: str
    detail: str
    line: int = 0
    column: int = 0
    text: str = ""
    width: int = 1
    causes: tuple["Problem", ...] = ()
    """Errors in other files that `detail` quotes, for tools that show each at its place."""

    def __str__(self) -> str:
        file = aligned(self.file)
        if not self.line:
            return f"{file}: {self.detail}"
        first, newline, rest = self.detail.partition("\n")
        head = f"{file}:{self.line}:{self.column}: {first}"
        excerpt = f"\n{self._excerpt()}" if self.text.strip() else ""
        return f"{head}{excerpt}{newline}{rest}"

    def _excerpt(self) -> str:
        from arena.text import columns  # not needed without an error

        first = max(0, self.column - 1 - MAX_EXCERPT // 2) if len(self.text) > MAX_EXCERPT else 0
        text = aligned(self.text[first : first + MAX_EXCERPT])
        before = text[: self.column - 1 - first]
        marked = text[len(before) : len(before) + self.width]
        carets = "^" * max(1, columns(marked))
        number = str(self.line)
        spaces = " " * columns(before)
        return "\n".join(
            [
                f"  {number} | {text.rstrip()}",
                f"  {' ' * len(number)} | {spaces}{carets}",
            ]
        )


class ConfigError(ArenaError):
    """A file or its command-line equivalent is invalid; reports all problems at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        shown = [str(problem) for problem in problems[:MAX_PROBLEMS]]
        if more := len(problems) - len(shown):
            shown.append(f"and {more} more")
        super().__init__("\n".join(shown))
        self.problems = tuple(problems)


class UsageError(ArenaError):
    """The command line requests something impossible."""


class BotError(ArenaError):
    """A bot cannot be used. `bot` is its name, `detail` the reason."""

    def __init__(self, bot: str, detail: str) -> None:
        super().__init__(f"bot {bot}: {detail}")
        self.bot = bot
        self.detail = detail


class MissingToolchainError(BotError):
    """Missing programs to build or run a bot, each with its package of Debian and Ubuntu, or "".

    `meant` is the program that the author may have meant instead.
    """

    def __init__(self, bot: str, packages: Mapping[str, str], *, meant: str | None = None) -> None:
        are = "is" if len(packages) == 1 else "are"
        known = [program for program, package in packages.items() if package]
        if hint := " ".join(dict.fromkeys(packages[program] for program in known)):
            them = "it" if len(packages) == 1 else "them"
            what = them if len(known) == len(packages) else _listed(known)
            hint = f"; install {what} with: apt-get install {hint}"
        elif meant:
            hint = f'; did you mean "{meant}"?'
        super().__init__(bot, f"needs {_listed(packages)}, which {are} not installed{hint}")
        self.packages = dict(packages)


def _listed(names: Iterable[str]) -> str:
    *first, last = (f'"{name}"' for name in names)
    return f"{', '.join(first)} and {last}" if first else last


class BuildError(BotError):
    """A bot's build failed. `output` is the tail of the build output, `problems` its errors."""

    def __init__(
        self, bot: str, detail: str, output: str, problems: tuple[Problem, ...] = ()
    ) -> None:
        super().__init__(bot, f"{detail}\n{output}" if output else detail)
        self.output = output
        self.problems = problems


class PreflightError(ArenaError):
    """Bots failed the preflight, so nothing was played. `failures` has the text of each player.

    The players in `lasting` would fail again: neither load nor the machine explains it.
    """

    exit_code = ExitCode.FAULTS

    def __init__(self, failures: Mapping[str, str], lasting: Collection[str] = ()) -> None:
        texts = list(dict.fromkeys(failures.values()))
        what = "a bot fails" if len(texts) == 1 else f"{len(texts)} bots fail"
        hint = "nothing was played; --no-preflight skips this test"
        super().__init__("\n".join([f"{what} the preflight", *texts, hint]))
        self.failures = failures
        self.lasting = frozenset(lasting)


class StoreError(ArenaError):
    """The database cannot be used. The message includes the remedy."""


class UnplayedError(StoreError):
    """There is no database, or an empty one: no match was played."""


class LockedError(StoreError):
    """The database is locked by another program; a later retry may succeed."""


class MachineError(ArenaError):
    """The machine cannot continue, such as for lack of resources. Finished matches are kept."""

    exit_code = ExitCode.INTERNAL


class DiskError(StoreError):
    """Results cannot be stored because the disk is full or broken."""

    exit_code = ExitCode.INTERNAL


class MovedError(DiskError):
    """The database was moved or removed while open. The message says where the results are."""


class IsolationError(ArenaError):
    """The machine cannot provide the required isolation. The message has reason and remedy."""


class UncountedError(IsolationError):
    """No control group counts the processes of a bot, as the required isolation needs."""


class EventError(ArenaError):
    """An event cannot be played or resumed this way. The message includes the alternatives."""


class HeldEventError(EventError):
    """Another process plays the event."""


class ChangedEventError(EventError):
    """An event was begun differently. The message includes the effect of an update."""


def check_packages(user: str, extra: str, *packages: str) -> None:
    """Raise UsageError unless the packages of an extra are installed; `user` needs them."""
    for package in packages:
        if find_spec(package) is None:
            raise UsageError(
                f"{user} needs the package {package}, which is not installed; install it with:"
                f" {install_command(extra)}"
            )


def cause(error: Exception, path: object = None) -> str:
    """Return the words of an error: of the system's without the number, and without this path."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    if error.filename is None or str(error.filename) == str(path):
        return error.strerror
    return f"{error.strerror}: {error.filename!r}"


def absence(path: Path) -> str:
    """Return that nothing exists at a path, and where a link leads that is there."""
    try:
        target = path.readlink()
    except (OSError, ValueError):
        return f"nothing exists at {path}"
    return f"{path} is a link to {quoted(str(target))}, where nothing exists"


def missing_part(error: OSError) -> str | None:
    """Return in words which part of a usual Linux is missing here; None for other errors."""
    if error.errno == errno.ENOLCK:
        return (
            "a file system here has no locks, by which Arena keeps two processes apart; name"
            " folders on another one: --db, XDG_CACHE_HOME, TMPDIR"
        )
    if isinstance(error, FileNotFoundError) and str(error.filename).startswith("/proc/"):
        return f"{error.filename} is missing, and Arena needs it; mount /proc"
    return None
