"""`arena init` as a newcomer types it: a bot is written, checked, played, changed and broken."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from preloaded import run
from waiting import LONGEST_S

ROOT = Path(__file__).parent.parent.parent
TOOLS = {"python": None, "c": "cc", "awk": "mawk"}
MAIN = {"python": "main.py", "c": "main.c"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


class Shell:
    """Commands typed in a folder."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self._env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cache)}

    def type(self, command: str, where: str = ".", **env: str) -> subprocess.CompletedProcess[str]:
        program, *arguments = command.split()
        assert program == "arena"
        return run(
            *arguments,
            cwd=self.folder / where,
            env={**self._env, **env},
            timeout=LONGEST_S,
        )

    def init(self, language: str, *more: str) -> None:
        """Write the bot `mine`, of a language that this machine must be able to build."""
        tool = TOOLS[language]
        if tool is not None and shutil.which(tool) is None:
            if os.environ.get("CI"):
                pytest.fail(f"no {tool} on a CI machine")
            pytest.skip(f"no {tool} on this machine")
        done = self.type(" ".join(["arena init", language, "mine", *more]))
        assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def shell(tmp_path: Path, cache: Path) -> Shell:
    return Shell(tmp_path, cache)


@pytest.mark.parametrize("language", TOOLS)
def test_a_new_bot_passes_the_printed_commands(shell: Shell, language: str) -> None:
    shell.init(language)
    told = shell.type(f"arena init {language} another").stdout.replace("another", "mine")
    commands = [line.strip() for line in told.splitlines() if line.startswith("    arena ")]
    assert [command.split()[1] for command in commands] == ["check", "match", "replay"]

    done = [shell.type(command) for command in commands]

    assert [run.returncode for run in done] == [0, 0, 0], [run.stdout + run.stderr for run in done]
    assert ", 0 failed" in done[0].stdout
    assert "mine" in done[1].stdout


def test_the_commands_of_the_readme_work_inside_the_folder(shell: Shell) -> None:
    shell.init("python", "--game", "down_n_out")
    text = (shell.folder / "mine/README.md").read_text()
    lines = [line for line in text.splitlines() if line.startswith("    arena ")]
    commands = [line.partition("#")[0].strip() for line in lines]

    done = [shell.type(command, "mine") for command in commands]

    assert commands[1] == "arena match . --game down_n_out"
    assert [run.returncode for run in done] == [0] * 4, [run.stdout + run.stderr for run in done]


def test_a_bot_for_one_game_refuses_another(shell: Shell) -> None:
    shell.init("python", "--game", "damspel")

    done = shell.type("arena check ./mine --game pente")

    assert done.returncode == 2
    assert "bot mine does not play pente; it plays damspel" in done.stderr


@pytest.mark.parametrize("language", MAIN)
def test_a_bot_that_was_changed_is_played_as_it_is_now(shell: Shell, language: str) -> None:
    shell.init(language)
    match = "arena match ./mine --game down_n_out --games 1 --seed 1"
    assert shell.type(match).returncode == 0
    main = shell.folder / "mine" / MAIN[language]
    main.write_text(main.read_text().replace('"1"', '"changed"'))

    assert shell.type(match).returncode == 0

    assert '"changed"' in shell.type("arena export").stdout


def test_a_first_config_is_played_as_it_was_written(shell: Shell) -> None:
    shell.init("python")

    done = shell.type("arena init tournament first.yaml ./mine ./mine random --game down_n_out")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:2] == ["wrote first.yaml", "next:"]
    played = [shell.type(line.strip()) for line in done.stdout.splitlines()[2:]]
    assert [run.returncode for run in played] == [0, 0, 0], [run.stderr for run in played]
    assert "mine-2" in played[1].stdout


def test_a_bot_that_does_not_compile_shows_the_compiler_output(shell: Shell) -> None:
    shell.init("c")
    main = shell.folder / "mine/main.c"
    main.write_text(main.read_text().replace("return arena_run", "retrun arena_run"))

    done = shell.type("arena match ./mine random --game pente")

    assert done.returncode == 2
    assert "bot mine: its build ended with exit code 1: cc" in done.stderr
    assert "main.c:" in done.stderr
    assert "retrun" in done.stderr


def test_a_bot_is_written_even_where_its_toolchain_is_missing(shell: Shell, tmp_path: Path) -> None:
    done = shell.type("arena init c mine", PATH=str(tmp_path))

    assert done.returncode == 0
    assert done.stderr == (
        'warning: the bot needs "cc", which is not installed;'
        " install it with: apt-get install gcc\n"
    )
    assert (shell.folder / "mine/bot.yaml").exists()


def test_a_folder_with_files_is_left_unchanged(shell: Shell) -> None:
    kept = shell.folder / "mine/notes.txt"
    kept.parent.mkdir()
    kept.write_text("mine")

    done = shell.type("arena init python mine")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: mine is not empty; give a new folder, nothing was written\n"
    assert [path.name for path in kept.parent.iterdir()] == ["notes.txt"]
