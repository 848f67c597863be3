"""The program bubblewrap: found where no bot can put another one."""

import os
import shutil
from pathlib import Path

import pytest

from referee.sandbox.bubblewrap import PROGRAM
from referee.sandbox.safe_programs import safe_program

FOUND = str(Path(shutil.which(PROGRAM) or "").parent)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a program of that name, which is also the working directory."""
    folder = tmp_path / "own"
    folder.mkdir(mode=0o755)
    (folder / PROGRAM).write_text("#!/bin/sh\n")
    (folder / PROGRAM).chmod(0o755)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.skipif(not shutil.which(PROGRAM), reason="bubblewrap is not installed")
@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("before", ["", ".", "../own", "/no/such/folder"])
def test_a_program_of_a_bot_is_no_helper(monkeypatch: pytest.MonkeyPatch, before: str) -> None:
    monkeypatch.setenv("PATH", f"{before}{os.pathsep}{FOUND}")

    assert safe_program(PROGRAM) == f"{FOUND}/{PROGRAM}"


def test_a_helper_may_be_anywhere_unless_others_can_replace_it(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(own))
    assert safe_program(PROGRAM) == str(own / PROGRAM)

    own.chmod(0o777)
    monkeypatch.setenv("PATH", f"{own}{os.pathsep}")
    assert safe_program(PROGRAM) is None

    own.chmod(0o755)
    (own / PROGRAM).chmod(0o777)
    monkeypatch.setenv("PATH", f"{os.pathsep}{own}")
    assert safe_program(PROGRAM) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes owners")
def test_a_helper_of_another_user_is_refused(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(own / PROGRAM, 65534, 65534)
    monkeypatch.setenv("PATH", f"{own}{os.pathsep}{own}")

    assert safe_program(PROGRAM) is None
