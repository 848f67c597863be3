"""The files of a report: checked before, whole afterwards, whatever the command comes to."""

import json
import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from full_disks import files_of_at_most

from arena.errors import PreflightError, UsageError
from arena.reports import reporting
from arena.reports.files import append, check_writable, replace_file
from arena.reports.report import Report
from arena.reports.reporting import ReportFiles
from arena.reports.summary import LIMIT


def reports_of(*command: str, **paths: Any) -> ReportFiles:
    return ReportFiles(*command, **paths)


PASSED = Report(command="gate", outcome="passed", exit_code=0, headline="it is good")


def never() -> int:
    raise AssertionError("it was run")


def ends_with(error: BaseException) -> Callable[[], int]:
    def run() -> int:
        raise error

    return run


def written(reports: ReportFiles, code: int = 0) -> Callable[[], int]:
    def run() -> int:
        reports.write(lambda: PASSED)
        return code

    return run


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("-", "stdout has the readable output"),
        ("folder", "is a folder; name a file in it"),
        ("none/x.xml", "there is no none; mkdir -p none"),
        ("file/x.xml", "cannot be written: Not a directory"),
        ("loop", "cannot be written: Too many levels of symbolic links"),
        ("loop/x.xml", "cannot be written: Too many levels of symbolic links"),
    ],
)
@pytest.mark.parametrize("option", ["junit", "summary", "json", "badge"])
def test_a_file_that_cannot_be_written_ends_the_command_before_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, says: str, option: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").touch()
    Path("loop").symlink_to("loop")

    with pytest.raises(UsageError, match=f"--{option} {path}: {says}"):
        reports_of(**{option: Path(path)}).of(never)
    assert sorted(tmp_path.iterdir()) == [tmp_path / name for name in ("file", "folder", "loop")]


def test_two_options_with_one_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("a")

    with pytest.raises(UsageError, match="--junit and --json are both"):
        ReportFiles(junit=tmp_path / "a", json=tmp_path / "link").of(never)


def test_without_a_report_no_file_is_left(tmp_path: Path) -> None:
    assert ReportFiles(junit=tmp_path / "a", summary=tmp_path / "b").of(lambda: 0) == 0

    assert list(tmp_path.iterdir()) == []


def test_every_form_is_written_and_the_exit_code_stays(tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("junit", "summary", "json", "badge")}
    reports = reports_of("gate", **paths)

    assert reports.of(written(reports, 4)) == 4

    assert (tmp_path / "junit").read_text().startswith("<?xml")
    assert (tmp_path / "summary").read_text() == "### arena gate: passed\n\nit is good\n"
    assert json.loads((tmp_path / "json").read_text())["outcome"] == "passed"
    assert json.loads((tmp_path / "badge").read_text())["message"] == "passed"


@pytest.mark.parametrize(
    ("error", "outcome", "code", "says"),
    [
        (UsageError("no such bot\nknown: x"), "error", 2, "no such bot"),
        (PreflightError({"ann": "ann: crash"}), "faults", 3, "a bot fails the preflight"),
        (RuntimeError("a bug"), "error", 5, "an internal error of Arena; see its log"),
        (KeyboardInterrupt(), "interrupted", 130, "interrupted; run the command again to resume"),
    ],
)
def test_a_failing_command_is_reported_and_keeps_its_exit_code(
    tmp_path: Path, error: BaseException, outcome: str, code: int, says: str
) -> None:
    path = tmp_path / "x.json"

    with pytest.raises(type(error)):
        ReportFiles("gate", json=path).of(ends_with(error))

    found = json.loads(path.read_text())
    assert (found["outcome"], found["exit_code"], found["headline"]) == (outcome, code, says)


def test_an_unreported_interruption_is_reported(tmp_path: Path) -> None:
    assert ReportFiles(json=tmp_path / "x").of(lambda: 130) == 130

    assert json.loads((tmp_path / "x").read_text())["outcome"] == "interrupted"


def test_only_the_first_report_counts(tmp_path: Path) -> None:
    reports = ReportFiles(json=tmp_path / "x")

    def run() -> int:
        reports.write(lambda: PASSED)
        raise UsageError("too late")

    with pytest.raises(UsageError):
        reports.of(run)
    assert json.loads((tmp_path / "x").read_text())["outcome"] == "passed"


def test_a_write_error_at_the_end_is_reported_and_fails_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    reports = ReportFiles(json=tmp_path / "folder" / "x", badge=tmp_path / "badge")

    def run() -> int:
        (tmp_path / "folder").rmdir()
        reports.write(lambda: PASSED)
        return 0

    assert reports.of(run) == 5
    assert capsys.readouterr().err.startswith(f"error: --json {tmp_path}/folder/x: cannot be")
    assert (tmp_path / "badge").exists()


def test_the_page_of_a_step_gets_the_summary_without_an_option(tmp_path: Path) -> None:
    page = tmp_path / "step"
    page.write_text("before\n")
    reports = ReportFiles("gate", environment={"GITHUB_STEP_SUMMARY": str(page)})

    reports.of(written(reports))

    assert page.read_text() == "before\n\n### arena gate: passed\n\nit is good\n"


def test_the_page_of_a_step_that_is_also_an_option_gets_it_once(tmp_path: Path) -> None:
    page = tmp_path / "step"
    reports = ReportFiles("gate", summary=page, environment={"GITHUB_STEP_SUMMARY": str(page)})

    reports.of(written(reports))

    assert page.read_text().count("it is good") == 1


def test_the_page_of_a_step_that_cannot_be_written_stops_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    step = {"GITHUB_STEP_SUMMARY": str(tmp_path / "none" / "step")}
    reports = ReportFiles("gate", environment=step)

    assert reports.of(written(reports)) == 0
    assert capsys.readouterr().err.startswith("warning: GITHUB_STEP_SUMMARY ")


def test_a_full_step_summary_is_not_extended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "step"
    page.write_text("x" * LIMIT)
    reports = ReportFiles("gate", environment={"GITHUB_STEP_SUMMARY": str(page)})

    assert reports.of(written(reports)) == 0
    assert page.stat().st_size == LIMIT
    assert "is full, so the page was not added" in capsys.readouterr().err


def test_a_file_is_replaced_completely_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, f"no room for {descriptor}")

    path = tmp_path / "x"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(OSError, match="no room"):
        replace_file(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_keeps_its_permissions_and_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "x", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to("x")

    replace_file(link, "new")

    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_is_as_readable_as_any(tmp_path: Path) -> None:
    replace_file(tmp_path / "x", "new")
    (tmp_path / "y").touch()

    assert (tmp_path / "x").stat().st_mode == (tmp_path / "y").stat().st_mode


def test_a_killed_writer_leaves_nothing_beside_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a part of the file nor the folder in which it is written."""
    if (child := os.fork()) == 0:
        monkeypatch.setattr(os, "fsync", lambda _: os.kill(os.getpid(), signal.SIGKILL))
        replace_file(tmp_path / "report.json", "half")
    os.waitpid(child, 0)
    assert [path.name for path in tmp_path.iterdir() if path.name == "report.json"] == []
    assert len(list(tmp_path.iterdir())) == 1

    check_writable(tmp_path / "page.html", "--html")
    replace_file(tmp_path / "page.html", "whole")

    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_pipe_is_written_to_and_stays_a_pipe() -> None:
    reader, writer = os.pipe()
    path = Path(f"/dev/fd/{writer}")

    reports = ReportFiles("gate", json=path)
    reports.of(written(reports))
    os.close(writer)

    with os.fdopen(reader) as pipe:
        assert json.load(pipe)["outcome"] == "passed"


def test_a_named_pipe_waits_for_its_reader_until_the_end(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    reports = ReportFiles("gate", json=path)

    reports.of(written(reports))

    with os.fdopen(reader) as pipe:
        assert json.load(pipe)["outcome"] == "passed"
    assert path.is_fifo()


def test_a_descriptor_that_is_not_open_is_refused() -> None:
    with pytest.raises(UsageError, match="--json /dev/fd/999: is not open for writing"):
        ReportFiles(json=Path("/dev/fd/999")).of(never)


def test_appending_keeps_the_file_of_other_writers(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with path.open("a") as other:
        append(path, "one\n")
        other.write("two\n")

    assert path.read_text() == "one\ntwo\n"


@pytest.mark.parametrize(
    ("kept", "gap"), [("", ""), ("1. e4 e", "\n\n"), ("one\n", "\n"), ("one\n\n", ""), ("\n", "\n")]
)
def test_an_empty_line_goes_before_what_is_appended(tmp_path: Path, kept: str, gap: str) -> None:
    path = tmp_path / "x"
    path.write_text(kept)

    append(path, "two\n")
    append(path, "")

    assert path.read_text() == f"{kept}{gap}two\n"


def test_what_does_not_fit_is_not_begun(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("one\n\n")

    with files_of_at_most(100), pytest.raises(OSError, match="File too large"):
        append(path, "two " * 100)

    assert path.read_text() == "one\n\n"


def test_without_options_no_report_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(reporting.STEP_SUMMARY, "/nowhere")

    ReportFiles().write(ends_with(AssertionError("it was made")))  # type: ignore[arg-type]  # never run
