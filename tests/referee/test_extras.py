"""The command to install an optional part of Arena."""

import sys
from pathlib import Path

import pytest

from referee import extras
from referee.extras import install_command


@pytest.mark.parametrize("is_checkout", [True, False])
def test_an_extra_is_installed_for_this_python(
    is_checkout: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extras, "__file__", str(tmp_path / "referee/extras.py"))
    monkeypatch.setattr(sys, "executable", "/my tools/python")
    if is_checkout:
        (tmp_path / "pyproject.toml").touch()

    what = f"-e '{tmp_path}[web]'" if is_checkout else "'bot-arena[web]'"
    assert install_command("web") == f"'/my tools/python' -m pip install {what}"


def test_uv_installs_where_pip_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    monkeypatch.setattr(sys, "executable", "/my tools/python")

    assert install_command("web").startswith("uv pip install --python '/my tools/python' ")
