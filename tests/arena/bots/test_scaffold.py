"""The files written by `arena init`, and its refusals before the first write."""

from pathlib import Path

import pytest

from arena.bots.manifest import find_bot
from arena.bots.scaffold import README, starters, write_bot
from arena.bots.sources import collect
from arena.errors import UsageError


@pytest.mark.parametrize("language", starters())
def test_a_new_bot_is_its_starter_with_all_files_in_one_folder(
    language: str, tmp_path: Path
) -> None:
    starter = find_bot(f"starter/{language}", tmp_path)

    made = write_bot(language, tmp_path / "mine", None)

    new = find_bot("./mine", tmp_path)
    assert (new.name, new.files) == ("mine", ())
    assert (new.build, new.run, new.starts) == (starter.build, starter.run, starter.starts)
    assert (new.lent, new.games) == (starter.lent, starter.games)
    written = {place: path.read_bytes() for place, path in collect(new, ()).items()}
    del written[README]
    assert written == {
        place: path.read_bytes() for place, path in collect(starter, starter.files).items()
    }
    assert set(made.files) == {path.name for path in (tmp_path / "mine").iterdir()}


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("python", ["arena.db*", "__pycache__/"]),
        ("c", ["arena.db*", "bot"]),
        ("rust", ["arena.db*", "target/"]),
        ("typescript", ["arena.db*", "node_modules/"]),
    ],
)
def test_a_new_bot_ignores_databases_and_outputs_of_builds(
    language: str, lines: list[str], tmp_path: Path
) -> None:
    write_bot(language, tmp_path / "mine", None)

    assert (tmp_path / "mine/.gitignore").read_text().splitlines() == lines


def test_a_bot_for_one_game_has_only_this_game(tmp_path: Path) -> None:
    made = write_bot("python", tmp_path / "mine", "chinese_checkers")

    assert find_bot("./mine", tmp_path).games == ("chinese_checkers",)
    assert made.commands[0] == f"arena check {tmp_path}/mine --game chinese_checkers"


def test_an_empty_folder_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()

    write_bot("python", tmp_path / "mine", None)

    assert find_bot("./mine", tmp_path).name == "mine"


def test_a_bot_with_the_name_of_a_shipped_one_is_referred_to_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    made = write_bot("python", Path("random"), None)

    assert made.commands[1] == "arena match ./random random --game pente"


@pytest.mark.parametrize(
    ("language", "folder", "game", "says"),
    [
        ("pyton", "mine", None, 'no starter for the language "pyton"; did you mean "python"?'),
        ("Go", "mine", None, 'did you mean "go"? known: '),
        ("golang", "mine", None, 'did you mean "go"? known: '),
        ("C++", "mine", None, 'did you mean "cpp"? known: '),
        ("cobol", "mine", None, 'no starter for the language "cobol"; known: '),
        ("python", "mine", "pent", 'unknown game "pent"; did you mean "pente"?'),
        ("python", "a,b", None, ", which must consist of letters, digits, spaces and"),
        ("python", "n" * 41, None, ", which must have 1 to 40 characters, not 41"),
        ("python", "file", None, "file is not a folder; give a new folder, nothing was written"),
        ("python", "file/mine", None, "Not a directory"),
        ("python", "full", None, "full is not empty; give a new folder, nothing was written"),
        ("python", "a\0b", None, "embedded null byte"),
    ],
)
def test_an_unwritable_target_is_refused_and_left_unchanged(
    tmp_path: Path, language: str, folder: str, game: str | None, says: str
) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/notes").write_text("kept")
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(UsageError) as refusal:
        write_bot(language, tmp_path / folder, game)

    assert says in str(refusal.value)
    assert sorted(tmp_path.rglob("*")) == before
