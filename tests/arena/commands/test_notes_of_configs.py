"""Commands that play print the notes of their config."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.commands.loading import application

BOOK = "8/8/8/4k3/8/8/4K2r/8 b - - 0 1\n8/8/8/4k3/8/8/4K3/R7 w - - 0 1\n"
"""White is in check in the first position, and black to move."""
TUNE = """name: cup
game: {name: chess}
format: tune
bots: [{name: a, bot: random, args: ["{x}"]}]
tune: {parameters: {x: {start: 5, min: 1, max: 9}}}
openings: {file: book.epd}
"""
EVENT = """name: cup
game: {name: chess}
format: FORMAT
bots: [random, starter/python]
openings: {file: book.epd}
"""


@pytest.mark.parametrize(
    ("file", "command"),
    [
        (EVENT.replace("FORMAT", "round_robin"), ["tournament", "cup.yaml"]),
        (EVENT.replace("FORMAT", "gate"), ["tournament", "cup.yaml"]),
        (TUNE, ["tournament", "cup.yaml"]),
        ("", ["gate", "starter/python", "random", "--game", "chess", "--openings", "book.epd"]),
    ],
    ids=["tournament", "format gate", "format tune", "gate"],
)
def test_skipped_openings_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("book.epd").write_text(BOOK)
    Path("cup.yaml").write_text(file)

    done = CliRunner().invoke(application(), [*command, "--dry-run"])

    assert done.exit_code == 0, done.stderr
    assert "1 opening that cannot be read skipped in line 1" in " ".join(done.stderr.split())
