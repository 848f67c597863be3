"""The folder of a reader of pages: bots, hand-ins, configs, books of openings, a repository."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from page_blocks import ROOT
from page_engines import CHESS, GTP, write_engine, write_engine_folder
from page_short import KEYS, PLIES
from ruamel.yaml import YAML

BOTS = ("my-bot", "mine", "old-bot", "ann", "bob")
STUDENTS = ("ann", "bob", "cat", "dan", "emma", "fay")
CLASS = "name: class\ngame: {{name: pente}}\nbots: [{bots}]\nmax_plies: 24\nseed: 3\nrepeat: 2\n"
CUP = "name: cup\ngame: {name: pente}\nbots: [random, ./ann]\nmax_plies: 24\nseed: 3\nrepeat: 8\n"
PAWNS = [f"{at}P{7 - at}".replace("0", "") for at in range(8)]
POSITIONS = [f"4k3/{row.lower()}/8/8/8/8/{PAWNS[0]}/4K3 w - - 0 1" for row in PAWNS]
POSITIONS += [f"4k3/{PAWNS[1].lower()}/8/8/8/8/{row}/4K3 w - - 0 1" for row in PAWNS[1:]]
GAMES = [f"{first} {second}" for first in ("e4", "d4", "c4", "b3") for second in ("e5", "d5", "c5")]
FEWER = {
    "boards": 1,
    "repeat": 1,
    "rounds": 1,
    "matches": 6,
    "max_plies": PLIES,
}
"""Upper limits of keys of a config."""


def write_bot(folder: Path) -> None:
    """Write a bot of random moves, with all that it needs in its folder."""
    folder.mkdir(parents=True)
    random = ROOT / "bots/random"
    for source in (ROOT / "bots/sdk/python/arena_bot.py", *(ROOT / "bots/boards").glob("*.py")):
        shutil.copy(source, folder)
    (folder / "bot.yaml").write_text('run: ["{python}", main.py]\n')
    (folder / "main.py").write_text(f"{(random / 'main.py').read_text()}# of {folder.name}\n")


def write_folder(folder: Path) -> None:
    """Write all that pages take for granted, apart from what they say how to make."""
    for name in BOTS:
        write_bot(folder / name)
    for name in STUDENTS:
        write_bot(folder / "students" / name)
        shutil.make_archive(str(folder / "hand-ins" / name), "zip", folder / "students" / name)
    bots = ", ".join(f"./students/{name}" for name in STUDENTS)
    (folder / "class.yaml").write_text(CLASS.format(bots=bots))
    for name in ("cup", "event", "my"):
        (folder / f"{name}.yaml").write_text(CUP)
    for name in ("new", "old", "sf"):
        write_engine(folder / name)
    for name in ("engine", "stockfish", "gnuchess"):
        write_engine_folder(folder / name, "uci")
    for name in ("gnugo", "third"):
        write_engine_folder(folder / name, "gtp", "go")
    write_books(folder)
    write_checkout(folder)
    commit(folder)


def write_books(folder: Path) -> None:
    """Write books of openings."""
    for name in ("UHO.epd", "book.epd"):
        (folder / name).write_text("".join(f"{position}\n" for position in POSITIONS))
    for name in ("book.pgn", "games.pgn"):
        games = "\n\n".join(f'[Result "*"]\n\n{moves} *' for moves in GAMES)
        (folder / name).write_text(games)


def write_checkout(folder: Path) -> None:
    """Write the parts of a checkout that commands name, with shorter events."""
    (folder / "bots").symlink_to(ROOT / "bots")
    for name in ("configs", "docs/showcase"):
        shutil.copytree(
            ROOT / name,
            folder / name,
            ignore=shutil.ignore_patterns("*.xz", "*.md", "*.py", "__pycache__"),
        )
        for path in (folder / name).rglob("*.yaml"):
            if path.parent.name == "engines":
                stand_in(path)
            else:
                shorten_file(path)
    (folder / "bootstrap.py").write_text("import os, sys\nos.execvp(sys.argv[1], sys.argv[1:])\n")
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/arena").symlink_to("../../../beside/arena")


def stand_in(manifest: Path) -> None:
    """Let a bot.yaml of an engine that a reader installs name one of `page_engines.py`."""
    text = manifest.read_text()
    manifest.write_text(re.sub(r"run: \[\w+", f"run: [./{manifest.stem}", text))
    write_engine(manifest.with_suffix(""), GTP if "gtp" in text else CHESS)


def commit(folder: Path) -> None:
    """Commit the bots and engines, then change them: the reader's new version."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    for words in (
        ["init"],
        ["add", "my-bot", "engine"],
        ["commit", "-m", "first"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
    ):
        subprocess.run([*git, *words], cwd=folder, check=True, capture_output=True)
    for changed in ("my-bot/main.py", "engine/engine"):
        with (folder / changed).open("a") as file:
            file.write("# changed\n")


def shorten(config: dict[str, Any]) -> dict[str, Any]:
    """Return a config with fewer and shorter matches."""
    short = {**KEYS, **config}
    short |= {key: min(short[key], most) for key, most in FEWER.items() if key in short}
    if config.get("format") in ("gate", "tune"):
        short["gate"] = {**config.get("gate", {}), "cap": 20, "alpha": 0.45, "beta": 0.45}
    if config.get("format") == "tune":
        short["tune"] = {**config["tune"], "iterations": 2}
    return short


def shorten_file(path: Path) -> None:
    """Shorten a config in its place."""
    yaml = YAML(typ="safe")
    config = shorten(yaml.load(path))
    yaml.dump(config, path)
