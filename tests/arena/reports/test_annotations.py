"""Annotations in GitHub's log, and no commands of strangers."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import ArenaError, BuildError, ConfigError, PreflightError, Problem, UsageError
from arena.reports.annotations import error_text, guarded


def in_actions(error: Exception, root: Path) -> list[str]:
    assert isinstance(error, ArenaError)
    github = {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(root)}
    return error_text(error, github).splitlines()


def test_outside_github_an_error_is_only_printed() -> None:
    assert error_text(UsageError("no: ::such"), {}) == "error: no: ::such"


def test_config_errors_are_annotated_at_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a,b:c%"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("x.yaml").touch()
    found = Problem("x.yaml", "100% wrong\nreally, so: it is", 3, 7, "text of the line", 4)

    lines = in_actions(ConfigError([found, Problem("arena match", "no game")]), tmp_path)

    place, detail = lines[-2].split("::", 2)[1:]
    assert place == "error file=a%2Cb%3Ac%25/x.yaml,line=3,col=7,endColumn=11"
    assert detail == "100%25 wrong%0Areally, so: it is"
    assert lines[-1] == "::error::no game"


def test_errors_of_a_compiler_are_annotated_in_the_files_of_the_checkout(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    (root / "a,b").mkdir(parents=True)
    for path in (tmp_path / "secret.c", root / "a,b" / "main.c"):
        path.touch()
    (root / "a,b" / "link.c").symlink_to(tmp_path / "secret.c")
    causes = tuple(
        Problem(str(root / "a,b" / name), "100% ::wrong", 3, column)
        for name, column in (("main.c", 0), ("link.c", 1), ("gone.c", 1), ("main.c", 7))
    )
    places = [
        "::error file=a%2Cb/main.c,line=3::100%25 ::wrong",
        "::error file=a%2Cb/main.c,line=3,col=7,endColumn=8::100%25 ::wrong",
    ]

    failed = Problem("arena gate", "bot ann: its build failed", causes=causes)
    assert in_actions(ConfigError([failed]), root)[-3:] == [
        "::error::bot ann: its build failed",
        *places,
    ]
    assert in_actions(BuildError("ann", "its build failed", "", causes), root)[-2:] == places
    many = ConfigError([replace(failed, causes=causes * 9)])
    assert sum(line.startswith("::error") for line in in_actions(many, root)) == 10


STACK = """\
ann: crash, call move: ended: exit code 1
  its last output:
    Traceback (most recent call last):
      File "{kit}", line 119, in run
      File "{bot}", line 26, in on_move
      File "{kit}", line 80, in play
    ValueError: 100% ::wrong"""
TIMEOUT = """\
ann: timeout, call move: no reply
  its last output:
    Stack (most recent call first):
      File "{bot}", line 27 in on_move
      File "{kit}", line 170 in _answer
      File "{bot}", line 37 in <module>"""


@pytest.mark.parametrize(
    ("text", "annotated"),
    [
        (STACK, "26::ann: crash, call move: ended: exit code 1%0AValueError: 100%25 ::wrong"),
        (TIMEOUT, "27::ann: timeout, call move: no reply"),
    ],
)
def test_the_stack_of_a_bot_is_annotated_where_it_leaves_the_bot(
    tmp_path: Path, text: str, annotated: str
) -> None:
    root = tmp_path / "checkout"
    root.mkdir()
    bot, kit = root / "main.py", root / "arena_bot.py"
    outside = tmp_path / "main.py"
    for path in (bot, kit, outside):
        path.touch()

    lines = in_actions(PreflightError({"ann": text.format(bot=bot, kit=kit)}), root)
    assert lines[-1] == f"::error file=main.py,line={annotated}"

    for strange in (outside, root / "../main.py", root / "gone.py", f"/{'x' * 4000}", "/"):
        lines = in_actions(PreflightError({"ann": text.format(bot=strange, kit=kit)}), root)
        assert lines[-1].startswith("::error::a bot fails the preflight")


def test_a_bot_cannot_write_commands_into_the_log(tmp_path: Path) -> None:
    failure = "ann: crash\n    ::stop-commands::x\n\t::add-mask::e\n    say ##[error]x :: y\r::x"

    lines = in_actions(PreflightError({"ann": failure}), tmp_path)

    commands = [line for line in lines if line.lstrip().startswith("::")]
    assert commands == [lines[-1]]
    assert commands[0].startswith("::error::a bot fails the preflight%0A")
    assert "##[" not in "".join(lines[:-1])


def test_nothing_that_is_written_to_a_guarded_log_is_a_command() -> None:
    log = io.StringIO()
    stream = guarded(log)

    stream.write("its last output:\n    ::set-output name=verdict::passed\r::x ##[error]\n")
    stream.writelines(["  ", "::stop-commands::x\n", "a::b\n", "\x1b[1mbold\x1b[0m\n"])
    stream.flush()

    assert log.getvalue().splitlines(keepends=True) == [
        "its last output:\n",
        "    : :set-output name=verdict::passed\r",
        ": :x ## [error]\n",
        "  : :stop-commands::x\n",
        "a::b\n",
        "\x1b[1mbold\x1b[0m\n",
    ]


def test_the_number_of_annotations_is_limited(tmp_path: Path) -> None:
    problems = [Problem("x", f"wrong {number}") for number in range(30)]

    lines = in_actions(ConfigError(problems), tmp_path)

    assert sum(line.startswith("::error::") for line in lines) == 10
