"""A link to nothing is named as one, where a bot or a config is expected."""

from pathlib import Path

import pytest

from arena.bots.manifest import find_bot
from arena.bots.shipped import resolve
from arena.config.loading import load_config
from arena.errors import BotError, ConfigError, UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for target, link in (("/gone", "ann"), ("bob", "bob"), ("/gone.yaml", "cup.yaml")):
        Path(link).symlink_to(target)
    return tmp_path


@pytest.mark.parametrize(("name", "target"), [("ann", "/gone"), ("bob", "bob")])
def test_a_bot_that_is_a_link_to_nothing_is_no_other_name(name: str, target: str) -> None:
    with pytest.raises(BotError) as refusal:
        find_bot(f"./{name}", Path())

    assert str(refusal.value) == (
        f'bot ./{name}: {name} is a link to "{target}", where nothing exists'
    )


def test_so_is_a_config() -> None:
    with pytest.raises(UsageError) as refusal:
        resolve("cup.yaml")

    assert str(refusal.value) == ('cup.yaml is a link to "/gone.yaml", where nothing exists')


def test_the_hand_in_that_stops_an_event_is_named(folder: Path) -> None:
    text = "name: cup\ngame: {name: pente}\nbots: [random, greedy, 'a*']\n"
    (folder / "class.yaml").write_text(text)

    with pytest.raises(ConfigError) as refusal:
        load_config("class.yaml")

    assert "class.yaml:3:24: bot ./ann: points to no file\n" in str(refusal.value)
