"""What the user is told without a traceback, each with the exit code the command ends with.

Any other exception is a fault of ours and ends with 5.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.exit_codes import ExitCode
from protocol.wording import aligned

MAX_PROBLEMS = 20
"""Problems of one file that are shown; the rest are counted."""
MAX_EXCERPT = 100
"""Characters of a source line that are shown."""


class ArenaError(Exception):
    """Base of what is shown to the user as it stands."""

    exit_code: ClassVar[ExitCode] = ExitCode.USAGE


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with what the user wrote, and where it stands.

    What `detail` says after its first line is shown below the place.
    `line` and `column` count from 1, in characters; line 0 is a fault of the file as a whole.
    `text` is that source line, `width` the number of characters at fault.
    """

    file: str
    detail: str
    line: int = 0
    column: int = 0
    text: str = ""
    width: int = 1

    def __str__(self) -> str:
        file = aligned(self.file)
        if not self.line:
            return f"{file}: {self.detail}"
        first, newline, rest = self.detail.partition("\n")
        head = f"{file}:{self.line}:{self.column}: {first}"
        excerpt = f"\n{self._excerpt()}" if self.text.strip() else ""
        return f"{head}{excerpt}{newline}{rest}"

    def _excerpt(self) -> str:
        first = max(0, self.column - 1 - MAX_EXCERPT // 2) if len(self.text) > MAX_EXCERPT else 0
        text = self.text[first : first + MAX_EXCERPT]
        before = text[: self.column - 1 - first]
        marked = text[len(before) : len(before) + self.width]
        carets = "^" * max(1, sum(map(_columns, marked)))
        number = str(self.line)
        spaces = " " * sum(map(_columns, before))
        return "\n".join(
            [
                f"  {number} | {aligned(text).rstrip()}",
                f"  {' ' * len(number)} | {spaces}{carets}",
            ]
        )


class ConfigError(ArenaError):
    """A file, or what stands for one on the command line, is wrong: everything that is, at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        shown = [str(problem) for problem in problems[:MAX_PROBLEMS]]
        if more := len(problems) - len(shown):
            shown.append(f"and {more} more")
        super().__init__("\n".join(shown))
        self.problems = tuple(problems)


class UsageError(ArenaError):
    """The command line asks for something that cannot be."""


class BotError(ArenaError):
    """A bot cannot be used. `bot` is its name, `detail` says why."""

    def __init__(self, bot: str, detail: str) -> None:
        super().__init__(f"bot {bot}: {detail}")
        self.bot = bot
        self.detail = detail


class MissingToolchainError(BotError):
    """A program that a bot is built or run with is not on this machine.

    `install` is the command that would install it on Debian and Ubuntu, "" where it is not known.
    """

    def __init__(self, bot: str, program: str, install: str) -> None:
        hint = f"; install it with: {install}" if install else ""
        super().__init__(bot, f'needs "{program}", which is not on this machine{hint}')
        self.program = program
        self.install = install


class BuildError(BotError):
    """A bot's build failed. `output` is the end of what the build said."""

    def __init__(self, bot: str, detail: str, output: str) -> None:
        super().__init__(bot, f"{detail}\n{output}" if output else detail)
        self.output = output


class PreflightError(ArenaError):
    """Bots failed their first short match, so that nothing was played. `failures` says how."""

    exit_code = ExitCode.FAULTS

    def __init__(self, failures: Sequence[str]) -> None:
        what = "a bot fails" if len(failures) == 1 else f"{len(failures)} bots fail"
        hint = "nothing was played; --no-preflight plays with what there is"
        super().__init__("\n".join([f"{what} the preflight", *failures, hint]))
        self.failures = tuple(failures)


class StoreError(ArenaError):
    """The database cannot be used as it is. Says what to do about it."""


class LockedError(StoreError):
    """Another program keeps the database locked: the same may well work a little later."""


class HostError(ArenaError):
    """The machine has nothing left to go on with. What was played is kept."""

    exit_code = ExitCode.INTERNAL


class DiskError(StoreError):
    """The machine cannot keep what was played: its disk is full or broken."""

    exit_code = ExitCode.INTERNAL


class IsolationError(ArenaError):
    """Bots are required to be shut in better than this machine allows. Says why, and the cure."""


class EventError(ArenaError):
    """An event cannot be played or continued like this. Says which option would do what."""


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
