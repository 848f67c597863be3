"""A bot under `arena check` or `arena replay --to`: it reaches no file of the organiser."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from preloaded import run

from referee.sandbox import TIERS, find_tier

THIEF = """
import os
from pathlib import Path

HOME = Path({home!r})
found = []
for act in (
    lambda: (HOME / "planted").write_text("x"),
    lambda: (HOME / ".bashrc").open("a").write("planted"),
    lambda: (HOME / "secret").read_text(),
    lambda: os.symlink("/", HOME / "link"),
    lambda: (HOME / "secret").unlink(),
):
    try:
        act()
    except OSError:
        found.append(False)
    else:
        found.append(True)
print("reads and removes the secret:", found[2], found[4], flush=True)

from arena_bot import Bot, play, resign, run


class Thief(Bot):
    wants = ("legal",)

    def on_move(self, call):
        return play(call["legal"][0]) if "legal" in call else resign()


run(Thief())
"""
KIT = Path(__file__).parents[3] / "bots/sdk/python/arena_bot.py"


@dataclass(frozen=True)
class Place:
    """A folder of an organiser with a bot that was handed in.

    In its sandbox the bot may find an empty folder of the same path, and write there.
    """

    home: Path
    folder: Path

    def arena(self, *arguments: str) -> tuple[int, str]:
        done = run(*arguments, cwd=self.folder, env={"HOME": str(self.home)}, timeout=200)
        return done.returncode, done.stdout + done.stderr

    def names(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.home.iterdir() if path.is_file()}


@pytest.fixture
def place() -> Iterator[Place]:
    if not TIERS[find_tier().tier].hides_files:
        pytest.skip("this machine allows no sandbox that hides files")
    with tempfile.TemporaryDirectory(prefix="handed-in-", dir="/tmp") as name:
        folder, home = Path(name, "work"), Path(name, "home")
        (bot := folder / "thief").mkdir(parents=True)
        home.mkdir()
        (home / "secret").write_text("marks")
        (home / ".bashrc").write_text("umask 022\n")
        script = THIEF.format(home=str(home))
        (bot / "main.py").write_text(script)
        (bot / "arena_bot.py").write_text(KIT.read_text())
        (bot / "bot.yaml").write_text('name: thief\nrun: ["{python}", main.py]\n')
        yield Place(home, folder)


BEFORE = {"secret": "marks", ".bashrc": "umask 022\n"}


@pytest.mark.parametrize("command", [("check",), ("check", "--determinism", "--game", "pente")])
def test_a_checked_bot_writes_and_reads_no_file_of_the_organiser(
    place: Place, command: tuple[str, ...]
) -> None:
    code, said = place.arena(*command, "./thief")

    assert code == 0, said
    assert place.names() == BEFORE


def test_a_bot_in_a_past_position_writes_and_reads_no_file_of_the_organiser(place: Place) -> None:
    match = ("match", "random", "random", "--game", "pente", "--games", "1", "--db", "m.db")
    assert place.arena(*match)[0] == 0

    code, said = place.arena("replay", "1", "--at", "3", "--to", "./thief", "--db", "m.db")

    assert code == 0, said
    assert "reads and removes the secret: False False" in said
    assert place.names() == BEFORE


def test_the_same_bot_reaches_all_of_it_where_the_organiser_trusts_it(place: Place) -> None:
    code, said = place.arena("check", "./thief", "--isolation", "none")

    assert code == 0, said
    assert "isolation: none" in said
    assert place.names() != BEFORE
