"""The report of `arena doctor`."""

from pathlib import Path

import pytest

from arena.machine.doctor import report
from referee.sandbox.probe import refusal


def test_a_report_can_be_made_in_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (reason := refusal("landlock")) is not None:
        pytest.skip(f"landlock is refused here: {reason}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")  # no bubblewrap
    monkeypatch.chdir(tmp_path)

    assert "limit memory" in report(tmp_path / "arena.db")
