"""The first config of a tournament: it is valid, true in its comments, and names every bot."""

import os
import re
from pathlib import Path

import pytest

from arena.bots.scaffold import write_bot
from arena.config.first_config import write_config
from arena.config.loading import load_config
from arena.errors import ArenaError, BotError, UsageError
from referee.job import TimeControl
from referee.sandbox import Limits


@pytest.fixture
def students(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the folders of three bots, as a shell would expand `students/*/`."""
    monkeypatch.chdir(tmp_path)
    names = ["O'Brien", "eva lu", "jürgen"]
    for name in names:
        write_bot("python", Path("students/new"), None)
        Path("students/new").rename(Path("students") / name)
    return [f"students/{name}/" for name in names]


def test_a_written_config_has_every_bot_under_an_allowed_name(students: list[str]) -> None:
    made = write_config(Path("class.yaml"), students, "pente")

    config = load_config("class.yaml")
    assert (config.name, config.game.name) == ("class", "pente")
    assert [bot.name for bot in config.bots] == ["OBrien", "eva lu", "jürgen"]
    assert [bot.bot for bot in config.bots] == [f"./{path.rstrip('/')}" for path in students]
    assert made.warnings == ()
    assert made.commands[1] == "arena tournament class.yaml"


def test_every_line_in_a_comment_can_be_used(students: list[str]) -> None:
    write_config(Path("class.yaml"), students, "pente")
    text = Path("class.yaml").read_text()
    keys = re.findall(r"^# (\w+): ", text, re.MULTILINE)

    Path("class.yaml").write_text(re.sub(r"^# (\w+: )", r"\1", text, flags=re.MULTILINE))

    config = load_config("class.yaml")
    assert config.model_fields_set >= set(keys)
    assert {"repeat", "seed", "time", "broken"} <= set(keys)
    assert (TimeControl().per_move_ns, Limits().memory_bytes) == (2 * 10**9, 512 * 2**20)


def test_paths_are_relative_to_the_config(students: list[str], tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()

    write_config(Path("configs/a.yaml"), [*students, str(tmp_path / students[1])], "pente")

    config = load_config("configs/a.yaml")
    assert [bot.name for bot in config.bots] == ["OBrien", "eva lu-1", "jürgen", "eva lu-2"]
    assert config.bots[1].bot == "../students/eva lu"


def test_random_fills_a_match_of_a_single_bot(students: list[str]) -> None:
    write_config(Path("a.yaml"), students[:1], "pente")
    write_config(Path("b.yaml"), students[:1], "down_n_out")

    assert [bot.name for bot in load_config("a.yaml").bots] == ["OBrien", "random"]
    assert [bot.name for bot in load_config("b.yaml").bots] == ["OBrien"]


def test_a_broken_bot_is_listed_with_a_warning(students: list[str]) -> None:
    Path(students[0], "bot.yaml").write_text("rum: [cat]\n")

    made = write_config(Path("class.yaml"), students, "pente")

    (warning,) = made.warnings
    assert 'unknown key "rum"; did you mean "run"?' in warning
    config = load_config("class.yaml", skip_broken=True)
    assert [bot.name for bot in config.bots] == ["OBrien", "eva lu", "jürgen"]


def test_a_path_that_is_not_text_is_left_out_with_a_warning(students: list[str]) -> None:
    muller = f"students/{os.fsdecode(b'M' + bytes([252]))}ller/"
    Path(students[1]).rename(muller)

    made = write_config(Path("class.yaml"), [students[0], muller, students[2]], "pente")

    with pytest.raises(BotError, match="rename it"):
        write_config(Path("none.yaml"), [muller], "pente")

    (warning,) = made.warnings
    assert re.fullmatch(r"left out: .*M\\udcfcller.* cannot .*; rename it, and add it", warning)
    assert [bot.name for bot in load_config("class.yaml").bots] == ["OBrien", "jürgen"]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("class", ["random"], "pente"), "class is no name of a config; give a new file first"),
        (("a.yaml", [], "pente"), "name the bots, too: arena init tournament a.yaml ./ann ./bob"),
        (("a.yaml", ["gredy"], "pente"), 'did you mean "greedy"?'),
        (("a.yaml", ["./no"], "pente"), "nothing exists at no"),
        (("a.yaml", ["random"], "pent"), 'did you mean "pente"?'),
        (("a.yaml", ["random"], None), "name the game, like --game pente"),
        (("kept.yaml", ["random"], "pente"), "kept.yaml exists already"),
        (("no/a.yaml", ["random"], "pente"), "No such file or directory"),
    ],
)
def test_a_refused_config_leaves_every_file_unchanged(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    asked: tuple[str, list[str], str | None],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kept.yaml").write_text("mine")

    path, bots, game = asked

    with pytest.raises(ArenaError) as refusal:
        write_config(Path(path), bots, game)

    assert says in str(refusal.value)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"kept.yaml": "mine"}
    assert refusal.value.exit_code == UsageError.exit_code


def test_a_player_has_the_name_of_its_folder_as_by_a_pattern(students: list[str]) -> None:
    for path in students:
        manifest = Path(path) / "bot.yaml"
        manifest.write_text(f"name: Lena Meyer\n{manifest.read_text()}")

    write_config(Path("class.yaml"), students, "pente")
    listed = [bot.name for bot in load_config("class.yaml").bots]
    text = "name: class\ngame: {name: pente}\nbots: [students/*]\n"
    Path("class.yaml").write_text(text)

    assert sorted(listed) == sorted(bot.name for bot in load_config("class.yaml").bots)
