"""`arena gate` and `arena merge` with real bots: verdicts, revisions, shards, interruptions."""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from directing import ROOT, command_of
from preloaded import Preloaded
from waiting import PATIENCE_S, becomes

from arena.bots.manifest import find_bot
from arena.errors import ConfigError
from arena.gate.base import checked_out
from referee.sandbox import descendants

GAME = ("--game", "damspel", "-o", "rows=4", "-o", "cols=4", "-o", "men_rows=1")
EASY = (*GAME, "--seed", "1", "--elo0", "-400", "--cap", "24")
"""Hypotheses decided by few pairs."""
KIT = ROOT / "bots" / "sdk" / "python" / "arena_bot.py"
DECIDED = ("gate", "damspel-c", "starter/c", *EASY)
"""A gate of bots that start quickly, which NEW passes."""
BOT = '''
import sys

from arena_bot import Bot, play, run


class Mine(Bot):
    """Plays the first legal move or, on request, the last; says nothing from some move on."""

    name = "mine"
    version = "1"
    wants = ("legal",)

    def on_init(self, init):
        self.moves = 0

    def on_move(self, call):
        self.moves += 1
        if "dies" in sys.argv and self.moves == 3:
            sys.exit(3)
        return play(call["legal"][-1 if "last" in sys.argv else 0])


run(Mine())
'''


class Folder:
    """A separate folder for commands, with a cache and a temporary folder."""

    def __init__(self, path: Path, cache: Path) -> None:
        self.path = path
        self.temporary = path / "tmp"
        self.temporary.mkdir()
        self._environment = {
            **os.environ,
            "XDG_CACHE_HOME": str(cache),
            "TMPDIR": str(self.temporary),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return Preloaded(
            arguments,
            cwd=self.path,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Return exit code, stdout and stderr of a command."""
        with self.start(*arguments) as process:
            try:
                out, err = process.communicate(timeout=PATIENCE_S)
            except BaseException:
                process.kill()
                raise
            return process.returncode, out, err

    def git(self, *arguments: str) -> None:
        if shutil.which("git") is None:
            says = "git is not on this machine: apt-get install git"
            pytest.fail(says) if os.environ.get("CI") else pytest.skip(says)
        who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
        subprocess.run(
            ["git", *who, *arguments],
            cwd=self.path,
            env=self._environment,
            check=True,
            capture_output=True,
        )

    def write_bot(self, name: str, *words: str, build: str = "") -> None:
        """Write a bot with words on its command line; `build` is a command of the shell."""
        bot = self.path / name
        bot.mkdir(parents=True, exist_ok=True)
        (bot / "main.py").write_text(BOT)
        shutil.copy(KIT, bot)
        command = ", ".join(['"{python}"', "main.py", *words])
        lines = [f"run: [{command}]"]
        if build:
            lines.append(f"build: [sh, -c, '{build}']")
        (bot / "bot.yaml").write_text("\n".join(lines) + "\n")

    def commit(self, name: str) -> None:
        """Commit everything under a tag."""
        self.git("add", "--all", "--", "mine", "common")
        self.git("commit", "--quiet", "--message", name)
        self.git("tag", name)

    def leftovers(self) -> list[str]:
        return [path.name for path in self.temporary.glob("arena-*-*")]


@pytest.fixture
def folder(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Return a folder for commands; the bots are built once for all tests."""
    return Folder(tmp_path, tmp_path_factory.getbasetemp() / "bots")


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Return the facts of the decided gate, played without an interruption."""
    folder = Folder(tmp_path_factory.mktemp("straight"), tmp_path_factory.getbasetemp() / "bots")
    code, out, err = folder.run(*DECIDED)
    assert (code, out.partition(" against")[0]) == (0, "gate PASSED: damspel-c is strong enough"), (
        err
    )
    assert "results: arena.db, event 1; seed 1" in out
    return facts_of(out)


@pytest.fixture
def repository(tmp_path: Path) -> Folder:
    """Return a folder that is a repository: `mine` plays its first move at the tag `first`."""
    folder = Folder(tmp_path, tmp_path / "cache")
    folder.write_bot("mine")
    (folder.path / "common").mkdir()
    (folder.path / "common" / "book.txt").write_text("then")
    folder.git("init", "--quiet")
    folder.commit("first")
    return folder


def facts_of(out: str) -> Mapping[str, str]:
    """Return the facts of a printed verdict by name."""
    lines = [line.split("  ", 1) for line in out.splitlines() if "  " in line]
    return {name: rest[0].strip() for name, *rest in lines}


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (("random", "damspel-c"), 1, "gate FAILED: random is too weak"),
        (("starter/c", "random", "--elo0", "-5"), 4, "gate UNDECIDED: starter-c against"),
    ],
)
def test_gates_of_shipped_bots_end_with_their_verdicts(
    folder: Folder, options: tuple[str, ...], code: int, says: str
) -> None:
    ended, out, err = folder.run("gate", *EASY, *options)

    assert (ended, out[: len(says)]) == (code, says), err
    assert "results: arena.db, event 1; seed 1" in out


def test_faults_of_new_end_with_exit_code_3(folder: Folder) -> None:
    folder.write_bot("mine")
    folder.write_bot("new", "dies")

    code, out, _ = folder.run("gate", "./new", "./mine", *EASY)

    assert code == 3
    assert out.startswith("gate FAULTS: new had faults in ")
    number = out.splitlines()[-1].rpartition(" ")[2]
    assert "at fault: crash" in folder.run("show", "--match", number)[1]


def test_a_killed_gate_resumes_to_the_same_verdict(
    folder: Folder, straight: Mapping[str, str]
) -> None:
    with folder.start(*DECIDED) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("[ 6/"):
                break
        process.send_signal(signal.SIGKILL)
    code, out, err = folder.run(*DECIDED)

    assert code == 0
    assert ", 0 played before" not in err
    names = ("LLR", "pairs", "matches", "Elo")
    assert [facts_of(out)[name] for name in names] == [straight[name] for name in names]


def test_an_interrupted_new_gate_ends_with_130_and_its_advice_resumes_it(folder: Folder) -> None:
    gate = (*DECIDED, "--db", "my results.db")
    with folder.start(*gate, "--new") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("[ 2/"):
                process.send_signal(signal.SIGINT)
                break
        out, err = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 130
    assert out.startswith("gate not finished: matches are missing\n")
    stop, advice = err.splitlines()[-1].split("; resume with: arena ")
    assert stop.startswith("interrupted, ")
    assert shlex.split(advice) == list(gate)
    code, out, err = folder.run(*shlex.split(advice))
    assert code == 0
    assert "event 1 in my results.db" in err
    assert " 0 played before" not in err
    assert "--db 'my results.db'" in out


def test_shards_are_merged_to_one_verdict(folder: Folder, straight: Mapping[str, str]) -> None:
    for number in (1, 2):
        code, out, _ = folder.run(*DECIDED, "--shard", f"{number}/2", "--db", f"{number}.db")
        assert (code, out.splitlines()[0].startswith(f"shard {number}/2 of gate")) == (0, True)

    some = folder.run("merge", "1.db", "--db", "all.db")
    both = folder.run("merge", "1.db", "2.db", "--db", "all.db")

    assert (some[0], "shard 2/2 is not among the databases" in some[2]) == (2, True)
    assert both[0] == 0
    assert facts_of(both[1])["LLR"] == straight["LLR"]


# -- a base that is a revision ---------------------------------------------------------------------


def test_a_base_can_be_a_revision(repository: Folder) -> None:
    repository.write_bot("mine", "last")

    code, out, err = repository.run("gate", "mine", "git:first", *EASY)

    assert code in (0, 1, 4), err
    assert facts_of(out)["base"].startswith("mine@first, content ")
    assert facts_of(out)["base"].split()[-1] != facts_of(out)["new"].split()[-1]
    assert repository.leftovers() == []
    assert repository.run("gate", "mine", "--base", "git:first", *EASY)[1] == out


def test_a_config_can_be_gated_against_a_revision(repository: Folder) -> None:
    lines = ["name: mine", "game: {name: damspel}", "bots: [./mine, random]", "format: gate"]
    (repository.path / "gate.yaml").write_text("\n".join(lines) + "\n")

    code, out, err = repository.run("gate", "gate.yaml", "--base", "git:first")

    assert code == 0, err
    assert "mine and mine@first are the same bot by content" in out


def test_shared_files_of_a_bot_are_those_of_its_revision(repository: Folder) -> None:
    with (repository.path / "mine" / "bot.yaml").open("a") as manifest:
        manifest.write("files: [../common/book.txt]\n")
    repository.commit("shares")
    (repository.path / "common" / "book.txt").write_text("now")
    new = find_bot("./mine", repository.path, (repository.path / "common",))

    with checked_out(new, new.path, "git:shares") as base:
        assert [path.read_text() for path in (*new.files, *base.files)] == ["now", "then"]

    (repository.path / "common" / "book.txt").unlink()
    (repository.path / "common" / "book.txt").symlink_to("/etc/passwd")
    repository.commit("leads-out")
    with (
        pytest.raises(ConfigError, match="lies neither"),
        checked_out(new, new.path, "git:leads-out"),
    ):
        pass


def test_a_revision_that_is_the_same_is_not_played(repository: Folder) -> None:
    code, out, _ = repository.run("gate", "mine", "git:HEAD", *GAME)

    assert code == 0
    assert "mine and mine@HEAD are the same bot by content, so nothing was played" in out


@pytest.mark.parametrize(
    ("base", "says"),
    [
        ("git:nowhere", '"nowhere" is not a revision in '),
        ("git:latly", '"lately"'),
        ("git:", "names no revision"),
        ("git:--help", '"--help" is not a revision in '),
        ("git:first", "new/bot.yaml does not exist at "),
    ],
)
def test_an_unavailable_revision_is_a_usage_error(repository: Folder, base: str, says: str) -> None:
    repository.write_bot("new")
    repository.git("branch", "lately")

    code, out, err = repository.run("gate", "new", base, *GAME)

    assert (code, out) == (2, "")
    assert says in err
    assert repository.leftovers() == []


def test_a_bot_outside_any_repository_has_no_revisions(folder: Folder) -> None:
    folder.write_bot("mine")

    code, _, err = folder.run("gate", "mine", "git:main", *GAME)

    assert code == 2
    assert "is not in a readable git repository" in err


def test_a_base_that_fails_to_build_is_an_error_with_the_build_output(
    repository: Folder,
) -> None:
    repository.write_bot("mine", build="echo main.c:3: error: no such thing >&2; exit 1")
    repository.commit("broken")
    repository.write_bot("mine")

    code, out, err = repository.run("gate", "mine", "git:broken", *GAME)

    assert (code, out) == (2, "")
    assert "mine@broken" in err
    assert "its build ended with exit code 1" in err
    assert "main.c:3: error: no such thing" in err
    assert repository.leftovers() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_of_a_revision_whose_build_is_interrupted(
    repository: Folder, number: signal.Signals
) -> None:
    repository.write_bot("mine", build="exec sleep 86399")
    repository.commit("slow")
    repository.write_bot("mine")

    with repository.start("gate", "mine", "git:slow", *GAME) as process:
        is_building = becomes(
            lambda: any(
                command_of(pid).startswith("sleep 86399") for pid in descendants(process.pid)
            )
        )
        family, left = descendants(process.pid), repository.leftovers()
        process.send_signal(number)
        process.communicate(timeout=PATIENCE_S)

    assert is_building
    assert left != []
    assert process.returncode == 130
    assert repository.leftovers() == []
    assert becomes(lambda: not any(command_of(pid).startswith("sleep") for pid in family))
