"""Compiled bridges: lent to the folder of a bot, or not where they cannot be."""

import shutil
from pathlib import Path

import pytest

from arena.bots.compiled_bridges import lend_bridge
from arena.bots.manifest import read_manifest
from arena.bots.prepare import prepare

RUN = ("{python}", "uci_bridge.py", '{"dialect": "uci", "options": {}, "go": ""}', "./engine")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep compiled programs in a folder of this test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.bots.compiled_bridges.shutil.which", lambda _: None)


needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


def engine(folder: Path, protocol: str = "uci") -> Path:
    folder.mkdir(parents=True)
    (folder / "engine").write_text("#!/bin/sh\n")
    (folder / "engine").chmod(0o755)
    games = "games: [gomoku]\n" if protocol == "gomocup" else ""
    (folder / "bot.yaml").write_text(f"protocol: {protocol}\n{games}run: [./engine]\n")
    return folder / "bot.yaml"


@needs_compiler
@pytest.mark.parametrize("protocol", ["uci", "usi", "ucci", "gomocup"])
def test_a_bot_has_the_same_content_with_and_without_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: str
) -> None:
    manifest = read_manifest(engine(tmp_path / "bot", protocol))
    compiled = prepare(manifest, tmp_path / "one")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
    without_compiler(monkeypatch)
    plain = prepare(manifest, tmp_path / "two")

    assert compiled.argv[0].endswith("_bridge.compiled")
    assert plain.argv[0].startswith("/")
    assert compiled.argv[1:] == plain.argv[1:]
    assert compiled.content == plain.content


@needs_compiler
def test_a_changed_program_is_replaced(tmp_path: Path) -> None:
    manifest = read_manifest(engine(tmp_path / "bot"))
    bot = prepare(manifest, tmp_path / "one")
    program = bot.folder / bot.argv[0]
    good = program.read_bytes()
    program.write_bytes(b"#!/bin/sh\necho a hostile bridge\n")

    assert prepare(manifest, tmp_path / "one") == bot
    assert program.read_bytes() == good


@needs_compiler
def test_a_program_that_does_not_run_here_is_not_used(tmp_path: Path) -> None:
    """The cache may be shared with a machine that has other libraries."""
    assert lend_bridge(RUN, tmp_path) == "./uci_bridge.compiled"
    (kept,) = (tmp_path / "cache/arena/bridges").iterdir()
    kept.write_bytes(b"\x7fELF")

    assert lend_bridge(RUN, tmp_path) is None


@pytest.mark.parametrize(
    "run",
    [
        ("{python}", "main.py"),
        ("{python}", "gtp_bridge.py", "./engine"),
        ("./uci_bridge.py", "uci_bridge.py", "{}", "./engine"),
        ("{python}", "uci_bridge.py", '{"dialect": "uci", "later": 1}', "./engine"),
        ("{python}", "uci_bridge.py"),
    ],
)
def test_other_commands_stay(tmp_path: Path, run: tuple[str, ...]) -> None:
    assert lend_bridge(run, tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_compiler_that_fails_leaves_the_bridge_in_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.bots.compiled_bridges.shutil.which", lambda _: "/bin/false")

    assert lend_bridge(RUN, tmp_path) is None
