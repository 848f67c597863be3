"""Names of players have one form, whatever form a file or an editor has written."""

import unicodedata
from pathlib import Path

import pytest

from arena.config.loading import load_config
from arena.reading.names import allowed_name, one_form
from arena.remote.entrants import read_entrants

COMPOSED = unicodedata.normalize("NFC", "Jörg")
SPLIT = unicodedata.normalize("NFD", "Jörg")
"""The form in which macOS writes the name of a file."""
KEY = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"


def test_a_name_has_one_form() -> None:
    assert COMPOSED != SPLIT
    assert one_form("a  b   c") == allowed_name("a & b  c") == "a b c"
    assert one_form(SPLIT) == allowed_name(SPLIT) == allowed_name(f"{SPLIT}?") == COMPOSED


@pytest.mark.parametrize(
    "rest",
    [
        "bots: [./{split}, ./other]",
        "bots: [{{bot: ./ann, name: {split}}}, ./other]",
        "bots: [./{split}, ./other]\nformat: gauntlet\nchallengers: [{split}]",
        "bots: [./{composed}, ./other]\nformat: knockout\nseeding: [other, {split}]",
        "bots: [./{split}, ./other]\nbonus: {{{split}: 0.1}}",
        "bots: [./{composed}, ./other]\nanchor: {{{split}: 1800}}",
        "bots: [{{remote: {split}}}, ./other]\ntime: {{clock: wall}}",
    ],
)
def test_each_name_of_a_config_has_this_form(tmp_path: Path, rest: str) -> None:
    for folder in (COMPOSED, SPLIT, "ann", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bot.yaml").write_text("run: [./bot]\n")
    text = rest.format(split=SPLIT, composed=COMPOSED)
    (tmp_path / "cup.yaml").write_text(f"name: cup\ngame: {{name: pente}}\n{text}\n")

    config = load_config(str(tmp_path / "cup.yaml"))

    assert sorted(entrant.name for entrant in config.bots) == [COMPOSED, "other"]
    assert SPLIT not in str(config.challengers) + str(config.seeding)
    assert set(config.bonus) | set(config.anchor) <= {COMPOSED}


def test_an_entrant_of_a_list_has_this_form(tmp_path: Path) -> None:
    (tmp_path / "entrants.yaml").write_text(f'{SPLIT}: "{KEY}"\n')

    assert list(read_entrants(tmp_path / "entrants.yaml").keys) == [COMPOSED]
