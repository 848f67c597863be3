"""`--table-every` of the commands that play."""

from pathlib import Path

import pytest
from preloaded import run
from waiting import PATIENCE_S

GAME = "--game damspel -o rows=4 -o cols=4 -o men_rows=1 --seed 1"
CONFIG = """
name: cup
game: {name: damspel, rows: 4, cols: 4, men_rows: 1}
bots: [damspel-c, starter/c]
boards: 10
seed: 1
"""
COMMANDS = {
    "match": f"match damspel-c starter/c {GAME} --games 20",
    "gate": f"gate damspel-c starter/c {GAME} --elo0 0 --elo1 5 --cap 20",
    "tournament": "tournament cup.yaml",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_the_table_as_often_as_it_says(tmp_path: Path, name: str) -> None:
    (tmp_path / "cup.yaml").write_text(CONFIG)

    words = [*COMMANDS[name].split(), "--table-every", "12", "--db", "a.db"]
    done = run(*words, cwd=tmp_path, timeout=PATIENCE_S)

    heads = [line for line in done.stderr.splitlines() if line.startswith("after ")]
    assert [head.split(" matches")[0] for head in heads] == ["after 12 of 20"], done.stderr
