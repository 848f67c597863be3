"""Programs and files hidden by the sandbox: said before the first match, with the cure."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from events import new_store

from arena.config.event import Config
from arena.config.loading import make_config
from arena.errors import ConfigError
from arena.event.resume.held_plan import held_plan
from arena.event.resume.players import Unavailable, absent_players, prepare_players
from arena.event.watch.progress import Progress
from arena.results.standings import Table
from referee.job import Player


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Yield a folder of programs and tables outside the folder of temporary files."""
    folder = tmp_path / "tools"
    folder.mkdir()
    temporary = Path(tempfile.mkdtemp())  # a short path, as sockets need
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (folder / "bin").mkdir()
    (folder / "bin" / "engine").write_text("#!/bin/sh\n")
    (folder / "bin" / "engine").chmod(0o755)
    (folder / "tables").mkdir()
    (folder / "tables" / "KQvK").write_text("1")
    yield folder
    shutil.rmtree(temporary)


def config_of(folder: Path, text: str, entry: dict[str, Any] | None = None, **more: Any) -> Config:
    """Return an event of a bot with this bot.yaml against another."""
    for name in ("ann", "bob"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "main.sh").write_text("#!/bin/sh\n")
        (folder / name / "main.sh").chmod(0o755)
        (folder / name / "bot.yaml").write_text("run: [./main.sh]\n")
    (folder / "ann" / "bot.yaml").write_text(text)
    bots = ({"bot": "./ann", **(entry or {})}, "./bob")
    values = {"name": "cup", "game": {"name": "chess"}, "bots": bots, **more}
    return make_config(values, folder=folder, origin="cup.yaml")


def prepared(
    folder: Path, text: str, entry: dict[str, Any] | None = None, **more: Any
) -> tuple[dict[str, Player], list[Unavailable]]:
    """Prepare the bots of such an event."""
    return prepare_players(config_of(folder, text, entry, **more), skip_missing=False)


UCI = "protocol: uci\nrun: [./main.sh]\n"


def test_a_path_of_the_present_folder_is_none_of_the_bots(
    tmp_path: Path, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = UCI + "options: {SyzygyPath: tools/tables, Style: tools}\n"

    with pytest.raises(ConfigError) as error:
        prepared(tmp_path, text)

    assert 'option SyzygyPath: "tools/tables" is not in its folder' in str(error.value)
    assert f"write the absolute path, {tools / 'tables'}" in str(error.value)
    assert len(error.value.problems) == 1


@pytest.mark.parametrize(
    ("text", "says", "cure"),
    [
        ("run: ['{tools}/bin/engine']\n", "its program {tools}/bin/engine is hidden", "{tools}"),
        (
            "protocol: uci\nrun: ['{tools}/bin/engine']\n",
            "its program {tools}/bin/engine is hidden",
            "{tools}",
        ),
        (
            "run: [sh, '{tools}/bin/engine']\n",
            "{tools}/bin/engine, named in its command, is hidden",
            "{tools}/bin",
        ),
        (
            UCI + "options: {{SyzygyPath: '{tools}/tables'}}\n",
            "option SyzygyPath: {tools}/tables is hidden",
            "{tools}/tables",
        ),
        (
            UCI + "options: {{SyzygyPath: '/no/such:{tools}/tables'}}\n",
            "option SyzygyPath: {tools}/tables is hidden",
            "{tools}/tables",
        ),
        (
            UCI + "options: {{EvalFile: '{tools}/tables/KQvK'}}\n",
            "option EvalFile: {tools}/tables/KQvK is hidden",
            "{tools}/tables",
        ),
    ],
)
def test_a_hidden_program_or_file_is_an_error_with_the_cure(
    tmp_path: Path, tools: Path, text: str, says: str, cure: str
) -> None:
    text = text.format(tools=tools)

    with pytest.raises(ConfigError) as refused:
        prepared(tmp_path, text)
    players, _ = prepared(tmp_path, text, installations=(cure.format(tools=tools),))

    assert f"ann: {says.format(tools=tools)} from sandboxed bots" in str(refused.value)
    assert f"installations: [{cure.format(tools=tools)}]" in str(refused.value)
    assert list(players) == ["ann", "bob"]


def test_a_file_named_by_the_config_is_looked_for_too(tmp_path: Path, tools: Path) -> None:
    with pytest.raises(ConfigError, match="KQvK, named in its command, is hidden"):
        prepared(tmp_path, "run: [./main.sh]\n", {"args": ("--net", str(tools / "tables/KQvK"))})


@pytest.mark.parametrize("command", ["/proc/self/root/bin/sh", "/dev/../proc/self/root/bin/sh"])
def test_a_program_by_a_link_of_the_kernel_is_hidden(tmp_path: Path, command: str) -> None:
    with pytest.raises(ConfigError, match="ann: its program"):
        prepared(tmp_path, f"run: [{command}]\n")


def test_a_bot_with_a_hidden_file_is_left_out_where_the_event_goes_on(
    tmp_path: Path, tools: Path
) -> None:
    text = UCI + f"options: {{Tables: '{tools}/tables'}}\n"

    players, unavailable = prepared(tmp_path, text, broken="leave_out")

    assert list(players) == ["bob"]
    assert str(unavailable[0]).startswith(f"LEFT OUT: ann: option Tables: {tools}/tables is hidden")


def test_the_content_of_a_bot_that_forfeits_tells_nothing_of_a_hidden_file(
    tmp_path: Path, tools: Path
) -> None:
    text = UCI + f"options: {{Tables: '{tools}/tables'}}\n"
    contents = set()
    for secret in ("1234", "4321"):
        (tools / "tables" / "KQvK").write_text(secret)
        config = config_of(tmp_path, text, broken="forfeit")
        _, unavailable = prepare_players(config, skip_missing=False)
        contents.add(absent_players(config, unavailable)["ann"].content)

    assert len(contents) == 1


def test_a_relative_path_out_of_the_folder_is_named_with_the_absolute_one(
    tmp_path: Path, tools: Path
) -> None:
    way = f"../{tools.relative_to(tmp_path)}/tables"

    with pytest.raises(ConfigError) as refused:
        prepared(tmp_path, UCI + f"options: {{SyzygyPath: {way}}}\n")

    assert f"write the absolute path, {tools.resolve()}/tables" in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "run: [./main.sh, /dev/null, /tmp, /no/such, /, --home=/root, x=main.sh]\n",
        "run: [./main.sh, '{temporary}/log']\n",
        "run: [./main.sh, '{tools}/tables']\n",
        UCI + "options: {{Debug Log File: '{tools}/bin/engine', Book: main.sh, Hash: 16}}\n",
        UCI + "options: {{UCI_Opponent: 'none none computer /', Style: a/b}}\n",
    ],
)
def test_words_that_are_no_files_to_read_are_no_error(
    tmp_path: Path, tools: Path, text: str
) -> None:
    temporary = Path(tempfile.gettempdir())
    (temporary / "log").write_text("a sandbox has another")

    players, _ = prepared(tmp_path, text.format(tools=tools, temporary=temporary))

    assert list(players) == ["ann", "bob"]


def test_nothing_is_hidden_without_a_sandbox(tmp_path: Path, tools: Path) -> None:
    text = UCI + f"options: {{SyzygyPath: '{tools}/tables'}}\n"

    assert len(prepared(tmp_path, text, isolation="none")[0]) == 2
    assert len(prepared(tmp_path, text, {"isolation": "none"})[0]) == 2


class Silence:
    """An announcer that says nothing."""

    def say(self, line: str) -> None:
        pass

    def follow(self, total: int, done: int, table: Table) -> Progress:
        raise AssertionError(total, done, table)


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_only_what_its_sandbox_shows_may_stop_an_event(tmp_path: Path, isolation: str) -> None:
    log = Path(tempfile.gettempdir(), "log")  # such files may be named for results
    log.write_text("1")
    config = config_of(tmp_path, f"run: [./main.sh, '{log}']\n", isolation=isolation)
    players, _ = prepare_players(config, skip_missing=False)

    with (
        closing(new_store(tmp_path)) as store,
        held_plan(store, config, players, Silence(), is_new=True) as (_, plan),
    ):
        log.write_text("12")

        assert plan.outside.changed() == ([] if isolation == "auto" else [str(log)])


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("named", ["run: [./main.sh, '{log}']\n", "run: [./main.sh]\n"])
def test_a_hidden_file_is_no_part_of_the_content_of_a_bot(tmp_path: Path, named: str) -> None:
    """Otherwise a bot could have its own finished matches set aside whenever it likes."""
    log = Path(tempfile.gettempdir(), "log")
    log.write_text("1")
    entry = {} if "{log}" in named else {"args": (str(log),)}
    text = named.format(log=log)
    before = prepared(tmp_path, text, entry)[0]["ann"].content
    open_before = prepared(tmp_path, text, {**entry, "isolation": "none"})[0]["ann"].content

    log.write_text("12")

    assert prepared(tmp_path, text, entry)[0]["ann"].content == before
    opened = prepared(tmp_path, text, {**entry, "isolation": "none"})[0]["ann"].content
    assert opened != open_before, "without a sandbox it can read the file"


def test_the_files_of_a_bot_that_forfeits_stop_no_event(tmp_path: Path, tools: Path) -> None:
    table = tools / "tables" / "KQvK"
    config = config_of(tmp_path, f"run: [./main.sh, '{table}']\n", broken="forfeit")
    players, unavailable = prepare_players(config, skip_missing=False)
    absent = absent_players(config, unavailable)

    with (
        closing(new_store(tmp_path)) as store,
        held_plan(store, config, {**absent, **players}, Silence(), is_new=True) as (_, plan),
    ):
        table.write_text("12")

        assert list(absent) == ["ann"]
        assert plan.outside.changed() == []
