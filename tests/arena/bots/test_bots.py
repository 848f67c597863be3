"""Making bots ready to play: copied, built, named by their content."""

import errno
import fcntl
import os
import shutil
import signal
import sys
import tempfile
from importlib.util import cache_from_source, source_hash
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from builds import MakeBot

from arena.bots import building
from arena.bots.manifest import find_bot, read_manifest
from arena.bots.prepare import PreparedBot, cache_folder, prepare, prepare_all
from arena.bots.protocols import kit_file
from arena.bots.sources import collect
from arena.errors import BotError, BuildError, MachineError, MissingToolchainError, UsageError

COPY = [sys.executable, "-c", "import shutil; shutil.copy('main.txt', 'built.txt')"]
FAIL = [sys.executable, "-c", "import sys; [print('line', n) for n in range(99)]; sys.exit(3)"]
BRIDGE = kit_file("bridges/jsonl_bridge.py")


def contents(bot: PreparedBot) -> set[str]:
    paths = (path for path in bot.folder.rglob("*") if path.is_file())
    return {path.relative_to(bot.folder).as_posix() for path in paths}


def test_a_bot_of_json_lines_is_started_by_the_bridge(make_bot: MakeBot, cache: Path) -> None:
    manifest = make_bot(protocol="jsonl", run=["sh", "bot.sh"], sources={"bot.sh": ""})

    bot = prepare(manifest, cache)

    assert bot.argv == (sys.executable, "jsonl_bridge.py", "sh", "bot.sh")
    tag = sys.implementation.cache_tag
    ours = {"jsonl_bridge.py", "arena_bridge.py", "arena_bot.py"}
    compiled = {f"__pycache__/{name}.{tag}.pyc" for name in ("arena_bridge", "arena_bot")}
    assert contents(bot) == {"bot.sh", *ours, *compiled}
    assert (manifest.files, manifest.starts) == ((), ("sh", "bot.sh"))


def test_the_protocol_is_part_of_the_content(make_bot: MakeBot, cache: Path) -> None:
    lines = prepare(make_bot("one", protocol="jsonl"), cache)
    wire = prepare(make_bot("two"), cache)

    assert lines.content != wire.content
    assert wire.content == prepare(make_bot("three", protocol="arena"), cache).content


def test_all_missing_programs_are_reported_together(
    make_bot: MakeBot, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingToolchainError) as all_known:
        prepare(make_bot(build=["mvn", "compile"], run=["java", "Main"]), cache)
    with pytest.raises(MissingToolchainError) as some_known:
        prepare(make_bot(build=["no-such"], run=["java", "Main"]), cache)

    assert all_known.value.detail == (
        'needs "mvn" and "java", which are not installed;'
        " install them with: apt-get install maven default-jre-headless"
    )
    assert some_known.value.detail == (
        'needs "no-such" and "java", which are not installed;'
        ' install "java" with: apt-get install default-jre-headless'
    )


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"run": ["no-such-program"]}, 'needs "no-such-program", which is not installed'),
        ({"run": ["./bot"]}, "its program ./bot is not there; see `run` in bot.yaml"),
        ({"run": ["./main.txt"]}, "its program ./main.txt is not executable; chmod +x"),
        (
            {"sources": {"jsonl_bridge.py": "", "main.txt": ""}},
            f'"{BRIDGE}" would replace the bot\'s own file "jsonl_bridge.py"',
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
    ("first", "says"),
    [
        ("#!/bin/sh\r\n", "has the line ends of Windows; convert them: sed -i 's/\\r$//' bot"),
        ("#! /no/such/shell -e\n", "begins with #!/no/such/shell, which is not there"),
    ],
)
def test_a_script_that_cannot_be_started_is_reported_before_play(
    make_bot: MakeBot, cache: Path, first: str, says: str
) -> None:
    manifest = make_bot(sources={"bot": ""}, run=["./bot"])
    script = manifest.path.parent / "bot"
    script.write_bytes(f"{first}echo\n".encode())
    script.chmod(0o755)

    with pytest.raises(BotError) as refusal:
        prepare(manifest, cache)

    assert str(refusal.value) == f"bot mine: its program ./bot {says}"


def test_scripts_of_other_kinds_are_left_to_the_kernel(make_bot: MakeBot, cache: Path) -> None:
    for name, text in {"good": "#!/bin/sh\necho\n", "bare": "echo\n", "odd": "#!\n"}.items():
        manifest = make_bot(name, sources={"bot": text}, run=["./bot"])
        (manifest.path.parent / "bot").chmod(0o755)

        assert prepare(manifest, cache).argv == ("./bot",)


def test_a_kit_in_python_is_compiled_and_nothing_else(make_bot: MakeBot, cache: Path) -> None:
    kit = kit_file("python/arena_bot.py")
    folder = make_bot(sources={"main.py": "", "own.py": ""}).path.parent
    (folder / "bot.yaml").write_text("files: [arena_bot.py]\nrun: ['{python}', main.py]\n")
    (folder / "arena_bot.py").symlink_to(kit)

    bot = prepare(read_manifest(folder / "bot.yaml"), cache)

    (compiled,) = bot.folder.rglob("*.pyc")
    assert str(compiled) == cache_from_source(str(bot.folder / "arena_bot.py"))
    flags, expected = 3, source_hash(kit.read_bytes())  # used if the hash of the source is this
    assert compiled.read_bytes()[4:16] == flags.to_bytes(4, "little") + expected
    assert compiled.stat().st_mode & 0o777 == 0o644


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


def test_a_file_that_cannot_be_read_now_breaks_its_bot_alone(
    make_bot: MakeBot, cache: Path, request: pytest.FixtureRequest
) -> None:
    former = signal.signal(signal.SIGIO, signal.SIG_IGN)  # the kernel tells the holder
    request.addfinalizer(lambda: signal.signal(signal.SIGIO, former))
    bot = make_bot()
    with (bot.path.parent / "main.txt").open("r+") as held:
        fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)  # to open without waiting gives EAGAIN
        (error,) = prepare_all([bot], cache)

    assert isinstance(error, BotError)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.EIO])
def test_a_full_disk_is_no_fault_of_a_bot(
    make_bot: MakeBot, cache: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def full(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("arena.bots.prepare.copy_file", full)

    with pytest.raises(MachineError, match="which is no bot's fault; check the disk of"):
        prepare_all([make_bot()], cache)


def test_a_failing_build_shows_both_ends_of_its_output(make_bot: MakeBot, cache: Path) -> None:
    with pytest.raises(BuildError) as refusal:
        prepare(make_bot(build=FAIL), cache)

    assert "its build ended with exit code 3" in str(refusal.value)
    assert refusal.value.output.splitlines() == [
        *(f"    line {n}" for n in range(20)),
        "    ... 59 lines left out",
        *(f"    line {n}" for n in range(79, 99)),
    ]
    assert list(cache.iterdir()) == []


def test_a_build_over_its_time_limit_is_killed_with_all_its_processes(
    make_bot: MakeBot, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "BUILD_S", 0)

    with pytest.raises(BuildError, match="took longer than 0 s"):
        prepare(make_bot(build=["sleep", "3600"]), cache)

    assert list(cache.iterdir()) == []


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
