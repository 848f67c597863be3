"""How the command ends: a sentence and an exit code, whatever happened."""

import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer
from events import job_of, keep, new_event, new_store, won_by
from typer.testing import CliRunner

from arena import cli
from arena.commands.loading import MODULES, application
from arena.counting import text as counting
from arena.counting.count import CountStoppedError
from arena.errors import UsageError
from arena.results.store import Store
from arena.streams import make_ready
from arena.text import narrowed

app = application()


def test_an_interruption_before_anything_is_loaded_ends_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_run_reporting_errors", interrupted)

    with pytest.raises(SystemExit) as ended:
        cli.main()

    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "")


def test_an_interruption_finds_nothing_slow_before_it_is_caught() -> None:
    program = """if True:
        import os, sys
        before = set(sys.modules)
        sys.path.insert(0, sys.argv[1])
        import arena.cli
        print(*sorted(set(sys.modules) - before - set(sys.builtin_module_names)))
    """
    folder = Path(cli.__file__).parents[1]
    loaded = subprocess.check_output([sys.executable, "-I", "-S", "-c", program, folder], text=True)

    assert loaded.split() == ["arena", "arena.cli"]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("tournamnt", "'tournament'"),
        ("TOURNAMENT", "'tournament'"),
        ("version", "'--version'"),
        ("configs/pente.yaml", "'tournament configs/pente.yaml'"),
        ("help tournamnt", "'tournament'"),
    ],
)
def test_a_similar_command_is_named(line: str, meant: str) -> None:
    done = CliRunner().invoke(app, line.split())

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.endswith(f"Did you mean {meant}?\n")


def test_an_export_as_json_is_the_default_one_and_excludes_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(new_store(tmp_path)) as store:
        keep(store, new_event(store, ("ann", "bob")), won_by(job_of("ann", "bob"), 0))

    plain, asked = (CliRunner().invoke(app, ["export", *more]) for more in ((), ("--json",)))

    assert (asked.exit_code, asked.stdout) == (0, plain.stdout)
    assert json.loads(asked.stdout)["match"] == 1
    both = CliRunner().invoke(app, ["export", "--json", "--csv"])
    assert isinstance(both.exception, UsageError)


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("tourn", "tournament"),
        ("match gre", "greedy"),
        ("match greedy --game pen", "pente"),
        ("gate sear", "searcher"),
        ("play pen", "pente"),
        ("play pente gre", "greedy"),
        ("init py", "python"),
        ("check ./", ""),
    ],
)
def test_a_shell_completes_names(line: str, known: str) -> None:
    words = ["arena", *line.split()]
    asked = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}

    done = CliRunner().invoke(
        app, [], prog_name="arena", env={"_ARENA_COMPLETE": "complete_bash", **asked}
    )

    assert done.stdout.split() == known.split()


@pytest.mark.parametrize(("reason", "code"), [("interrupted", 130), ("out of memory", 4)])
def test_a_count_that_stops_tells_an_interruption_from_a_limit(
    monkeypatch: pytest.MonkeyPatch, reason: Any, code: int
) -> None:
    def stopped(*_given: object) -> int:
        raise CountStoppedError(reason, 3, 1)

    monkeypatch.setattr(counting, "continuations", stopped)

    assert CliRunner().invoke(app, ["count", "damspel"]).exit_code == code


@pytest.mark.parametrize(
    ("game", "says"),
    [
        ("down_n_out", "--seats must be 1 for down_n_out, not 9"),
        ("chinese_checkers", "--seats must be 2 to 6 for chinese_checkers, not 9"),
    ],
)
def test_a_count_is_for_as_many_seats_as_the_game_has(game: str, says: str) -> None:
    done = CliRunner().invoke(app, ["count", game, "--seats", "9"])

    assert str(done.exception) == says


def test_characters_outside_the_output_encoding_are_escaped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", narrow)

    make_ready()
    print("±95%", file=sys.stdout)

    assert narrow.buffer.getvalue() == b"\\xb195%\n"


@pytest.mark.parametrize("name", ["pente", "pente.yaml", "contests/pente.yml", "configs/pent.yaml"])
def test_an_unknown_config_gets_the_nearest_shipped_name(name: str) -> None:
    done = CliRunner().invoke(app, ["tournament", name])

    assert str(done.exception) == (
        f'{name}: this config does not exist; did you mean "configs/pente.yaml"?'
    )


def test_an_unknown_config_gets_the_nearest_name_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("class.yaml").write_text("name: x\ngame: {name: pente}\n")
    Path("clas.yml.yaml").mkdir()
    Path("clasp.yaml").write_text("services: {game: {image: x}}\n")
    Path("compose.yaml").write_text("game: {name: pente}\n")

    done = [
        CliRunner().invoke(app, ["tournament", name]) for name in ("clas.yaml", "commerce.yaml")
    ]

    assert str(done[0].exception) == (
        'clas.yaml: this config does not exist; did you mean "class.yaml"?'
    )
    assert str(done[1].exception).startswith(
        "commerce.yaml: this config does not exist; known: class.yaml, compose.yaml, configs/"
    )


def test_every_command_has_a_line_of_its_own_in_the_help() -> None:
    narrow: Mapping[str, str] = {"COLUMNS": "80", "TERMINAL_WIDTH": "80"}

    listed = CliRunner().invoke(app, ["--help"], env=narrow).output.partition("Commands:")[2]

    assert len(listed.split("\n")) > 10
    assert "..." not in listed


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["check"], "BOT"),
        (["show"], "[EVENT]"),
        (["match"], "BOTS..."),
        (["gate"], "NEW [BASE] [OTHER]..."),
        (["join"], "tcp://HOST:PORT BOT"),
        (["cluster", "keys"], "DIR MACHINE..."),
    ],
    ids=str,
)
def test_a_usage_names_the_arguments_in_capitals(words: list[str], arguments: str) -> None:
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "80"}).output

    assert shown.partition("[OPTIONS] ")[2].splitlines()[0] == arguments
    assert f"Arguments:\n  {arguments.split(maxsplit=1)[0].strip('[]')}" in shown


def test_the_help_of_all_ends_with_a_first_match() -> None:
    ending = CliRunner().invoke(app, ["--help"]).output.partition("Examples:\n")[2]

    assert ending.splitlines()[0].strip() == "arena match greedy random"


@pytest.mark.parametrize("words", [[], ["tournament"], ["join"], ["cluster", "keys"]], ids=str)
def test_help_fits_a_narrow_terminal_but_for_examples_to_copy(words: list[str]) -> None:
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "40"}).output
    lines = shown.partition("Examples:\n")[0].splitlines()

    assert len(lines) > 5
    assert [line for line in lines if len(line) > 40] == []


def test_a_table_that_is_too_wide_gives_up_its_spare_columns_in_their_order() -> None:
    header, rows = ["bot", "CPU", "wall"], [["ann", "1 s", "2 s"]]

    def shown(width: int | None) -> str:
        lines = narrowed(header, rows, left=1, spare=("wall", "CPU"), width=width)
        return lines.splitlines()[0]

    assert [shown(width) for width in (None, 14, 13, 7, 2)] == [
        "bot  CPU  wall",
        "bot  CPU  wall",
        "bot  CPU",
        "bot",
        "bot",
    ]


RUN = """
import sys
from arena.cli import main
try:
    main()
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)
"""
STORE = {"arena.results.store"}
PLAYING = STORE | {
    "arena.event.play.director",
    "referee.service.slot",
    "referee.play.match",
    "referee.records.record",
}


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (["tournament", "wrong.yaml"], PLAYING | {"arena.reports.report", "protocol.messages"}),
        (
            ["tournament", "right.yaml", "--dry-run"],
            {"zmq", "referee.play.match", "arena.formats.ladder", "arena.cluster", "arena.pages"},
        ),
        (
            ["bots"],
            PLAYING | {"arena.commands.events", "pydantic", "protocol.messages"},
        ),
        (["games"], PLAYING | {"arena.commands.events", "pydantic", "ruamel.yaml"}),
        (["show", "1", "--db", "results.db"], (PLAYING - STORE) | {"msgpack", "pydantic"}),
    ],
)
def test_a_command_imports_nothing_that_it_does_not_need(
    tmp_path: Path, arguments: list[str], unneeded: set[str]
) -> None:
    (tmp_path / "wrong.yaml").write_text("name: x\ngame: {name: pente}\nbots: [gredy, random]\n")
    (tmp_path / "right.yaml").write_text("name: x\ngame: {name: pente}\nbots: [greedy, random]\n")
    with closing(Store(tmp_path / "results.db", is_new_allowed=True)) as store:
        keep(store, new_event(store), won_by(job_of("ann", "bob"), 0))
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    loaded = set(done.stderr.splitlines()[-1].split())
    assert "arena.cli" in loaded
    assert not unneeded & loaded


def test_each_command_is_found_in_its_own_module() -> None:
    listed = CliRunner().invoke(app, ["--help"]).output.partition("Commands:")[2]
    commands = {line.split()[0] for line in listed.splitlines() if line.strip()}

    assert set(MODULES) <= commands
    for command, module in MODULES.items():
        own = sys.modules[f"arena.commands.{module}"]
        assert application([command]) is app
        assert getattr(own, command).__module__ == own.__name__


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["count", "pente", "--depth", "x"], "Invalid value for '--depth'"),
        (["count", "pente", "--depth", "0"], "Invalid value for '--depth'"),
        (["check", "deep", "--build-network", "some"], "Invalid value for '--build-network'"),
        (["count", "pente", "--seed", str(2**128)], "a whole number from 0 to 2^128 - 1 expected"),
        (["match", "--game", "pente", "a", "--seed", "-1"], "Invalid value for '--seed'"),
        (["show", "--db"], "Option '--db' requires an argument"),
        (["count"], "Missing argument 'game'"),
        (["match", "--game", "pente"], "Missing argument 'bots'"),
        (["tournament", "a", "b"], "Got unexpected extra argument"),
    ],
)
def test_wrong_arguments_are_refused(words: list[str], said: str) -> None:
    done = CliRunner().invoke(app, words)

    assert done.exit_code == 2
    assert said in done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["init"], "Missing argument 'language'. For example: arena init python my-bot"),
        (["replay"], "Missing argument 'match'. For example: arena replay 1"),
        (["keys", "new"], "Missing argument 'name'. For example: arena keys new ann"),
        (["hand-in", "bot"], "(env var: 'ARENA_LEAGUE'). For example: arena hand-in my-bot --to"),
    ],
)
def test_what_is_missing_is_shown_in_an_example(words: list[str], said: str) -> None:
    done = CliRunner().invoke(application(), words)

    assert done.exit_code == 2
    assert said in done.output


def test_every_command_that_requires_something_has_an_example_with_it() -> None:
    commands: dict[str, Any] = {"": typer.main.get_command(application())}
    while groups := [name for name, command in commands.items() if hasattr(command, "commands")]:
        for group in groups:
            inner: dict[str, Any] = commands.pop(group).commands
            commands |= {f"{group} {name}".strip(): command for name, command in inner.items()}
    for name, command in commands.items():
        if not any(parameter.required for parameter in command.params):
            continue
        first = shlex.split((command.epilog or "\n\n").splitlines()[2])
        called = ["arena", *name.split()]
        assert first[: len(called)] == called
        command.make_context(name, first[len(called) :])


def test_a_report_without_a_name_is_not_written_through_a_link_or_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(Store(Path("arena.db"), is_new_allowed=True)) as store:
        keep(store, new_event(store), won_by(job_of("ann", "bob"), 0))
    other = Path("of-the-user")
    other.write_text("kept")
    Path("report.html").symlink_to(other)

    refused = CliRunner().invoke(app, ["report"])

    assert str(refused.exception) == "report.html is a link or a pipe; name a file with --output"
    assert other.read_text() == "kept"
    assert CliRunner().invoke(app, ["report", "-o", "report.html"]).exit_code == 0
    assert other.read_text().startswith("<!doctype html>")
    Path("report.html").unlink()
    os.mkfifo("report.html")
    reader = os.open("report.html", os.O_RDONLY | os.O_NONBLOCK)  # otherwise a writer would wait
    refused = CliRunner().invoke(app, ["report"])
    os.close(reader)
    assert str(refused.exception) == "report.html is a link or a pipe; name a file with --output"
