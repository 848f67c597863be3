"""The options for report files, the same for each command that writes them."""

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from arena.reports.reporting import ReportFiles

OPTIONS = {
    "junit": typer.Option("--junit", metavar="FILE", help="Write JUnit XML, a case per match."),
    "summary": typer.Option("--summary", metavar="FILE", help="Append a Markdown page."),
    "json": typer.Option("--json", metavar="FILE", help="Write all results for scripts."),
    "badge": typer.Option("--badge", metavar="FILE", help="Write a shields.io endpoint."),
}
ReportPaths = dict[str, Path | None]
"""Paths of the wanted files by the names of `OPTIONS`."""


def with_report_options(run: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter `files: ReportPaths` of a command by an option for each file."""
    parameters = []
    for parameter in inspect.signature(run).parameters.values():
        parameters += _options() if parameter.annotation is ReportPaths else [parameter]

    @functools.wraps(run)
    def command(**given: Any) -> None:
        run(files={name: given.pop(name) for name in OPTIONS}, **given)

    vars(command)["__signature__"] = inspect.Signature(parameters)
    return command


def _options() -> list[inspect.Parameter]:
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[Path | None, option],
        )
        for name, option in OPTIONS.items()
    ]


def report_files(command: str, files: ReportPaths, onward: str) -> "ReportFiles":
    """Return the report files of a command; `onward` is the advice to resume it."""
    from arena.reports.reporting import ReportFiles

    return ReportFiles(command, onward=onward, environment=os.environ, **files)
