"""Finding bots, reading their manifests, and making them ready to play."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from arena.bots import building
from arena.bots.build import PreparedBot, cache_folder, prepare, prepare_all
from arena.bots.manifest import Manifest, find_bot, read_manifest
from arena.bots.protocols import kit_file
from arena.bots.shipped import shipped_bots
from arena.bots.sources import collect
from arena.errors import BotError, BuildError, ConfigError, MissingToolchainError, UsageError

COPY = [sys.executable, "-c", "import shutil; shutil.copy('main.txt', 'built.txt')"]
FAIL = [sys.executable, "-c", "import sys; [print('line', n) for n in range(99)]; sys.exit(3)"]
ALPHABET = (
    "must consist of letters, digits, spaces and . _ - + @ ( ), begin with a letter or a digit and"
    " not end with a space"
)
BRIDGE = kit_file("jsonl/jsonl_bridge.py")

MakeBot = Callable[..., Manifest]


@pytest.fixture
def make_bot(tmp_path: Path) -> MakeBot:
    def make(name: str = "mine", sources: dict[str, str] | None = None, **keys: object) -> Manifest:
        folder = tmp_path / "bots" / name
        for path, text in (sources or {"main.txt": "hello"}).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        values = {"run": ["{python}", "main.txt"], **keys}
        lines = [f"{key}: {value!r}\n" for key, value in values.items()]
        (folder / "bot.yaml").write_text("".join(lines))
        return read_manifest(folder / "bot.yaml")

    return make


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def contents(bot: PreparedBot) -> set[str]:
    paths = (path for path in bot.folder.rglob("*") if path.is_file())
    return {path.relative_to(bot.folder).as_posix() for path in paths}


@pytest.mark.parametrize("name", shipped_bots())
def test_every_shipped_bot_has_a_manifest_that_can_be_read(name: str) -> None:
    manifest = find_bot(name, Path("/nowhere"))

    assert manifest.summary
    assert manifest.folder == shipped_bots()[name].parent


def test_a_bot_is_found_by_folder_by_manifest_and_by_program(
    make_bot: MakeBot, tmp_path: Path
) -> None:
    mine = make_bot("mine")
    program = tmp_path / "bots" / "tool.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    assert find_bot("./mine", tmp_path / "bots") == mine
    assert find_bot("mine", tmp_path / "bots") == mine
    assert find_bot("bots/mine/bot.yaml", tmp_path) == mine
    assert find_bot(str(tmp_path / "bots" / "mine"), Path("/nowhere")) == mine
    found = find_bot("./tool.sh", tmp_path / "bots")
    assert (found.name, found.path, found.run) == ("tool", program, ("./tool.sh",))


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("gredy", 'bot gredy: this bot does not exist; did you mean "greedy"?'),
        ("starter/cc", 'bot starter/cc: this bot does not exist; did you mean "starter/c"?'),
        (
            "nobody-has-this",
            "bot nobody-has-this: this bot does not exist; `arena bots` lists the shipped bots",
        ),
        ("./gone", "bot ./gone: nothing exists at {base}/gone"),
        ("empty", "bot empty: the folder {base}/empty has no bot.yaml"),
        (
            "plain",
            "bot plain: {base}/plain is neither a bot.yaml nor executable; run chmod +x",
        ),
        ("/dev/null", "bot /dev/null: /dev/null is neither a folder nor a file"),
        (
            "greedy --depth 3",
            "bot greedy --depth 3: this bot does not exist; write arguments of a bot in args",
        ),
        ("a\x00b", 'bot the text "a\\x00b": is neither a name nor a path'),
    ],
)
def test_an_invalid_reference_to_a_bot_is_refused_with_advice(
    tmp_path: Path, reference: str, says: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "plain").write_text("hello")

    with pytest.raises(BotError) as refusal:
        find_bot(reference, tmp_path)

    assert str(refusal.value) == says.format(base=tmp_path)


def test_all_errors_of_a_manifest_are_reported_together(tmp_path: Path) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text(
        "name: a/b\ngames: [pent]\nfiles: [./gone.c]\nbuild: cc -o bot bot.c\nrun: []\nrum: 1\n"
    )

    with pytest.raises(ConfigError) as refusal:
        read_manifest(path)

    assert [(problem.line, problem.detail) for problem in refusal.value.problems] == [
        (1, f'name {ALPHABET}, not "a/b"'),
        (2, 'games[0]: unknown game "pent"; did you mean "pente"?'),
        (4, 'build must be a list, not the text "cc -o bot bot.c"'),
        (5, "run must have 1 or more items"),
        (6, 'unknown key "rum"; did you mean "run"?'),
    ]


def test_a_file_named_in_a_manifest_must_exist(make_bot: MakeBot) -> None:
    with pytest.raises(ConfigError, match=r'files\[0\]: no file is named "./gone.c"'):
        make_bot(files=["./gone.c"])


def test_a_bot_of_json_lines_is_started_by_the_bridge(make_bot: MakeBot, cache: Path) -> None:
    manifest = make_bot(protocol="jsonl", run=["sh", "bot.sh"], sources={"bot.sh": ""})

    bot = prepare(manifest, cache)

    assert bot.argv == (sys.executable, "jsonl_bridge.py", "sh", "bot.sh")
    assert contents(bot) == {"bot.sh", "jsonl_bridge.py"}
    assert (manifest.files, manifest.starts) == ((), ("sh", "bot.sh"))


def test_the_protocol_is_part_of_the_content(make_bot: MakeBot, cache: Path) -> None:
    lines = prepare(make_bot("one", protocol="jsonl"), cache)
    wire = prepare(make_bot("two"), cache)

    assert lines.content != wire.content
    assert wire.content == prepare(make_bot("three", protocol="arena"), cache).content


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"run": ["no-such-program"]}, 'needs "no-such-program", which is not installed'),
        ({"run": ["./bot"]}, "its program ./bot is not there"),
        ({"run": ["./main.txt"]}, "its program ./main.txt is not executable; chmod +x"),
        (
            {"sources": {"jsonl_bridge.py": "", "main.txt": ""}},
            f"{BRIDGE} would replace the bot's own jsonl_bridge.py",
        ),
    ],
)
def test_a_missing_program_behind_the_bridge_is_reported_before_play(
    make_bot: MakeBot, cache: Path, keys: dict[str, Any], says: str
) -> None:
    with pytest.raises(BotError) as refusal:
        prepare(make_bot(protocol="jsonl", **keys), cache)

    assert str(refusal.value) == f"bot mine: {says}"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (
            "protocol: jsnl\nrun: [sh]\n",
            1,
            'protocol: unknown protocol "jsnl"; did you mean "jsonl"?',
        ),
        ("protocol: jsonl\n", 0, 'missing key "run"'),
        ("summary: no program\n", 0, 'missing key "run"'),
    ],
)
def test_a_manifest_must_fit_its_protocol(tmp_path: Path, text: str, line: int, says: str) -> None:
    (tmp_path / "bot.yaml").write_text(text)

    with pytest.raises(ConfigError) as refusal:
        read_manifest(tmp_path / "bot.yaml")

    assert [(fault.line, fault.detail) for fault in refusal.value.problems] == [(line, says)]


@pytest.mark.parametrize("is_built", [True, False])
def test_the_output_of_a_manual_build_is_not_copied(make_bot: MakeBot, *, is_built: bool) -> None:
    sources = {"package.json": "", "node_modules/x.js": "", "lib/node_modules/y.js": ""}

    copied = collect(make_bot(sources=sources, **({"build": COPY} if is_built else {})), ())

    assert ("node_modules/x.js" in copied) is not is_built
    assert "lib/node_modules/y.js" in copied


def test_a_bot_is_copied_with_its_kit_without_hidden_or_built_files(
    make_bot: MakeBot, tmp_path: Path
) -> None:
    kit = tmp_path / "bots" / "kit.txt"
    kit.parent.mkdir(parents=True)
    kit.write_text("kit")
    sources = {
        "main.txt": "",
        "data/book.txt": "",
        ".git/config": "",
        ".env": "",
        "__pycache__/x.pyc": "",
        "old.o": "",
        "built.txt": "left from a build by hand",
    }
    folder = make_bot(sources=sources).path.parent
    (folder / "bot.yaml").write_text(
        "files: [../kit.txt]\nrun: ['{python}', main.txt]\nbuild: [python3, x, -o, built.txt]\n"
    )
    manifest = read_manifest(folder / "bot.yaml", (kit,))

    copied = collect(manifest, manifest.files)

    assert list(copied) == ["data/book.txt", "kit.txt", "main.txt"]


def test_a_prepared_bot_can_be_started_and_read_by_others(make_bot: MakeBot, cache: Path) -> None:
    bot = prepare(make_bot(sources={"main.txt": "", "data/book.txt": ""}), cache)

    assert contents(bot) == {"main.txt", "data/book.txt"}
    assert bot.folder.parent == cache
    assert bot.folder.name == f"mine-{bot.content[:32]}"
    assert bot.argv == (sys.executable, "main.txt")
    for path in (bot.folder, bot.folder / "data"):
        assert path.stat().st_mode & 0o777 == 0o755
    assert (bot.folder / "main.txt").stat().st_mode & 0o777 == 0o644


def test_a_bot_is_built_once_and_again_when_it_has_changed(make_bot: MakeBot, cache: Path) -> None:
    first = prepare(make_bot(build=COPY), cache)
    (first.folder / "mark").write_text("not built again")
    again = prepare(make_bot(build=COPY), cache)
    changed = prepare(make_bot(build=COPY, sources={"main.txt": "changed"}), cache)

    assert (first.folder / "built.txt").read_text() == "hello"
    assert again == first
    assert (again.folder / "mark").exists()
    assert (changed.folder / "built.txt").read_text() == "changed"
    assert changed.content != first.content


@pytest.mark.parametrize(
    "change",
    [
        {"sources": {"main.txt": "hello!"}},
        {"sources": {"other.txt": "hello"}},
        {"run": ["{python}", "main.txt", "-v"]},
        {"build": COPY},
    ],
)
def test_the_content_covers_files_names_and_commands(
    make_bot: MakeBot, cache: Path, change: dict[str, object]
) -> None:
    before = prepare(make_bot("one"), cache)
    same = prepare(make_bot("two"), cache)
    after = prepare(make_bot("three", **{"sources": {"main.txt": "hello"}, **change}), cache)

    assert before.content == same.content
    assert after.content != before.content


def test_an_executable_bit_is_part_of_the_content(make_bot: MakeBot, cache: Path) -> None:
    manifest = make_bot()
    plain = prepare(manifest, cache)
    (manifest.path.parent / "main.txt").chmod(0o755)
    executable = prepare(manifest, cache)

    assert plain.content != executable.content
    assert os.access(executable.folder / "main.txt", os.X_OK)


def test_arguments_make_another_player_of_the_same_bot(make_bot: MakeBot, cache: Path) -> None:
    bot = prepare(make_bot(), cache)

    assert bot.player("a").content == bot.content
    assert bot.player("a", ["1"]).argv == (sys.executable, "main.txt", "1")
    assert len({bot.player("a", args).content for args in ([], ["1"], ["1", ""], ["", "1"])}) == 4


def test_a_changed_copy_is_replaced(make_bot: MakeBot, cache: Path) -> None:
    manifest = make_bot()
    bot = prepare(manifest, cache)
    (bot.folder / "main.txt").write_text("changed by the bot itself")

    assert (prepare(manifest, cache).folder / "main.txt").read_text() == "hello"


def test_a_failing_build_shows_the_end_of_its_output(make_bot: MakeBot, cache: Path) -> None:
    with pytest.raises(BuildError) as refusal:
        prepare(make_bot(build=FAIL), cache)

    assert "its build ended with exit code 3" in str(refusal.value)
    assert refusal.value.output.splitlines() == [f"line {n}" for n in range(59, 99)]
    assert list(cache.iterdir()) == []


def test_a_build_over_its_time_limit_is_killed_with_all_its_processes(
    make_bot: MakeBot, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "BUILD_S", 0)

    with pytest.raises(BuildError, match="took longer than 0 s"):
        prepare(make_bot(build=["sleep", "3600"]), cache)

    assert list(cache.iterdir()) == []


def test_a_missing_toolchain_is_reported_with_its_install_command(
    make_bot: MakeBot, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(MissingToolchainError) as refusal:
        prepare(make_bot(build=["cc", "-o", "bot", "bot.c"]), cache)

    assert (refusal.value.program, refusal.value.install) == ("cc", "apt-get install gcc")
    assert str(refusal.value) == (
        'bot mine: needs "cc", which is not installed; install it with: apt-get install gcc'
    )


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"run": ["no-such-program"]}, 'needs "no-such-program", which is not installed'),
        ({"run": ["./bot"]}, "its program ./bot is not there"),
        ({"run": ["./bot"], "build": COPY}, "its program ./bot is not there after the build"),
        ({"run": ["./main.txt"]}, "its program ./main.txt is not executable; chmod +x"),
        (
            {"run": ["a b"]},
            'there is no program "a b"; no shell reads this, write [a, ...] or [sh, -c, "a b"]',
        ),
    ],
)
def test_a_bot_with_a_missing_program_is_reported_before_play(
    make_bot: MakeBot, cache: Path, keys: dict[str, object], says: str
) -> None:
    with pytest.raises(BotError) as refusal:
        prepare(make_bot(**keys), cache)

    assert str(refusal.value) == f"bot mine: {says}"


def test_two_directors_may_prepare_the_same_bot(make_bot: MakeBot, cache: Path) -> None:
    manifest = make_bot(build=COPY)
    made: list[PreparedBot] = []
    directors = [Thread(target=lambda: made.append(prepare(manifest, cache))) for _ in range(4)]
    for director in directors:
        director.start()
    for director in directors:
        director.join()

    assert made == [made[0]] * 4
    assert [path.name for path in cache.iterdir()] == [made[0].folder.name]


def test_all_problems_of_all_bots_are_reported_together(make_bot: MakeBot, cache: Path) -> None:
    good, failing = make_bot("good"), make_bot("failing", build=FAIL)
    missing = make_bot("missing", run=["no-such-program"])

    ready = prepare_all([good, failing, good, missing], cache)

    assert [type(bot) for bot in ready] == [
        PreparedBot,
        BuildError,
        PreparedBot,
        MissingToolchainError,
    ]


def test_a_program_without_a_manifest_is_copied_alone(tmp_path: Path, cache: Path) -> None:
    program = tmp_path / "tool"
    shutil.copy("/bin/true", program)
    (tmp_path / "beside").write_text("not copied")

    bot = prepare(find_bot("./tool", tmp_path), cache)

    assert contents(bot) == {"tool"}
    assert bot.argv == ("./tool",)


def test_an_unusable_cache_folder_is_reported_with_advice(
    make_bot: MakeBot, tmp_path: Path
) -> None:
    (tmp_path / "plain").write_text("no folder")
    nowhere = tmp_path / "plain" / "cache"

    with pytest.raises(BotError) as refusal:
        prepare(make_bot(), nowhere)

    assert str(refusal.value).endswith(
        f"bots are kept in {nowhere}; set XDG_CACHE_HOME to a writable folder"
    )


def test_a_folder_too_deep_for_sockets_is_reported_with_advice(
    make_bot: MakeBot, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("x" * 90)))

    with pytest.raises(UsageError, match="set a shorter one, like TMPDIR=/tmp"):
        prepare(make_bot(), cache)


def test_prepared_bots_are_kept_in_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "arena" / "bots"

    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == (Path.home() / ".cache" / "arena" / "bots").resolve()


def test_the_users_cache_may_be_a_link(
    make_bot: MakeBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "link"))

    prepared = prepare(make_bot())

    assert prepared.folder.is_relative_to(tmp_path / "elsewhere" / "arena")
