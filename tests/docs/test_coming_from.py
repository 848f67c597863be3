"""The commands of Arena on the pages for users of other tools are read, and plan their matches."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from arena.commands import events
from arena.commands.loading import application
from arena.commands.run_event import Run
from arena.config.event import Config

PAGES = sorted((Path(__file__).parents[2] / "docs" / "howto").glob("from-*.md"))
SCRIPT = "#!/bin/sh\n"
CAP = 40
"""Limit of matches in place of that of a page: drawing 20,000 openings takes a minute."""
OPENINGS = 200
DRY = {"gate": ("--dry-run", "--cap", str(CAP)), "tune": ("--dry-run",)}


def commands_of(page: Path) -> Iterator[str]:
    """Yield the commands in the blocks of code and in the text of a page."""
    text = page.read_text()
    yield from re.findall(r"^    (arena .*)$", text, re.MULTILINE)
    yield from re.findall(r"`(arena \w+ [^`]*)`", text)


COMMANDS = [
    pytest.param(page.stem, command, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, command in enumerate(commands_of(page))
]


def positions() -> Iterator[str]:
    """Yield positions with kings and different pawns."""
    for white, black in product(range(1, 256), repeat=2):
        rows = ["".join("1p"[black >> at & 1] for at in range(8))]
        rows.append("".join("1P"[white >> at & 1] for at in range(8)))
        yield f"4k3/{rows[0]}/8/8/8/8/{rows[1]}/4K3 w - - 0 1"


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("books")
    epd = "\n".join(islice(positions(), OPENINGS))
    (folder / "book.epd").write_text(f"{epd}\n")
    pairs = product(("e4", "d4", "c4", "b3", "g3"), ("e5", "c5"))
    games = [f"{first} {second}" for first, second in pairs]
    (folder / "book.pgn").write_text("\n\n".join(f'[Result "*"]\n\n{moves} *' for moves in games))
    return folder


@pytest.fixture
def folder(tmp_path: Path, books: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for book in books.iterdir():
        (tmp_path / book.name).symlink_to(book)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def write_program(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{SCRIPT}# {path}\n")
    path.chmod(0o755)


def write_engines(folder: Path, page: str) -> None:
    """Write the engines of a page: programs, or folders where the page says so."""
    for name in ("new", "old", "third"):
        if page == "from-gomill":
            write_program(folder / name / "engine")
            (folder / name / "bot.yaml").write_text("games: [go]\nprotocol: gtp\nrun: [./engine]\n")
        else:
            write_program(folder / name)
    write_program(folder / "engine" / "engine")
    (folder / "engine" / "bot.yaml").write_text("protocol: uci\nrun: [./engine]\n")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    for words in (["init"], ["add", "engine"], ["commit", "-m", "first"]):
        subprocess.run([*git, *words], cwd=folder, check=True, capture_output=True)
    (folder / "engine" / "engine").write_text(f"{SCRIPT}# changed\n")


@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_a_command_of_the_page_is_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, page: str, command: str
) -> None:
    write_engines(folder, page)
    planned: list[Config] = []

    def plan(config: Config, _run: Run) -> int:
        planned.append(config)
        return 0

    monkeypatch.setattr(events, "_play", plan)
    _, name, *words = shlex.split(re.sub(r"--cap \d+", "", command), comments=True)
    app = application([name])
    if name == "match" or name in DRY:
        done = CliRunner().invoke(app, [name, *words, *DRY.get(name, ())])
        assert (done.exit_code, done.exception) == (0, None), done.output
        assert planned or name in DRY
        assert all(has_book(config) for config in planned)
    else:
        group = typer.main.get_command(app)
        with group.make_context("arena", [name], resilient_parsing=True) as context:
            found = group.get_command(context, name)  # type: ignore[attr-defined]
        assert found is not None
        found.make_context(name, words)


def has_book(config: Config) -> bool:
    return config.openings is None or Path(config.openings.file or ".").exists()


def test_each_page_has_commands_and_says_how_to_begin() -> None:
    assert len(PAGES) == 4
    for page in PAGES:
        commands = [*commands_of(page)]
        assert any(command.startswith("arena match") for command in commands) or page.stem == (
            "from-openbench"
        )
        assert len(commands) >= 3, page
