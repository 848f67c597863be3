"""The list of languages is complete."""

from pathlib import Path

from languages import LANGUAGES
from router_seat import BOTS
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
STARTERS = {f"starter/{path.parent.name}" for path in (BOTS / "starter").glob("*/bot.yaml")}


def test_every_starter_is_tested() -> None:
    assert {language.starter for language in LANGUAGES} == STARTERS


def test_every_starter_plays_in_the_round_robin_of_languages() -> None:
    config = YAML(typ="safe").load(ROOT / "configs" / "languages.yaml")

    assert set(config["bots"]) == STARTERS


def test_the_table_of_languages_has_every_language_with_its_lines() -> None:
    table = (BOTS / "README.md").read_text().partition("<!-- languages: begin -->")[2]
    rows = [line.split("|")[1:4] for line in table.splitlines() if line.startswith("|")]
    shown = {name.strip(): (kit.strip(), main.strip()) for name, kit, main in rows}

    for language in LANGUAGES:
        *kit, main = (len(path.read_text().splitlines()) for path in language.sources)
        assert shown[language.name] == (str(sum(kit)), str(main)), language.name
