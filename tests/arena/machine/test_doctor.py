"""The report of `arena doctor`."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.machine import doctor
from arena.machine.doctor import report
from referee.sandbox import refusal


def test_a_report_can_be_made_in_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (reason := refusal("landlock")) is not None:
        pytest.skip(f"landlock is refused here: {reason}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")  # no bubblewrap
    monkeypatch.chdir(tmp_path)

    assert "limit memory" in report(tmp_path / "arena.db")


def test_a_long_fact_is_one_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of its own for the second half of a sentence is torn where a terminal folds rows."""
    slot = SimpleNamespace(groups=None, users=None)
    monkeypatch.setattr(doctor, "open_slot", lambda: nullcontext(slot))

    rows = [row for row in report(tmp_path / "arena.db").splitlines() if "one process" in row]

    assert len(rows) == 1
    assert rows[0].startswith("control groups")


@pytest.mark.parametrize(
    ("pattern", "named"),
    [("core", 0), ("", 0), ("|/usr/share/apport/apport -p%p", 1), ("@/run/core", 1)],
)
def test_a_program_that_crashes_start_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, named: int
) -> None:
    file = tmp_path / "core_pattern"
    file.write_text(f"{pattern}\n")
    monkeypatch.setattr(doctor, "_CORE_PATTERN", file)

    text = report(tmp_path / "arena.db")

    assert text.count(f"go to a program of this machine: {pattern}\n") == named
    assert text.count("sysctl -w kernel.core_pattern=core") == named
