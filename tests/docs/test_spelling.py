"""No word of the pages, and of what users read in the code, is known to be misspelled."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORDS = ROOT / "docs/words.txt"
"""The words of the project that codespell takes for mistakes."""
READ = ("*.md", "arena/*.py", "referee/*.py", "protocol/*.py", "docs/*.py", "*.yaml", "*.mjs")
CODESPELL = shutil.which("codespell", path=str(Path(sys.executable).parent))


def misspelled(files: list[Path], *options: str) -> list[str]:
    if CODESPELL is None:
        pytest.skip("codespell is not installed")
    done = subprocess.run(
        [CODESPELL, *options, *map(str, files)], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 65), done.stderr
    return done.stdout.splitlines()


def read() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *READ],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    return [ROOT / name for name in listed if (ROOT / name).is_file()]


def test_no_word_is_misspelled_and_no_word_of_the_list_is_superfluous() -> None:
    words = WORDS.read_text("utf-8").split()
    pairs = [line.partition(" ==> ")[0].rpartition(": ") for line in misspelled(read())]

    assert [f"{place}: {word}" for place, _, word in pairs if word.lower() not in words] == []
    assert sorted({word.lower() for _, _, word in pairs}) == words


def test_a_misspelled_word_is_found(tmp_path: Path) -> None:
    wrong = "recie" + "ve"
    (tmp_path / "page.md").write_text(f"A bot must {wrong} a call.\n")

    (found,) = misspelled([tmp_path / "page.md"])

    assert wrong in found
