"""Configs of few lines with bots in their folder."""

from pathlib import Path

from arena.config.event import Config
from arena.config.loading import load_config

PLAIN = "name: event\ngame: {name: pente}\nbots: [./one, ./two]\n"
THREE = "name: event\ngame: {name: chinese_checkers}\nbots: [./one, ./two, ./three]\n"


def write_bots(folder: Path) -> None:
    manifests = {
        "one": "run: [./bot]\n",
        "two": "run: [./bot]\n",
        "three": "run: [./bot]\n",
        "draughts": "games: [damspel]\nrun: [./bot]\n",
        "engine": "protocol: uci\nrun: [./bot]\noptions: {Hash: 512}\n",
        "broken": "rum: [./bot]\n",
    }
    for name, manifest in manifests.items():
        (folder / name).mkdir()
        (folder / name / "bot.yaml").write_text(manifest)


def config_of(text: str) -> Config:
    Path("event.yaml").write_text(text)
    return load_config("event.yaml")
