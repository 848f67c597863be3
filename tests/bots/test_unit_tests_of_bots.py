"""A bot as any program: imported by a test, profiled, with exit hooks of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from kits import BY_NAME
from probing import Kit, Probe, told

ROOT = Path(__file__).parents[2]
STARTER = ROOT / "bots/starter/python/main.py"


@pytest.fixture
def probe(probes: Callable[[Kit], Probe]) -> Probe:
    return probes(BY_NAME["python"])


def played(probe: Probe, *command: str) -> tuple[int, str, str]:
    with Probe(probe.kit, probe.folder, "", [sys.executable, *command]).seat() as seat:
        seat.init()
        seat.move(**told("play"))
        seat.term()
        code, out, said = seat.end()
        return code, out, said


def test_a_profiler_sees_the_whole_bot(probe: Probe) -> None:
    code, out, _ = played(probe, "-m", "cProfile", "-s", "tottime", "main.py")

    assert code == 0
    assert "function calls" in out
    assert "(on_move)" in out


@pytest.mark.parametrize(
    "start",
    [
        "import atexit\natexit.register(print, 'saved')\n",
        (
            "import cProfile\nprofile = cProfile.Profile()\nprofile.enable()\n"
            "import sys\nsys.exit = lambda code: (print('saved'), exit(code))\n"
        ),
    ],
    ids=["exit hook", "profile"],
)
def test_what_waits_for_the_end_of_a_bot_is_run(probe: Probe, start: str) -> None:
    own = probe.folder / "own.py"
    own.write_text(f"{start}import main, arena_bot\narena_bot.run(main.Probe())\n")

    assert played(probe, "own.py")[:2] == (0, "saved\n")


def test_a_bot_alone_ends_without_tidying_up(probe: Probe) -> None:
    own = probe.folder / "own.py"
    own.write_text(
        "import main, arena_bot\nclass Last:\n    def __del__(self):\n        print('late')\n"
        "last = Last()\narena_bot.run(main.Probe())\n"
    )

    assert played(probe, "own.py") == (0, "", "")


def test_a_test_that_starts_a_bot_by_mistake_goes_on(tmp_path: Path, probe: Probe) -> None:
    (tmp_path / "test_mine.py").write_text(
        "import sys\nimport pytest\nsys.path.insert(0, sys.argv[-1])\nimport arena_bot\n"
        "def test_one():\n    with pytest.raises(SystemExit) as ended:\n"
        "        arena_bot.run(arena_bot.Bot())\n    assert ended.value.code == 1\n"
        "def test_two():\n    assert True\n"
    )
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path, probe.folder],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert "2 passed" in ended.stdout, ended.stdout + ended.stderr


def test_importing_the_starter_starts_nothing(probe: Probe) -> None:
    (probe.folder / "starter_main.py").write_text(STARTER.read_text())
    ended = subprocess.run(
        [sys.executable, "-c", "import starter_main; print(starter_main.Starter.name)"],
        capture_output=True,
        text=True,
        check=False,
        cwd=probe.folder,
        env={"PYTHONPATH": str(probe.folder)},
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "starter\n", "")


@pytest.mark.parametrize(
    ("value", "sent"),
    [("numpy.int64(1)", 1), ("numpy.array([1, 2])", [1, 2]), ("numpy.float64(0.5)", 0.5)],
)
def test_numbers_of_numpy_are_sent_as_plain_ones(probe: Probe, value: str, sent: object) -> None:
    own = probe.folder / "own.py"
    own.write_text(
        "import types, main, arena_bot\n"
        "class Scalar:\n    def __init__(self, value): self.value = value\n"
        "    def tolist(self): return self.value\n"
        "numpy = types.SimpleNamespace(int64=Scalar, array=Scalar, float64=Scalar)\n"
        "class Bot(arena_bot.Bot):\n    def on_move(self, call):\n"
        f"        return arena_bot.play({{'x': {value}}})\n"
        "arena_bot.run(Bot())\n"
    )
    with Probe(probe.kit, probe.folder, "", [sys.executable, "own.py"]).seat() as seat:
        seat.init()
        assert seat.move()["move"] == {"x": sent}
        seat.term()


def test_what_cannot_be_sent_is_named_with_what_can(probe: Probe) -> None:
    own = probe.folder / "own.py"
    own.write_text(
        "import arena_bot\nclass Bot(arena_bot.Bot):\n    def on_move(self, call):\n"
        "        return arena_bot.play({'x': {1}})\narena_bot.run(Bot())\n"
    )
    says = r"play: cannot be sent: \{1\} is a set; send numbers, texts, lists and dicts"
    with Probe(probe.kit, probe.folder, "", [sys.executable, "own.py"]).seat() as seat:
        seat.init()
        with pytest.raises(AssertionError, match=says):
            seat.move()
