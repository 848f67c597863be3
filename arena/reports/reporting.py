"""The report files of a command; their modules load the database layer, so they come late."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from arena.errors import ArenaError, UsageError
from arena.exit_codes import ExitCode
from arena.reports.files import append, check_writable, replace_file, size_of
from arena.streams import lasting

if TYPE_CHECKING:
    from arena.reports.report import Report

P = ParamSpec("P")

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


class ReportFiles:
    """The report files of a command, written at its end."""

    def __init__(
        self,
        command: str = "",
        *,
        onward: str = "run the command again to resume",
        junit: Path | None = None,
        summary: Path | None = None,
        json: Path | None = None,
        badge: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Take the paths of the files to write, None for those not wanted.

        `onward` is the advice for resuming the command after an interruption. A summary is also
        written to the place where the environment of a CI shows one.
        """
        self.command = command
        self.onward = onward
        given = {"--junit": junit, "--summary": summary, "--json": json, "--badge": badge}
        self._paths = {option: path for option, path in given.items() if path is not None}
        step = (environment or {}).get(STEP_SUMMARY)
        self._step_summary = Path(step) if step else None
        self._is_written = False
        self._has_failed = False

    def of(self, run: Callable[[], int]) -> int:
        """Run the command and return its exit code, the files being written whatever happens.

        Raises UsageError before it runs if they cannot be. Where they cannot be in the end, though
        the command was successful, the exit code says so.
        """
        self._check()
        try:
            code = run()
        except ArenaError as error:
            self.write(_error_report, self.command, error.exit_code, str(error))
            raise
        except KeyboardInterrupt:
            self.write(_interrupted_report, self.command, self.onward)
            raise
        except Exception:
            self.write(
                _error_report,
                self.command,
                ExitCode.INTERNAL,
                "an internal error of Arena; see its log",
            )
            raise
        if code == ExitCode.INTERRUPTED:
            self.write(_interrupted_report, self.command, self.onward)
        return code or (ExitCode.INTERNAL if self._has_failed else 0)

    @property
    def is_wanted(self) -> bool:
        """Whether there is a file to write."""
        return bool(self._paths) or self._step_summary is not None

    def write(self, make: "Callable[P, Report]", *given: P.args, **named: P.kwargs) -> None:
        """Create a report and write its files; only the first report of a command counts."""
        if not self.is_wanted or self._is_written:
            return
        report = make(*given, **named)
        self._is_written = True
        for option, path in self._paths.items():
            self._try(option, path, report)
        step = self._step_summary
        if step is not None and not self._is_step_summary(self._paths.get("--summary")):
            self._try(STEP_SUMMARY, step, report)

    def _try(self, option: str, path: Path, report: "Report") -> None:
        try:
            if (form := _form(option)) is not None:
                replace_file(path, form(report))
                return
            from arena.reports.summary import summary_text

            text = summary_text(report, self._room(path))
            append(path, text)
        except OSError as error:
            self._tell(option, f"{path}: cannot be written: {error.strerror}")
        else:
            if not text:
                self._tell(option, f"{path}: is full, so the page was not added")

    def _room(self, path: Path) -> int:
        """Return how much a summary may add to a file: a page of GitHub's is many summaries."""
        from arena.reports.summary import LIMIT

        return LIMIT - (size_of(path) if self._is_step_summary(path) else 0)

    def _check(self) -> None:
        seen: dict[Path, str] = {}
        for option, path in self._paths.items():
            check_writable(path, option)
            if other := seen.setdefault(path.resolve(), ""):
                raise UsageError(f"{other} and {option} are both {path}; name two files")
            seen[path.resolve()] = option
        if self._step_summary is not None:
            try:
                check_writable(self._step_summary, STEP_SUMMARY)
            except UsageError as error:
                self._tell(STEP_SUMMARY, str(error).removeprefix(f"{STEP_SUMMARY} "))
                self._step_summary = None

    def _is_step_summary(self, path: Path | None) -> bool:
        step = self._step_summary
        return path is not None and step is not None and path.resolve() == step.resolve()

    def _tell(self, option: str, problem: str) -> None:
        """Print a write error; only a requested file counts as a failure."""
        self._has_failed |= option in self._paths
        kind = "error" if option in self._paths else "warning"
        print(f"{kind}: {option} {problem}", file=lasting(sys.stderr), flush=True)


def _form(option: str) -> "Callable[[Report], str] | None":
    """Return the text of a replaced file; None for a summary, which is appended."""
    if option == "--junit":
        from arena.reports.junit import junit_text

        return junit_text
    if option == "--json":
        from arena.reports.document import document_text

        return document_text
    if option == "--badge":
        from arena.reports.document import badge_text

        return badge_text
    return None


def _error_report(command: str, exit_code: int, text: str) -> "Report":
    from arena.reports.report import Report

    first, _, rest = text.partition("\n")
    return Report(
        command=command,
        outcome="faults" if exit_code == ExitCode.FAULTS else "error",
        exit_code=exit_code,
        headline=first,
        detail=rest,
    )


def _interrupted_report(command: str, onward: str) -> "Report":
    from arena.reports.report import Report

    return Report(
        command=command,
        outcome="interrupted",
        exit_code=ExitCode.INTERRUPTED,
        headline=f"interrupted; {onward}",
    )
