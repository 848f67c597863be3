"""The summaries of the shipped bots, without the checks of a bot that is to play."""

from pathlib import Path

import pytest

from arena.bots import listing
from arena.bots.listing import Summary, listed, summaries
from arena.bots.manifest import read_manifest
from arena.bots.shipped import shipped_bots
from arena.errors import ConfigError


def test_the_summaries_are_those_of_the_checked_manifests() -> None:
    checked = {name: read_manifest(path) for name, path in shipped_bots().items()}

    assert summaries() == {
        name: Summary(manifest.summary, manifest.language, manifest.games)
        for name, manifest in checked.items()
    }


def test_a_narrow_list_has_the_language_and_the_games_of_each_bot() -> None:
    bots = {
        "ann": Summary("plays well", "c", ("pente", "damspel")),
        "bob": Summary(),
        "eve": Summary("word " * 10, None, ("pente",)),
    }

    assert listed(bots, None).splitlines()[0].split() == ["bot", "language", "plays"]
    assert listed(bots, 100) == listed(bots, None)
    assert listed(bots, 40).splitlines() == [
        "ann: c, pente, damspel",
        "    plays well",
        "bob: every game",
        "eve: pente",
        "    word word word word word word word",
        "    word word word",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        'summary: "a\\nb"',
        f"summary: {'x' * 201}",
        "summary: [a]",
        "language: 3",
        "games: pente",
        "games: [[pente]]",
        'games: ["\\e[2J"]',
        "summary: a\nsummary: b",
        "summary: &a b",
        "summary:",
        "summary: [",
    ],
)
def test_an_unusual_summary_is_left_to_the_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    (tmp_path / "bot.yaml").write_text(f"run: [sh]\n{wrong}\n")
    monkeypatch.setattr(listing, "shipped_bots", lambda: {"mine": tmp_path / "bot.yaml"})

    with pytest.raises(ConfigError, match=r"bot\.yaml"):
        summaries()


def test_a_linked_manifest_is_read_by_the_checks_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real.yaml").write_text("run: [sh]\nsummary: inside\n")
    (tmp_path / "bot.yaml").symlink_to("real.yaml")
    monkeypatch.setattr(listing, "shipped_bots", lambda: {"mine": tmp_path / "bot.yaml"})

    assert summaries() == {"mine": Summary("inside")}
