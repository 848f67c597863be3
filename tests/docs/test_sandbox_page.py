"""The example of docs/howto/use-the-sandbox-in-your-own-program.md, run as its readers would."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "howto" / "use-the-sandbox-in-your-own-program.md"
EXAMPLE = re.search(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
SAID = re.compile(r"counted to 20000, (\d+\.\d\d) s, exit code 3\n")
LINES = 15
AS_NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


def run_example(environ: Mapping[str, str], **options: object) -> str:
    """Run the example in a process of its own; return what it prints."""
    assert EXAMPLE is not None
    command = [sys.executable, "-c", EXAMPLE[1]]
    done = subprocess.run(
        command,
        env={"PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        **options,  # type: ignore[call-overload] # a user, or nothing
    )
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_the_example_is_as_short_as_it_seems() -> None:
    assert EXAMPLE is not None
    assert len(EXAMPLE[1].splitlines()) <= LINES


@pytest.mark.parametrize("path", [os.environ["PATH"], "/nowhere"], ids=["here", "no bubblewrap"])
def test_the_example_says_output_time_and_end(path: str) -> None:
    found = SAID.fullmatch(run_example({"PATH": path}))

    assert found is not None
    assert float(found[1]) >= 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the user")
def test_the_example_runs_as_an_ordinary_user(tmp_path: Path) -> None:
    needed = (Path(sys.executable), Path(sys.executable).resolve(), ROOT / "referee")
    if any(not folder.stat().st_mode & 0o001 for path in needed for folder in path.parents):
        pytest.skip("only root reaches this Python and the sources")
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 65534, 65534)

    said = run_example({"PATH": "/usr/bin:/bin", "HOME": str(home)}, **AS_NOBODY)

    assert SAID.fullmatch(said) is not None
